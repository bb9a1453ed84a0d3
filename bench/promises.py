"""Do labs take as long as their panels promise?

    python -m bench.promises [--rounds 2] [LAB ...]

Runs every lab of the book, or those named, as a panel does, and prints the seconds promised just
before the run, the seconds it took, and their ratio, the middle one of the rounds. The first round
of a lab that was never calibrated here promises by less than the later ones know. With two rounds
about fifty minutes for all of them; leave the machine alone meanwhile. The classics' servers are
part of it where they are installed. Exits with 1 if a lab is further off than the goal.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import one_of
from labs import api
from labs.host import hardware
from labs.kinds.base import LabKind
from labs.kinds.sweep.report import columns
from labs.measure.rig import Rig
from labs.recordings.recorder import Cell, cells
from labs.records.errors import Unusable

GOAL = 0.2  # of what was promised, either way


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One run: what was promised and what it took, in seconds."""

    promised_s: float
    took_s: float

    @property
    def ratio(self) -> float:
        return self.took_s / self.promised_s


def labs_of(cell: Cell) -> dict[str, LabKind[Any]]:
    """The labs that a cell asks for, as a panel on this machine begins with them."""
    found: dict[str, LabKind[Any]] = {}

    def keep(call: str, name: str, lab: LabKind[Any]) -> None:
        cores = hardware.fingerprint().cores
        found[name] = lab.at_scale(cores).scaled_down(cores, shared=False)

    opened, api.opened = api.opened, keep
    try:
        exec(compile(cell.source, str(cell.page), "exec"), {})
    finally:
        api.opened = opened
    return found


def run(lab: LabKind[Any]) -> Kept:
    """Promise, measure and compare a lab."""
    promised_s, begin = lab.seconds(), time.perf_counter()
    Rig().perform(lab)
    return Kept(promised_s=promised_s, took_s=time.perf_counter() - begin)


def rows(runs: Mapping[str, Sequence[Kept]]) -> list[list[str]]:
    """A row for each lab, from all its rounds, those furthest off first."""
    middle = {lab: statistics.median(each.ratio for each in kept) for lab, kept in runs.items()}
    return [
        [
            lab,
            " ".join(f"{each.promised_s:.1f}" for each in runs[lab]),
            " ".join(f"{each.took_s:.1f}" for each in runs[lab]),
            f"{middle[lab]:.2f}",
            "" if off(middle[lab]) <= GOAL else "off",
        ]
        for lab in sorted(runs, key=lambda lab: off(middle[lab]), reverse=True)
    ]


def off(ratio: float) -> float:
    """Tell how far a ratio lies from 1."""
    return abs(ratio - 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2)
    os.environ["LABS_MODE"] = "live"
    found = {name: lab for cell in cells() for name, lab in labs_of(cell).items()}
    parser.add_argument("only", nargs="*", type=one_of(found), metavar="LAB")
    asked = parser.parse_args()
    runs: dict[str, list[Kept]] = defaultdict(list)
    for name in asked.only or found:
        for _ in range(asked.rounds):
            try:
                runs[name].append(run(found[name]))
            except Unusable as error:
                print(f"{name}: left out: {error}", file=sys.stderr, flush=True)
                break
            print(f"{name}: {runs[name][-1].ratio:.2f}", file=sys.stderr, flush=True)
    table = rows(runs)
    print(columns([["lab", "promised, s", "took, s", "took / promised", ""], *table]))
    kept = sum(not row[-1] for row in table)
    print(f"{kept} of {len(table)} labs within {GOAL:.0%} of their promise (goal: all)")
    return 0 if kept == len(table) else 1


if __name__ == "__main__":
    sys.exit(main())
