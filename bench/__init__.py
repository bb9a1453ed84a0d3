"""Benchmarks: each `python -m bench.NAME` prints its figures. Run them on a quiet machine.

`levels` and `browser` are none: they are parts of others.
"""

import argparse
from collections.abc import Callable, Collection


def one_of(names: Collection[str]) -> Callable[[str], str]:
    """A `type` for argparse that takes these names. Its own `choices` refuse that none is given.

    >>> one_of(["wait", "CPU"])("CPU")
    'CPU'
    """

    def taken(name: str) -> str:
        if name not in names:
            raise argparse.ArgumentTypeError(f"{name}: choose from {', '.join(names)}")
        return name

    return taken
