"""The widgets of the settings, one for each, with the value that it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import ipywidgets

from labs.records.experiment import MOST_CONNECTIONS, Experiment
from labs.records.format import digits, number
from labs.records.server_facts import WAITS, called
from labs.servers.serve import Found

TIMES_MS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512)
POOLS = tuple(each for each in COUNTS if each <= MOST_CONNECTIONS)
TOLD = {
    "prefork": "One process for each request in service",
    "threaded": "One thread for each request in service",
    "event-loop": "One thread for all requests; it switches whenever one waits",
}
WORKS = {
    "counting": "Python's own steps: a thread that counts keeps the interpreter's lock",
    "hashing": "A library's loop: Python's lock is free while it hashes",
}
WAITED: Mapping[str, str] = {kind: wait.told for kind, wait in WAITS.items()}


def controls(first: Experiment, cores: int) -> dict[str, ipywidgets.Widget]:
    """Make a widget for each setting, with the value that it begins with."""
    server, workload = first.server, first.workload
    used = min(server.cores or cores, cores)
    return {
        "architecture": _toggle("Server", server.architecture, TOLD),
        "by": ipywidgets.Dropdown(
            description="Run by",
            tooltip="Which program is the server",
            options=[(called(server.by), server.by)],
            value=server.by,
        ),
        "processes": _slider("Processes", server.processes, COUNTS, "of the server"),
        "threads": _slider("Threads", server.threads, COUNTS, "in each process"),
        "cores": _slider("Cores", used, range(1, cores + 1), "that the server may use"),
        "cpu_s": _slider(
            "CPU time", workload.cpu_s * 1000, TIMES_MS, "of one request, on one core", " ms"
        ),
        "cpu_by": _toggle("CPU by", workload.cpu_by, WORKS),
        "wait_s": _slider(
            "Wait time", workload.wait_s * 1000, TIMES_MS, "of one request, off the CPU", " ms"
        ),
        "wait_by": _toggle("Wait by", workload.wait_by, WAITED),
        "connections": _slider(
            "Connections", workload.connections, POOLS, "to the database, of each process"
        ),
        "users": users(first.load.users),
    }


def users(levels: Sequence[int]) -> ipywidgets.Text:
    """Make the field of a sweep's levels, with those that it begins with."""
    return ipywidgets.Text(
        value=", ".join(map(str, levels)),
        description="Users",
        tooltip="The levels of the sweep, rising: 1, 2, 4, 8",
        continuous_update=False,
    )


def read_users(text: str) -> tuple[int, ...]:
    """Read levels as people write them: `1, 2, 4, 8` or `1e2`, with commas or spaces. What is no
    whole number is handed on as it is, for the record to refuse by name.

    >>> read_users("1, 8 1e2")
    (1, 8, 100)
    """
    words = [word for word in re.split(r"[,;\s]+", text.strip("[]() \t")) if word]
    read = [number(word) for word in words]
    whole = [int(n) if isinstance(n, float) and n.is_integer() else n for n in read]
    return cast(tuple[int, ...], tuple(whole))


def named(row: Found) -> str:
    """Name a program with its version, as the list has it."""
    name = called(row.by)
    if row.missing:
        return f"{name} (not installed)"
    return f"{name} {row.version}" if row.version else name


def _toggle(name: str, value: str, told: Mapping[str, str]) -> ipywidgets.ToggleButtons:
    """Make a few buttons side by side, each choice with a word on what it means."""
    return ipywidgets.ToggleButtons(
        options=list(told), value=value, description=name, tooltips=list(told.values())
    )


def _slider(
    name: str, value: float, choices: Iterable[float], told: str, unit: str = ""
) -> ipywidgets.SelectionSlider:
    """Make a slider over round values and the one that the lab begins with."""
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
