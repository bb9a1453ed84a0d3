"""Look who answers at an address: the processes behind it, and one request. No load."""

from __future__ import annotations

import math
from collections.abc import Sequence

from labs.host import listeners
from labs.host.listeners import Family
from labs.host.monitor import allowed_cores
from labs.kinds.attach.record import Found
from labs.load.target import Answer, Target


def family_at(target: Target) -> Family:
    """Find the processes that listen at that address; none on another machine."""
    return listeners.listening(target.host, target.port) if target.here else Family()


def found_at(
    target: Target,
    answer: Answer,
    server: Family,
    behind: Family,
    *,
    programs: Sequence[str] = (),
    pool: int | None = None,
) -> Found:
    """Say what can be seen of a server. `behind` and their `programs` work when it is asked; `pool`
    is how many requests it holds at once, where its owner told that."""
    pids, roots, leaves = server.pids(), server.roots, server.leaves()
    port = set(listeners.listeners(target.host, target.port)) if target.here else set()
    serving = [pid for pid in leaves if pid in port] or leaves
    everyone = pids + behind.pids()
    cores = allowed_cores(everyone) or 0
    quota = listeners.quota_of(serving[0]) if serving else None
    return Found(
        program=listeners.program(roots[0]) if roots else "",
        processes=len(everyone),
        threads=sum(map(listeners.threads_of, pids)),
        cores=cores,
        quota_cores=quota if quota and quota < (cores or math.inf) else None,
        one_core_each=listeners.runtime(roots[0]) if roots and not programs else "",
        workers=len(serving),
        pool=pool or (listeners.pool(roots[0], len(serving)) if roots else None),
        behind=tuple(programs),
        server=answer.server,
    )
