"""What the labs and their Locust users say to each other, over two pipes. Imports neither side.

To the users go orders, a line of JSON each:
    {"users": 8, "over_s": 0.4}   open the gate for users 0..7, new ones spread over 0.4 s
    {"rate": 24.0, "seed": 1}     close it; users come by themselves, on average so many a second,
                                  ask once and leave; such a request begins when it was due
    {"work": {...}}               what to ask for from now on, see `Work`
    {"end": true}                 have Locust end the test, so that users can clear up
    {"report": 1}                 send what has ended, the requests in flight, then a mark; all
                                  of that is as it was at the mark's own time
    {"expected": 8}               how many users there are, where it isn't in the environment
Back comes a record of fixed size for each request, and for some other events.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

# Times in seconds. start and end are the client's, the others what the server said under X-Service.
FIELDS = {
    "kind": "i",
    "user": "i",
    "process": "i",
    "start": "d",
    "end": "d",
    "service_start": "d",
    "service_end": "d",
    "service_cpu": "d",
    "asked_wait": "d",
}
RECORD = struct.Struct("<" + "".join(FIELDS.values()))
# Kinds of record. A user is at hand or there was none; a mark has its report's number as user, and
# the CPU seconds of its process so far as service_cpu.
# A request that failed has the system's number of the error as process, where there is one.
OK, FAILED, IN_FLIGHT, MARK, READY, MISSED, LATE = 1, 2, 3, 4, 5, 6, 7
LATE_S = 0.002  # an arrival that is sent so long after it was due is LATE too: from then until now
SERVICE = "X-Service"  # of an answer: those four, see workloads/app/application.py
UNSAID = "nan nan nan nan"  # where the answer does not tell

# Variables of the users' environment: file numbers of the pipes (a master's, of each worker's), how
# many users ask in one process, 0 to hang up.
PIPES = CONTROL, RESULTS = "WALL_TIME_CONTROL_FD", "WALL_TIME_RESULTS_FD"
USERS, KEEP_ALIVE = "WALL_TIME_USERS", "WALL_TIME_KEEP_ALIVE"
SCENARIO = "WALL_TIME_SCENARIO"  # a Scenario as JSON, where the users are the reader's own
REFUSED = 77  # exit code of users whose last line says, to the reader, what can't be


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A reader's own locustfile, and where it is at home."""

    file: str
    host: str  # what their paths are of
    folder: str  # in which it is run
    home: str
    mine: str = ""  # a host beside this machine that its owner named


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Work that each request asks for, varying as `dice.Dice` has it."""

    url: str = ""  # of the server; known only after Locust has started, so it is no `--host`
    page: str = ""  # its path, where it is the same for all
    how: str = ""  # as the query has it, where it is not the usual one
    loops: float = 0.0
    wait_s: float = 0.0
    cpu_cv: float = 0.0
    wait_cv: float = 0.0
    think_time_s: float = 0.0
    script: float = 0.0  # loops of the users' own counting, in Python
    seed: int = 0  # of what varies: another gives other draws, the same gives the same
    headers: Mapping[str, str] = field(default_factory=dict)  # sent with each, beside the usual

    def address(self, loops: float, wait_s: float) -> str:
        """Make the address of a request for so much."""
        return self.url + (self.page or f"/?loops={round(loops)}&wait={wait_s:.6f}{self.how}")
