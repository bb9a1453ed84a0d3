"""How often does a comparison see what is not there, and find what is?

    python -m bench.same [--same 40] [--other 20] [--seconds 1.0] [KIND ...]

One server compared with itself, waits, CPU and mixed by turns: "different" should be said of two in
forty at most. Then servers that truly differ, as one asks for ten per cent more of the same: that
should be found in sixteen of twenty. Each is judged as readers see it, and more strictly, too.
Fewer comparisons, and shorter windows, say less. What could not be measured well enough counts as
neither. About half an hour.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bench import one_of
from bench.levels import CPU, MIXED, WAIT
from labs.analysis.contrast import CONFIDENCE
from labs.kinds.comparison.contrast import decided
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.sweep.record import Recording
from labs.measure.rig import Rig
from labs.records.experiment import Experiment, Load, Server

MORE = 1.1  # times as much work, of a part that truly differs
MOST_FALSE, LEAST_FOUND = 2 / 40, 16 / 20  # of the comparisons
JUDGED_AT = (CONFIDENCE, 0.99)  # as a reader's comparison is, and more strictly
Parts = Mapping[str, Recording]
KINDS = {  # up to where the pool or the cores are full, so that the work decides
    "wait": (Server("prefork", processes=8), WAIT, (2, 4, 8)),
    "CPU": (Server("prefork", processes=4), CPU, (1, 2, 4)),
    "mixed": (Server("prefork", processes=8), MIXED, (2, 4, 8)),
}


def compared(kind: str, more: float, seconds: float) -> Parts:
    """Compare once: a server, and the same whose requests take `more` times as much."""
    server, work, users = KINDS[kind]
    load = Load(users, seconds=seconds)
    heavier = replace(work, cpu_s=work.cpu_s * more, wait_s=work.wait_s * more)
    parts = {
        "the one": Experiment(server, work, load),
        "the other": Experiment(server, heavier, load),
    }
    return Rig().perform(ComparisonLab(parts)).parts


def seen(parts: Parts, confidence: float) -> bool | None:
    """Whether parts are called different; None where that was not measured well enough."""
    contrast = decided(parts, confidence)
    if contrast is None:
        return None
    return not contrast.interval[0] <= 1 <= contrast.interval[1]


def several(number: int, kinds: Sequence[str], more: float, seconds: float) -> Iterator[Parts]:
    """Make so many comparisons, the kinds by turns, each said as it ends."""
    for kind in itertools.islice(itertools.cycle(kinds), number):
        parts, said = compared(kind, more, seconds), "not measured well enough"
        if (contrast := decided(parts)) is not None:
            low, high = contrast.interval
            at = f"{contrast.ratio:.3f} ({low:.3f} to {high:.3f}) at {contrast.users} users"
            said = f"{at}: {'different' if seen(parts, CONFIDENCE) else 'no difference seen'}"
        print(f"  {kind:6} {said}", flush=True)
        yield parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--same", type=int, default=40, help="comparisons with itself")
    parser.add_argument("--other", type=int, default=20, help="with ten per cent more to do")
    parser.add_argument("--seconds", type=float, default=1.0, help="of both windows of a level")
    parser.add_argument("kinds", nargs="*", type=one_of(KINDS), metavar="KIND")
    asked = parser.parse_args()
    kinds, began = asked.kinds or list(KINDS), time.monotonic()
    print("one server with itself:")
    false = list(several(asked.same, kinds, 1.0, asked.seconds))
    print(f"with one whose requests take {MORE - 1:.0%} more:")
    true = list(several(asked.other, kinds, MORE, asked.seconds))
    met = []
    for confidence in JUDGED_AT:
        mistaken, found = ([seen(parts, confidence) for parts in each] for each in (false, true))
        print(f"\nat a confidence of {confidence:.0%}")
        print(
            f"different from itself   {mistaken.count(True)} of {len(false)}; 2 of 40 are allowed"
        )
        print(f"truly different, found  {found.count(True)} of {len(true)}; 16 of 20 are asked for")
        print(f"not measured            {[*mistaken, *found].count(None)}")
        judged = [len(each) - each.count(None) for each in (mistaken, found)]
        few = mistaken.count(True) <= MOST_FALSE * judged[0]
        met.append(few and found.count(True) >= LEAST_FOUND * judged[1] and all(judged))
    print(f"took {(time.monotonic() - began) / 60:.1f} minutes")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
