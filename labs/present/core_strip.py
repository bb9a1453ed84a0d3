"""The strip: what each core did while a run went on, and how many workers there were."""

from collections.abc import Sequence
from typing import Any

from labs.present.palette import BLUE, GREEN, GREY, ORANGE, PURPLE
from labs.present.plot import Axis, Trace, line
from labs.records.results import Sample

Shares = Sequence[tuple[float, float, float, float]]  # of each core: user, system, wait, idle
MOST_ROWS = 8  # cores in rows of their own; more are averaged with their neighbours
MOST_SAMPLES = 120  # as many as there are pixels to tell them apart on a telephone
ROW = 44  # pixels
PARTS = (("user", BLUE, ""), ("system", ORANGE, "/"), ("wait or stolen", PURPLE, "."))


def _thinned(samples: Sequence[Sample]) -> Sequence[Sample]:
    return samples[:: -(-len(samples) // MOST_SAMPLES) or 1]


def strip_rows(samples: Sequence[Sample]) -> dict[str, Any]:
    """The strip as numbers, for a canvas: the times, of each row of cores the share of each part,
    and the two counts. See book/web/src/core_strip_view.ts."""
    kept = _thinned(samples)
    times = [sample.at_s for sample in kept]
    rows = [
        {
            "name": core_name(first, last),
            "parts": [
                _shares([each.cores for each in kept], part, first, last)
                for part in range(len(PARTS))
            ],
        }
        for first, last in core_rows(len(kept[0].cores) if kept else 1)
    ]
    workers, users = [each.workers for each in kept], [each.users for each in kept]
    return {
        "at": times,
        "seconds": max([*times, 1.0]),
        "rows": rows,
        "parts": [
            {"name": name, "colour": colour, "hatch": hatch} for name, colour, hatch in PARTS
        ],
        "counts": [
            {"name": "workers", "colour": GREEN, "dashed": False, "values": workers},
            {"name": "users", "colour": GREY, "dashed": True, "values": users},
        ],
    }


def strip_alt(samples: Sequence[Sample]) -> str:
    """The strip in a sentence."""
    if not samples:
        return "What each core does while a run goes on. No run yet."
    cores = len(samples[0].cores)
    busy = sum(sum(core[:2]) for sample in samples for core in sample.cores) / len(samples)
    counted = [sample.workers for sample in samples if sample.workers is not None]
    most = max(counted, default=0)
    workers = f" The server had up to {most} worker{'s' * (most != 1)}." if counted else ""
    who, were = (
        ("the one core", "of it was") if cores == 1 else (f"each of {cores} cores", "of them were")
    )
    return (
        f"What {who} did over {samples[-1].at_s:.0f} seconds: "
        f"on average {busy:.1f} {were} busy.{workers}"
    )


def core_rows(cores: int) -> list[tuple[int, int]]:
    """First and last core of each row."""
    each = -(-cores // MOST_ROWS)
    return [(first, min(first + each, cores) - 1) for first in range(0, cores, each)]


def core_name(first: int, last: int) -> str:
    """Name a row by its cores."""
    return f"core {first}" if first == last else f"cores {first}–{last}"


def core_areas(
    times: Sequence[float],
    cores: Sequence[Shares],
    rows: Sequence[tuple[int, int]],
    first_axis: int,
) -> list[Trace]:
    """User, system and wait as stacked areas, each row on a y axis of its own from that one on."""
    traces: list[Trace] = []
    for row, (first, last) in enumerate(rows):
        for part, (name, colour, pattern) in enumerate(PARTS):
            shares = [round(100 * share, 1) for share in _shares(cores, part, first, last)]
            plot = f"xy{nth(first_axis + row)}"
            traces.append(
                line(name, times, shares, colour, width=0, group=name, legend=row == 0, plot=plot)
                | {
                    "stackgroup": f"row{row}",
                    "fillcolor": colour,
                    "fillpattern": {"shape": pattern, "fillmode": "overlay", "size": 6},
                }
            )
    return traces


def _shares(cores: Sequence[Shares], part: int, first: int, last: int) -> list[float]:
    """Share of a row's cores together, over time."""
    sums = (sum(core[part] for core in each[first : last + 1]) for each in cores)
    return [round(whole / (last - first + 1), 3) for whole in sums]


def core_axis(row: tuple[int, int], low: float, high: float) -> Axis:
    """Make the y axis of a row, between these fractions of the figure's height."""
    ticks = {"tickvals": [50], "ticktext": [core_name(*row)], "ticks": ""}
    return {"domain": [low, high], "range": [0, 100], **ticks}


def nth(axis: int) -> str:
    """The number after an axis's letter: the first has none."""
    return str(axis) if axis > 1 else ""
