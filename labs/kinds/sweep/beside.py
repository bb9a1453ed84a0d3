"""Two runs of one sweep on machines with different numbers of cores, in units that compare: for
each core, and beside what a lone user got. Pure."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec
from markupsafe import Markup

from labs.kinds.sweep.record import Recording
from labs.present.tables import Table
from labs.records.format import cores, digits, plain
from labs.records.results import Point

PER_CORE = "req/s per core"
NOTE = (
    "Machines with different numbers of cores, so per core; and as a multiple of what one user "
    "got, so that it doesn't matter whose cores are faster: 1 a core is all that cores can give."
)


def as_if_on(recording: Recording, cores: int) -> Recording:
    """Its users and throughputs per core, times so many cores. Response times are what they were:
    so many users a core wait as long on any number of cores."""
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
    """The two in one table, where their machines have different numbers of cores; else nothing."""
    return table([("", found, recorded)])


def table(parts: list[tuple[str, Recording, Recording]]) -> Markup:
    """The same for several, each with its label; a lone one needs none."""
    _, found, recorded = parts[0]
    here, there = found.machine.cores, recorded.machine.cores
    if here == there:
        return Markup("")
    labels = len(parts) > 1
    shown = side_by_side(there, "users", PER_CORE, "of one user's, per core")
    head = ("part",) * labels + shown
    main = ("part",) * labels + (shown[0], *(() if labels else shown[1:2]), *shown[2:4])
    rows = [
        (label,) * labels + _row(found, recorded, *pair)
        for label, found, recorded in parts
        for pair in paired(found, recorded)
    ]
    return framed(here, there, Table(head, tuple(rows), NOTE, main))


def side_by_side(there: int, *what: str) -> tuple[str, ...]:
    """Heads of pairs of columns: what was measured here, and on so many cores."""
    return tuple(f"{each}{side}" for each in what for side in (", here", f", on {cores(there)}"))


def framed(here: int, there: int, shown: Table) -> Markup:
    """A table that sets a run on `here` cores beside the recorded one, under its title."""
    title = f"Beside the recorded run: {cores(here)} here, {cores(there)} there"
    frame = '<details class="wt-data" open><summary>{}</summary>{}</details>'
    return Markup(frame).format(title, shown.html())


def _row(found: Recording, recorded: Recording, here: Point, there: Point) -> tuple[str, ...]:
    both = ((found, here), (recorded, there))
    return (
        str(here.users),
        str(there.users),
        *(plain(point.throughput_rps / of.machine.cores, 3) for of, point in both),
        *(_of_one(of, point) for of, point in both),
    )


def _of_one(recording: Recording, point: Point) -> str:
    """Throughput over a lone user's, for each core; nothing where nobody was alone."""
    alone = recording.points[0]
    if alone.users != 1 or not alone.throughput_rps:
        return ""
    return digits(point.throughput_rps / alone.throughput_rps / recording.machine.cores, 2)
