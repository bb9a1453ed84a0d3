"""What benches say of a level: how far its throughput is from what was said of it.

Forecast and bound are made before the load starts. The explanation uses the demand measured in
the level itself: that is consistency, and no prediction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from labs.analysis.point import half_width
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import columns
from labs.records.experiment import Workload
from labs.records.results import Point
from labs.theory.forecast import explain

CPU, WAIT = Workload(cpu_s=0.03), Workload(wait_s=0.2)
MIXED = Workload(cpu_s=0.01, wait_s=0.09)
Column = tuple[str, Callable[[Point], str]]  # its head, and what it says of a point

# What the machine did, and not the instrument: checks, told or unfit, that name it. Noise is
# judged before the load, by burns that should be equal: such a machine has no speed to forecast.
# The speed of the cores is burned again around each window, and not read from the miss.
DISTURBED = (
    *("load generator", "others", "steal", "page", "throttled", "affinity", "noise"),
    *("core speed", "unsteady cores"),
)
# What a window was too short for: requests that vary much are known to a few percent only.
BLURRED = ("few", "interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One level: throughput over what was said of it, minus one."""

    point: Point
    work: str
    forecast: float
    at_speed: float  # the forecast for the speed that the cores had meanwhile
    consistency: float
    covered: bool  # the forecast lies inside the measurement's 95 % interval
    above: bool  # the measurement's interval lies wholly above the bound's
    inside: bool  # the forecast's band holds the measurement
    half: float  # of the band's width, over the forecast

    @property
    def disturbed(self) -> list[str]:
        """Name the checks that say what the machine did meanwhile."""
        return [check.name for check in self.point.checks if check.name in DISTURBED]

    @property
    def failed(self) -> list[str]:
        """Name the checks that make the level unfit."""
        return [check.name for check in self.point.checks if check.unfit]

    @property
    def blurred(self) -> list[str]:
        """Say why the level's throughput is not known well enough to judge a forecast by."""
        return [name for name in self.failed if name in BLURRED]

    @property
    def counts(self) -> bool:
        """Whether the goals hold for the level."""
        return not self.disturbed and not self.blurred

    @property
    def sharp(self) -> bool:
        """Whether the level can judge the band, since its own interval is no wider."""
        return half_width(self.point) <= self.half


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure of some levels, and what it should be."""

    figure: str
    of: Callable[[Sequence[Row]], float]
    limit: float
    waits: float | None = None  # where requests only wait, if that has a limit of its own
    least: bool = False  # it is to be at least that, else at most
    all_work: bool = False  # also where requests only wait, or fetch a file

    @property
    def head(self) -> str:
        return f"{self.figure} {'≥' if self.least else '≤'} {self.limit:g} %"

    def said(self, found: Sequence[Row], work: str) -> str:
        """Say the figure, with a mark where it misses the goal."""
        value = round(100 * self.of(found), 1)
        waits = self.waits if work == WAITS else None
        limit = self.limit if waits is None else waits
        met = value >= limit if self.least else abs(value) <= limit
        missed = not met and (self.all_work or work in GOALS_FOR or waits is not None)
        sign = "+" if self.figure in ("bias", "worst") else ""
        return f"{value:{sign}.1f} %{'!' if missed else ' '}"


GOALS_FOR, WAITS = ("CPU only", "mixed"), "waits only"
GOALS = (
    # Of the errors at the speed of the run: the mean, with its sign, and the median of their sizes.
    Goal("bias", lambda rows: fmean(row.at_speed for row in rows), 1),
    Goal("median", lambda rows: median(abs(row.at_speed) for row in rows), 2),
    # The largest error of the forecast as it was stored, with its sign.
    Goal("worst", lambda rows: max((row.forecast for row in rows), key=abs), 10),
    # Shares of the levels: what a `Row` says of itself.
    Goal("coverage", lambda rows: fmean(row.covered for row in rows), 80, least=True),
    Goal("above", lambda rows: fmean(row.above for row in rows), 2.5, all_work=True),
    Goal("fit", lambda rows: fmean(row.point.fit for row in rows), 95, least=True, all_work=True),
    Goal("inside", lambda rows: fmean(row.inside for row in rows), 85, least=True, all_work=True),
    # The median of half the band's width.
    Goal("half", lambda rows: median(row.half for row in rows), 6, waits=2),
)


def work_of(workload: Workload) -> str:
    """Name the kind of work, as forecasts differ in how hard it is."""
    if workload.page == "file":
        return "file"
    if not workload.cpu_s:
        return WAITS
    return "mixed" if workload.wait_s else "CPU only"


def rows(recording: Recording) -> list[Row]:
    """Set a recording's levels beside forecast, bound and explanation."""
    forecast, explanation = recording.run.forecast, explain(recording.model, recording.points)
    model = recording.model
    made = []
    for point in recording.points:
        level, rps = forecast.at(point.users), point.throughput_rps
        meanwhile = model.at_speed(point.users, point.core_speed or 1.0)
        (low, high), most = point.throughput_ci_rps, level.bound_ci_rps or (level.bound_rps,)
        band = level.band_rps or (level.model_rps, level.model_rps)
        made.append(
            Row(
                point=point,
                work=work_of(recording.experiment.workload),
                forecast=rps / level.model_rps - 1,
                at_speed=rps / meanwhile.model_rps - 1,
                consistency=rps / explanation.at(point.users).model_rps - 1,
                covered=low <= level.model_rps <= high,
                above=low > most[-1],
                inside=band[0] <= rps <= band[1],
                half=(band[1] - band[0]) / 2 / level.model_rps,
            )
        )
    return made


