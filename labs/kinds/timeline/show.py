"""Show of a timeline: a row for each step, the processes of both trees, and the numbers that prose
may quote of the middle run. Steps are counted from 1."""

from collections.abc import Sequence

from markupsafe import Markup

from labs.kinds.show import (
    TREES,
    Column,
    Show,
    known,
    level_by_level,
    quoted,
    three_cores,
    to_know,
    two_digits,
)
from labs.kinds.timeline import verdict
from labs.kinds.timeline.figure import (
    happenings,
    timeline_curves,
    timeline_figure,
    timeline_levels,
    timeline_opening,
)
from labs.kinds.timeline.record import Timeline, WalkedStep
from labs.present.blocks import DATA, VERDICT, Block, Said, Within, brief
from labs.present.levels import Pace
from labs.present.markup import each_in, wide_table
from labs.present.palette import ORANGE
from labs.present.quantities import NoSuchNumber
from labs.records.format import NARROW, digits, percent, plain
from labs.records.processes import Who
from labs.records.steps import KILL

CORES_SHOWN = 8  # columns of their own; a table has no room for more


def _load(step: WalkedStep) -> str:
    done = f", {step.asked.do}" if step.asked.do == KILL or step.asked.pool else ""
    return step.asked.load + done


def _core(number: int) -> Column:
    def busy(row: WalkedStep) -> float | None:
        return 100 * row.found.cores[number] if number < len(row.found.cores) else None

    return Column(
        head=f"core {number} %",
        of=busy,
        there=lambda found: number < found.machine.logical_cores,
    )


COLUMNS = (
    Column(head="step", main=True, of="number"),
    Column(head="load", main=True, of=_load),
    Column(head="s", of="found.seconds", cell=plain),
    Column(head="came/s", of="came_rps", quote="arrived"),
    Column(head="req/s", main=True, of="found.throughput_rps", quote="throughput"),
    Column(head="from", of=lambda row: row.found.throughput_ci_rps[0]),
    Column(head="to", of=lambda row: row.found.throughput_ci_rps[1]),
    Column(head="forecast req/s", of="forecast_rps", quote="forecast"),
    Column(head="mean ms", main=True, of="found.mean_response_time_s", quote="response_time"),
    Column(head="under way at its end", of="found.in_flight", quote="in_flight", said=str),
    Column(head="forecast under way (eight of ten runs)", of=verdict.left_behind),
    Column(head="workers at its end", of="found.workers", quote="workers", said=str),
    Column(head="cores busy: server", of="found.server_cpu", quote="cores_busy", said=three_cores),
    Column(head="load generator", of="found.generator_cpu", quote="generator_busy"),
    *(_core(number) for number in range(CORES_SHOWN)),
    Column(head="failed", of="found.failed", quote="failed", said=str),
    Column(head="to know", reason=True, of=lambda row: to_know(row.found.checks)),
)


MAIN = ("tree", "processes", "user s", "system s")  # of the table of both trees
FOLDED = "On_Core is CPU seconds per second, and On_CPU is that over the machine's cores."


def under(timeline: Timeline) -> list[Block]:
    """Say what happened, whether the forecast held, who worked."""
    happened = each_in("<li>{}</li>", happenings(timeline.run.events))
    listed = each_in("<ul>{}</ul>", [happened] if happened else [])
    first, *rest = verdict.telling_first(timeline)
    said = Within(VERDICT, [listed, *brief([Said([first])], [Said(rest)] if rest else [])])
    return [said, *([_processes(timeline)] if timeline.run.processes else [])]


def _processes(timeline: Timeline) -> Markup:
    """Show both trees, a row each."""
    head = (
        *("tree", "processes", "lived s", "user s", "system s", "minor faults", "major faults"),
        *("On_Core", "On_CPU"),
    )
    rows = [_tree(timeline, who) for who in TREES if timeline.run.tree(who)]
    said = Markup("<p>The processes of both trees, from the first request to the last.</p>")
    return Markup(DATA).format(said + wide_table(head, rows, MAIN, note=FOLDED))


def _tree(timeline: Timeline, who: Who) -> tuple[str, ...]:
    run, tree, below = timeline.run, timeline.run.tree(who), timeline.run.children(who)
    return (
        TREES[who],
        f"{len(tree) - below} and {below} below" if below else str(len(tree)),
        f"{max(process.lived_s for process in tree):.2f}",
        f"{sum(process.user_s for process in tree):.2f}",
        f"{sum(process.system_s for process in tree):.2f}",
        _counted([process.minor_faults for process in tree]),
        _counted([process.major_faults for process in tree]),
        plain(run.on_core(who)),
        percent(timeline.on_cpu(who)),
    )


def _counted(counts: Sequence[int | None]) -> str:
    told = [count for count in counts if count is not None]
    return str(sum(told)) if told else ""


def _busy(timeline: Timeline, step: int, core: int) -> float:
    """Quote the part of a step that a core was busy, by anyone. Cores are counted from 0."""
    busy = timeline.step(step).found.cores
    if not 0 <= core < len(busy):
        raise NoSuchNumber(f"core={core}: there are 0 to {len(busy) - 1}.")
    return busy[core]


def _faults(timeline: Timeline) -> float:
    """Divide minor page faults of the server's tree by the requests that were answered."""
    counted = sum(each.minor_faults or 0 for each in timeline.run.tree("server"))
    return counted / sum(each.completed for each in timeline.run.step_results)


def _seconds_to(timeline: Timeline, workers: int) -> float:
    """Time from the begin of the step in which it happened until so many workers were there."""
    why = f"seconds_to={workers}: there never came so many workers."
    return known(verdict.first_with(timeline, workers), why)[1]


def _line_gone(timeline: Timeline, step: int) -> float:
    """Time from the begin of a step until all who were under way had a worker."""
    begin_s = timeline.step(step).begin_s
    none = (
        each.at_s - begin_s
        for each in timeline.run.time_bins
        if each.at_s > begin_s and each.workers and each.in_flight <= each.workers
    )
    return known(next(none, None), f"line_gone={step}: there was a line to the end.")


show = Show(
    result=Timeline,
    middle_by="throughput over the whole time",
    draw=timeline_figure,
    kept=timeline_curves,
    measured=lambda found: bool(found.run.time_bins),
    alt=level_by_level(timeline_levels, timeline_opening),
    columns=COLUMNS,
    rows=lambda found: found.walked,
    row=Timeline.step,
    quotes={
        # Processes that ever were below the tree's first one, the master.
        "children": quoted(lambda found, tree="server": found.run.children(tree), str),
        "core": quoted(_busy, percent),
        "faults": quoted(_faults, two_digits),
        "line_gone": quoted(_line_gone, lambda value: f"{digits(value, 2)}{NARROW}s"),
        # CPU seconds of a tree per second: cores it kept busy over the whole run.
        "on_core": quoted(lambda found, tree: found.run.on_core(tree), digits),
        "on_cpu": quoted(Timeline.on_cpu, digits),  # the same over the cores of the machine
        "seconds_to": quoted(_seconds_to, lambda value: f"{digits(value, 2)}{NARROW}s"),
        # Of the tree's CPU time, the part in user mode.
        "user_share": quoted(lambda found, tree: found.run.user_share(tree), percent),
    },
    about=lambda found: verdict.about(found.server, found.workload, found.steps),
    verdict=under,
    levels=timeline_levels,
    pace=Pace(each="step", known=(ORANGE,)),  # the forecast's
    concluded=verdict.verdict,
)
