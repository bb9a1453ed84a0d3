"""Does the book hold here? Every lab of `make record` once: measured, forecast and recorded.

    python -m bench.book [LAB ...]

Beside each figure: how far the forecast made before the load was off, how far the book's own
recording is, and the checks that fired. At the end, how far all of the forecasts were off, and how
many figures of each lab were unfit. Writes nothing into the book. About fifteen minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.levels import sizes
from labs.kinds.base import LabKind
from labs.kinds.checkup.record import Checkup
from labs.kinds.clocks.record import Clocks
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.record import Generators
from labs.kinds.memory.record import Memory
from labs.kinds.mystery.record import Mystery
from labs.kinds.race.record import Race
from labs.kinds.registry import lab_kind
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns
from labs.kinds.timeline.record import Timeline
from labs.recordings import recorder, store
from labs.records.errors import BadRecording, Unusable
from labs.records.results import Check, Result


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing a lab measures, in any unit: only ratios are told."""

    name: str
    measured: float
    forecast: float | None = None
    checks: tuple[Check, ...] = ()

    @property
    def fit(self) -> bool:
        return not any(check.unfit for check in self.checks)


def figures(result: Result) -> Iterator[Figure]:
    """List the figures of a lab's result, throughput in requests per second where it has any."""
    match result:
        case Recording():
            for point in result.points:
                level = result.run.forecast.at(point.users)
                name = f"{point.users} users"
                yield Figure(name, point.throughput_rps, level.model_rps, point.checks)
        case Comparison(parts=parts) | Mystery(variants=parts):
            for label, part in parts.items():
                for figure in figures(part):
                    yield replace(figure, name=f"{label}, {figure.name}")
        case Timeline():
            at_s = 0.0
            for step, found in zip(result.steps, result.run.step_results, strict=False):
                name = f"{step.load}, {step.do}" if step.do else step.load
                expected = result.run.expected_rps(at_s, at_s + step.seconds)
                yield Figure(name, found.throughput_rps, expected, found.checks)
                at_s += step.seconds
        case Clocks():
            for page in result.run.pages:
                work = page.workload
                yield Figure(page.name, page.median_wall_s, work.cpu_s + work.wait_s)
        case Checkup():
            yield Figure("cores' worth of work", result.capacity)
            yield Figure("loops/s", result.calibration.loops_per_s[0])
        case Memory():
            for growth in result.run.growths:
                yield Figure(f"bytes a {growth.kind}", growth.each_bytes)
        case Generators():
            for gauge in result.run.measured:
                yield Figure(f"req/s by {gauge.name}", gauge.throughput_rps)
        case Race():
            for count in result.run.counts:
                yield Figure(f"req/s {count.name}", count.throughput_rps)


def recorded(lab: str) -> Result | None:
    """Find the book's own recording, if it has one."""
    with contextlib.suppress(BadRecording):
        return store.recording(lab)
    return None


def table(own: Sequence[Figure], recorded: Result | None) -> str:
    """Tabulate a lab's figures, beside the book's own."""
    before = {figure.name: figure.measured for figure in figures(recorded)} if recorded else {}
    rows = [["", "measured", "to forecast", "to recording", "checks"]]
    rows += [
        [
            figure.name,
            f"{figure.measured:.4g}",
            _off(figure.measured, figure.forecast),
            _off(figure.measured, before.get(figure.name)),
            " ".join(check.name + "!" * check.unfit for check in figure.checks),
        ]
        for figure in own
    ]
    return columns(rows)


def unfit(labs: Mapping[str, Sequence[Figure]]) -> str:
    """Count the figures that were unfit, in all and of each lab that has some."""
    counts = {lab: sum(not figure.fit for figure in own) for lab, own in labs.items()}
    every = sum(map(len, labs.values()))
    lines = [f"unfit: {sum(counts.values())} of {every} figures"]
    lines += [f"  {lab}: {count} of {len(labs[lab])}" for lab, count in counts.items() if count]
    return "\n".join(lines)


def forecasts(title: str, figures: Sequence[Figure]) -> str:
    """Say how far figures' forecasts were off, in a line: median and worst."""
    return sizes(title, [f.measured / f.forecast - 1 for f in figures if f.forecast])


def _off(measured: float, expected: float | None) -> str:
    return f"{measured / expected - 1:+.1%}" if expected else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labs", nargs="*", help="names of labs; all of them without")
    asked = parser.parse_args()
    usual = LabKind.recorded_by
    every = [cell.lab for cell in recorder.cells() if lab_kind(cell.kind).recorded_by == usual]
    before = {lab: recorded(lab) for lab in asked.labs or every}
    told: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="wall-time-") as folder:
        os.environ["LABS_RECORDINGS"] = folder
        for lab in before:
            try:
                recorder.record_book([lab], lambda said: None, recorder.ONCE)
                told[lab] = list(figures(store.recording(lab)))
            except Unusable as error:  # here; the others may be
                print(f"\n{lab}\n{error}", flush=True)
                continue
            print(f"\n{lab}\n{table(told[lab], before[lab])}", flush=True)
    own = [figure for figures in told.values() for figure in figures]
    print()
    print(forecasts("forecast, fit figures", [figure for figure in own if figure.fit]))
    print(forecasts("forecast, all figures", own))
    print(unfit(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
