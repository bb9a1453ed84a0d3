"""Verdict on cores that do less than they are listed for. Pure: text out."""

from __future__ import annotations

import math

from labs.records.format import cores, percent
from labs.records.results import Calibration, Machine

ENOUGH = 0.9  # of the cores' worth of work: with so much of it nothing is said
PART = math.sqrt(ENOUGH)  # with less than that of time or of speed, that is a reason


def shortfall(machine: Machine, found: Calibration) -> tuple[str, ...]:
    """Say why all cores together did less than so many of them alone, as far as the burn can tell,
    and what to do; nothing where they did about as much.

    A burn knows for how long its processes had a core (`use`), and what they did in that time. It
    does not know who had the cores otherwise, or why one that it had was slow.
    """
    number, worth = len(found.loops_per_s), found.capacity[-1]
    if worth >= ENOUGH * number:
        return ()
    whole = f"{cores(number)} listed here did {worth:.2f} cores' worth of work."
    said = [f"The {whole}" if number == 1 else f"Together the {whole}"]
    if found.use < PART:
        said.append(_time(machine, number, found.use * number))
    slower = 1 - found.loops_per_s[-1] / number / found.loops_per_s[0]
    if slower > 1 - PART:
        less = f"While all were busy, each did {percent(slower)} less than one alone."
        said.append(f"{less} {_speed(machine)}")
    said.append("In any case the labs reckon with what was found, and not with what is listed.")
    return tuple(said)


def _time(machine: Machine, number: int, had: float) -> str:
    """Say why the burn did not have its cores all the time."""
    quota = machine.quota_cores
    if quota is not None and quota < number:
        return (
            f"A quota leaves your programs {cores(quota)}, whatever is listed. So this machine was "
            "set up, and another run will find the same."
        )
    return (
        f"The burn got {cores(had)} of {number}. Other programs had the rest, or, in a virtual "
        "machine or a container, somebody who can't be seen from in here. End what you can do "
        "without, and run this again: what comes back was another program's, and what stays away "
        "this machine doesn't have for you."
    )


def _speed(machine: Machine) -> str:
    """Say why cores that the burn had may be slow together."""
    if machine.physical_cores and machine.physical_cores < machine.logical_cores:
        return (
            "Two of them are one physical core and share its parts. So this machine is built, and "
            "another run will find the same."
        )
    if machine.kinds:
        return f"They are not alike ({machine.kinds}), and one alone has one of the fastest."
    return (
        "They may share parts that the system doesn't list, or a clock that falls when all are "
        "busy; or they belong to a host that has other guests. From in here all of that looks the "
        "same. Run this again: what is otherwise then was somebody else's doing."
    )
