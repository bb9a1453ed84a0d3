"""Plays the kernel for `live/test_injected_faults.py`: a panel whose run something happens to.

    python owner.py SERVER [--terminal KEPT.json]

Tells on standard output, a line of JSON each, what phase its run is in, how many levels have
landed and how it ended; obeys the words stop, shut, exit and abort on standard input. With
--terminal it is the command line instead, which writes what it measured there.
"""

import json
import os
import signal
import sys
import threading
from typing import Any

from brief import BRIEF
from waiting import eventually

from labs import __main__ as command_line
from labs import terminal as terminal_means
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.measure.progress import Progress
from labs.panel.sweep import SweepPanel
from labs.records.experiment import Experiment, Load, Server, Workload

SERVERS = {
    "gunicorn": Server("prefork", processes=2),
    "threads": Server("threaded", threads=4),
    "uvicorn": Server("event-loop"),
    "scratch": Server("prefork", by="scratch", processes=2),
    "spare": Server("prefork", by="spare", processes=8),
    "apache": Server("prefork", by="apache", processes=4),
    "nginx-fpm": Server("prefork", by="nginx-fpm", processes=2),
    "node": Server("event-loop", by="node"),
    "database": Server("prefork", processes=2),
}
USERS = (1, 2, 4)
PHASES = {"calibrating": "calibrating", "starting": "starting", "warming": "warming up"}
PATIENCE_S = 60.0
ENDING_S = 0.8  # for the fault to come while server and load generator are still there


class Teller:
    """What phase a run is in, from what its rig tells."""

    def __init__(self) -> None:
        self.visits = 0

    def on_event(self, event: Any) -> None:
        if isinstance(event, Progress):
            first = event.stage.replace(":", " ").split()[0]
            if first in PHASES:
                tell(phase=PHASES[first])
            elif event.quiet_s is not None and self.visits:
                tell(phase="measuring")
        elif isinstance(event, Recording) and event.points:
            self.visits = sum(len(point.visits) for point in event.points)
            tell(points=len(event.points))
            if self.visits == 2 * len(USERS):
                tell(phase="ending")
                threading.Event().wait(ENDING_S)


def tell(**what: object) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def experiment(server: str) -> Experiment:
    work = Workload(cpu_s=0.004, wait_s=0.01)
    if server == "database":
        work = Workload(cpu_s=0.002, wait_s=0.01, wait_by="database")
    return Experiment(SERVERS[server], work, Load(USERS, seconds=0.3))


def panel(server: str) -> None:
    """Open it, bet, run, and obey."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a kernel does between two cells
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup's child would not mind one
    teller, shown = Teller(), SweepPanel("faults", SweepLab(experiment(server)))
    before, ended = shown._on_event, shown._ended

    def on_event(event: Any) -> None:
        before(event)
        teller.on_event(event)

    def on_end(said: str) -> None:
        ended(said)
        points = shown._current.points if shown._current else ()
        answer = shown._results.answer.value if points else ""
        tell(said=f"{said} {answer}"[:3000], points=len(points), ended=True)

    shown._on_event, shown._ended = on_event, on_end
    eventually(lambda: shown._plan is not None, PATIENCE_S, "the plan")
    shown._prompt._number.value = "100"
    for _ in range(2):  # it asks once whether that is meant
        shown._prompt._commit.click()
    shown._bar._run.click()
    for line in sys.stdin:
        word = line.strip()
        if word == "abort":
            os.abort()
        if word == "exit":
            sys.exit(0)
        if word == "stop":
            shown._stop()
        if word == "shut":
            shown.shut()


def terminal(server: str, kept: str) -> int:
    """The command line, as on a terminal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & would ignore it
    teller, work = Teller(), experiment(server)
    terminal_means.bar = teller.on_event
    sys.stderr.isatty = lambda: True
    words = ["run", "--server", "prefork", "--by", work.server.by, "--users", "1,2,4"]
    words += ["--processes", "2", "--cpu", "0.004", "--wait", "0.01", "--seconds", "0.3"]
    code = command_line.main([*words, "--json", kept])
    said = "Stopped." if code == terminal_means.INTERRUPTED else f"exit code {code}"
    tell(said=said, ended=True)
    return code


def main() -> int:
    for module, name, seconds in BRIEF:
        setattr(module, name, seconds)
    if "--terminal" in sys.argv:
        return terminal(sys.argv[1], sys.argv[-1])
    panel(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
