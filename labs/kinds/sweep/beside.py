"""Two runs of one sweep on machines with different numbers of cores, in units that compare: for
each core, and beside what a lone user got. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from markupsafe import Markup

from labs.kinds.sweep.record import Recording
from labs.present.tables import Table
from labs.records.format import cores, digits, plain
from labs.records.results import Point, Result

PER_CORE = "req/s per core"
NOTE = (
    "Machines with different numbers of cores, so per core; and as a multiple of what one user "
    "got, so that it doesn't matter whose cores are faster: 1 a core is all that cores can give."
)


def as_if_on(recording: Recording, cores: int) -> Recording:
    """Scale a recording's users and throughputs from its cores to so many. Response times are what
    they were: so many users a core wait as long on any number of cores."""
    factor = cores / recording.machine.cores

    def moved(point: Point) -> Point:
        low, high = point.throughput_ci_rps
        return replace(
            point,
            users=round(point.users * factor),
            throughput_rps=point.throughput_rps * factor,
            throughput_ci_rps=(low * factor, high * factor),
        )

    runs = tuple(replace(run, points=tuple(map(moved, run.points))) for run in recording.runs)
    return msgspec.structs.replace(recording, runs=runs)


def paired(found: Recording, recorded: Recording) -> Iterator[tuple[Point, Point]]:
    """The levels that belong together, from few users to many. They are paired from the last: on
    more cores there may be one more, after a lone user's."""
    pairs = zip(reversed(found.points), reversed(recorded.points), strict=False)
    yield from reversed(list(pairs))


def beside(found: Recording, recorded: Recording) -> Markup:
    """Put two runs of machines with different numbers of cores in one table; else nothing."""
    return parts_beside([("", found, recorded)])


def parts_beside(parts: Sequence[tuple[str, Recording, Recording]]) -> Markup:
    """Put pairs of runs in one table, each with its label; a lone one needs none."""
    labels = len(parts) > 1
    rows = [
        ((label,) * labels, (found, here), (recorded, there))
        for label, found, recorded in parts
        for here, there in paired(found, recorded)
    ]
    _, found, recorded = parts[0]
    return table(found, recorded, ("part",) * labels, COLUMNS, rows, NOTE)


def table(
    found: Result,
    recorded: Result,
    first: tuple[str, ...],
    columns: Sequence[tuple[str, Callable[[Any], str]]],
    rows: Iterable[tuple[tuple[str, ...], Any, Any]],
    note: str = "",
) -> Markup:
    """Put a run beside the recorded one of another number of cores, under its title; else nothing.
    rows: what stands in the `first` columns, and what each other column says of on either side."""
    here, there = found.machine.cores, recorded.machine.cores
    if here == there:
        return Markup("")
    sides = (", here", f", on {cores(there)}")
    head = (*first, *(f"{what}{side}" for what, _ in columns for side in sides))
    main = (*head[:2], *head[3:5]) if first else head[:4]
    cells = tuple((*own, *(say(at) for _, say in columns for at in both)) for own, *both in rows)
    title = f"Beside the recorded run: {cores(here)} here, {cores(there)} there"
    frame = '<details class="wt-data" open><summary>{}</summary>{}</details>'
    return Markup(frame).format(title, Table(head, cells, note, main).html())


def _of_one(at: tuple[Recording, Point]) -> str:
    """Throughput over a lone user's, for each core; nothing where nobody was alone."""
    recording, point = at
    alone = recording.points[0]
    if alone.users != 1 or not alone.throughput_rps:
        return ""
    return digits(point.throughput_rps / alone.throughput_rps / recording.machine.cores, 2)


COLUMNS = (  # of a recording and a level of it
    ("users", lambda at: str(at[1].users)),
    (PER_CORE, lambda at: plain(at[1].throughput_rps / at[0].machine.cores, 3)),
    ("of one user's, per core", _of_one),
)