def shown(name: str, found: Sequence[Row], more: Sequence[Column] = ()) -> str:
    """Make a table for the terminal, with more columns before that of the checks."""
    heads = [head for head, _ in more]
    table = [["users", "req/s", "forecast", "band", "at speed", "consistent", *heads, "checks"]]
    table += [
        [
            str(row.point.users),
            f"{row.point.throughput_rps:.1f}",
            f"{row.forecast:+.1%}",
            f"± {row.half:.1%}" + " out" * (not row.inside),
            f"{row.at_speed:+.1%}",
            f"{row.consistency:+.1%}",
            *(say(row.point) for _, say in more),
            " ".join(c.name + "!" * c.unfit for c in row.point.checks),
        ]
        for row in found
    ]
    return f"\n{name}\n{columns(table)}"


def by_work(found: Sequence[Row]) -> str:
    """Say how good the forecasts are, for each kind of work and with one user apart; beside each
    figure its goal, which holds for levels that the machine left alone and that were measured for
    long enough, as much as requests vary.

    All of these count, fit or not: a forecast that was missed so far that the level is unfit was
    missed. What the machine did and where the instrument failed are counted below. *Sharp* are
    those of the first whose own interval is no wider than the band: the others can't judge it.
    """
    counted_in = [row for row in found if row.counts]
    table = [["", "levels", *(goal.head for goal in GOALS), ""]]
    sharp = [row for row in counted_in if row.sharp]
    for title, counted in (("left alone", counted_in), ("sharp", sharp), ("all", found)):
        for work, rows_of in _groups(counted).items():
            told = [goal.said(rows_of, work.removesuffix(ALONE)) for goal in GOALS]
            table.append([f"{work}, {title}", str(len(rows_of)), *told, ""])
    lines = [
        _told("disturbed by the machine", found, lambda row: row.disturbed),
        _told("measured for too short a time", found, lambda row: row.blurred),
        _told("left alone, and the instrument failed", counted_in, lambda row: row.failed),
    ]
    return "\n".join([columns(table), *lines])


ALONE = ", 1 user"


def _groups(found: Sequence[Row]) -> dict[str, list[Row]]:
    """Group levels by kind of work, those of one user apart, and all together."""
    groups: dict[str, list[Row]] = {}
    for row in sorted(found, key=lambda row: (row.point.users == 1, row.work)):
        groups.setdefault(row.work + ALONE * (row.point.users == 1), []).append(row)
    return {**groups, "any work": list(found)} if found else {}


def _told(what: str, found: Sequence[Row], why: Callable[[Row], list[str]]) -> str:
    """Count the levels that something is true of, and each reason, the commonest first."""
    reasons = [why(row) for row in found]
    counts = Counter(name for names in reasons for name in names).most_common()
    told = ", ".join(f"{name} {count}" for name, count in counts)
    return f"{what}: {sum(map(bool, reasons))} of {len(found)} levels" + f" ({told})" * bool(told)


def sizes(title: str, errors: Sequence[float]) -> str:
    """Say the median and the worst of errors' sizes, in a line."""
    if not errors:
        return f"{title:<34} no level"
    found = [abs(error) for error in errors]
    return f"{title:<34} median {median(found):6.1%}   worst {max(found):6.1%}"
