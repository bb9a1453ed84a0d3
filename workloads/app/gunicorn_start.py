"""Starts gunicorn's workers at once.

gunicorn sleeps up to 0.1 s after each fork, so that workers with a heavy start do not come all
together: 13 s for 256 of them. Ours are forked from a master that has loaded everything, so
they are all forked as soon as it is ready. Nothing else about gunicorn is changed.
"""

from __future__ import annotations

from typing import Any


def when_ready(arbiter: Any) -> None:
    """gunicorn's hook, called by the master just before it would start its workers."""
    for _ in range(arbiter.num_workers):
        arbiter.spawn_worker()
