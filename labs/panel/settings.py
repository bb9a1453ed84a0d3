"""The panel's settings: widgets on one side, an Experiment on the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import ipywidgets

from labs.records.experiment import Architecture, CpuBy, Experiment, Load, WaitBy, Workload
from labs.records.format import digits, number
from labs.records.results import Machine
from labs.records.server_facts import WAITS
from labs.servers.serve import Found, available

MS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512)
TOLD = {
    "prefork": "One process for each request in service",
    "threaded": "One thread for each request in service",
    "event-loop": "One thread for all requests; it switches whenever one waits",
}
WORKS = {
    "counting": "Python's own steps: a thread that counts keeps the interpreter's lock",
    "hashing": "A library's loop: Python's lock is free while it hashes",
}
OFFERED: tuple[WaitBy, ...] = ("sleep", "backend", "blocking")  # and what a lab begins with


class Settings(ipywidgets.VBox):
    """Sliders and choices. `changed` is called after each change by the reader."""

    def __init__(
        self, experiment: Experiment, machine: Machine, changed: Callable[[], None]
    ) -> None:
        self._experiment = experiment
        self._changed = changed
        self._settling = False  # while one change brings about another
        self._found = available()
        server, workload = experiment.server, experiment.workload
        self._architecture = _toggle("Server", server.architecture, TOLD)
        self._by = ipywidgets.Dropdown(
            description="Run by", tooltip="Which program is the server", options=[]
        )
        self._cpu = _slider("CPU time", workload.cpu_s * 1000, MS, "of one request, on one core")
        self._cpu_by = _toggle("CPU by", workload.cpu_by, WORKS)
        self._wait = _slider("Wait time", workload.wait_s * 1000, MS, "of one request, off the CPU")
        waits: dict[str, str] = {kind: WAITS[kind].told for kind in (*OFFERED, workload.wait_by)}
        self._wait_by = _toggle("Wait by", workload.wait_by, waits)
        self._processes = _slider("Processes", server.processes, COUNTS, "of the server", unit="")
        self._threads = _slider("Threads", server.threads, COUNTS, "in each process", unit="")
        self._cores = _slider(
            "Cores",
            min(server.cores or machine.cores, machine.cores),
            range(1, machine.cores + 1),
            "that the server may use",
            unit="",
        )
        self._all_cores = machine.cores
        self._users = ipywidgets.Text(
            value=", ".join(map(str, experiment.load.users)),
            description="Users",
            tooltip="The levels of the sweep, rising: 1, 2, 4, 8",
            continuous_update=False,
        )
        self._offer_by(server.by)
        self._fit()
        controls = (
            self._architecture,
            self._by,
            self._cpu,
            self._cpu_by,
            self._wait,
            self._wait_by,
            self._processes,
            self._threads,
            self._cores,
            self._users,
        )
        super().__init__(children=controls)
        self.add_class("wt-controls")
        for control in controls:
            control.observe(self._heard, "value")

    def experiment(self) -> Experiment:
        """What is set. Unusable says what cannot be."""
        architecture = cast(Architecture, self._architecture.value)
        before = self._experiment
        cores = self._cores.value
        start = before.server.start
        server = replace(
            before.server,
            architecture=architecture,
            by=self._by.value,
            processes=self._processes.value,
            start=start and min(start, self._processes.value),
            threads=self._threads.value if architecture == "threaded" else 1,
            cores=None if cores == self._all_cores else cores,
        )
        workload: Workload = replace(
            before.workload,
            cpu_s=self._cpu.value / 1000,
            wait_s=self._wait.value / 1000,
            cpu_by=cast(CpuBy, self._cpu_by.value),
            wait_by=cast(WaitBy, self._wait_by.value),
        )
        load: Load = replace(before.load, users=read_users(self._users.value))
        return Experiment(server, workload, load)

    def enable(self, yes: bool) -> None:
        """While a run goes on, nothing can be set."""
        for control in self.children:
            control.disabled = not yes
        if yes:
            self._fit()

    def _heard(self, change: dict[str, Any]) -> None:
        if self._settling:
            return
        if change["owner"] is self._architecture:
            self._settling = True
            self._offer_by("")
            self._fit()
            self._settling = False
        self._changed()

    def _offer_by(self, by: str) -> None:
        """The programs of this architecture; those that are missing say so."""
        rows = [row for row in self._found if row.architecture == self._architecture.value]
        here = [row.by for row in rows if not row.missing] or [row.by for row in rows]
        self._by.options = [(_named(row), row.by) for row in rows]
        self._by.value = by if by in [row.by for row in rows] else here[0]

    def _fit(self) -> None:
        """Threads are for the threaded, cores for those who have several."""
        self._threads.disabled = self._architecture.value != "threaded"
        self._cores.disabled = self._all_cores == 1


def read_users(text: str) -> tuple[int, ...]:
    """Levels as people write them: `1, 2, 4, 8`, with commas or spaces. What is no whole
    number is handed on as it is, for the record to refuse by name."""
    words = [word for word in re.split(r"[,;\s]+", text.strip("[]() \t")) if word]
    return tuple(cast(int, number(word)) for word in words)


def _named(row: Found) -> str:
    if row.missing:
        return f"{row.by} (not installed)"
    return f"{row.by} {row.version}" if row.version else f"{row.by} (ours)"


def _toggle(name: str, value: str, told: Mapping[str, str]) -> ipywidgets.ToggleButtons:
    """A few choices side by side, each with a word on what it means."""
    return ipywidgets.ToggleButtons(
        options=list(told), value=value, description=name, tooltips=list(told.values())
    )


def _slider(
    name: str, value: float, choices: Iterable[float], told: str, *, unit: str = " ms"
) -> ipywidgets.SelectionSlider:
    """A slider over round values and the one that the lab begins with."""
    values: Sequence[float] = sorted({*choices, value})
    slider = ipywidgets.SelectionSlider(
        options=[(f"{digits(each)}{unit}", each) for each in values],
        value=value,
        description=name,
        tooltip=f"{name} {told}",
        continuous_update=False,
    )
    slider.add_class("wt-choice")  # the page tells the value, not its place in the list
    return slider
