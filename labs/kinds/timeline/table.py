"""A timeline's numbers as tables: a row for each step, and the processes of both trees."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from labs.kinds.timeline import verdict
from labs.kinds.timeline.record import Timeline, TimelineRun
from labs.present.tables import Table, link
from labs.records.format import digits, paragraphs, percent, plain, table
from labs.records.processes import Process, Who
from labs.records.steps import KILL, Step

MS = 1000
CORES_SHOWN = 8  # columns of their own; a table has no room for more
WHOLE = 0.98  # of the run: who was there for so long was there all the time
NAMES: dict[Who, str] = {"server": "server", "generator": "load generator"}


def steps_sheet(timeline: Timeline) -> Table:
    """A row for each step that was walked."""
    run = timeline.run
    cores = min(CORES_SHOWN, timeline.machine.logical_cores)
    head = (
        *("step", "load", "s", "came/s", "req/s", "from", "to", "forecast req/s", "mean ms"),
        *("under way at its end", "workers at its end", "cores busy: server"),
        *("load generator", *(f"core {core} %" for core in range(cores)), "failed", "to know"),
    )
    rows = []
    for number, each in enumerate(run.stretches):
        step, begin_s = timeline.steps[number], timeline.begins_s[number]
        low, high = each.throughput_ci_rps
        busy = [plain(100 * core) for core in each.cores[:cores]]
        rows.append(
            (
                str(number + 1),
                step.load + _also(step),
                plain(each.seconds),
                plain(each.begun / each.seconds),
                plain(each.throughput_rps),
                plain(low),
                plain(high),
                plain(run.expected_rps(begin_s, begin_s + step.seconds)),
                plain(each.mean_response_time_s * MS),
                str(each.in_flight),
                "" if each.workers is None else str(each.workers),
                plain(each.server_cpu),
                plain(each.generator_cpu),
                *(busy + [""] * (cores - len(busy))),
                str(each.failed),
                " ".join(("Unfit: " if c.unfit else "") + c.sentence for c in each.checks),
            )
        )
    return Table(head, tuple(rows))


def process_sheet(run: TimelineRun) -> Table:
    """A row for each process that was seen."""
    head = (
        *("tree", "process", "parent", "from s", "lived s", "user s", "system s"),
        *("minor faults", "major faults"),
    )
    rows = tuple(
        (
            NAMES[each.who],
            str(each.pid),
            str(each.parent),
            f"{each.began_s:.2f}",
            f"{each.lived_s:.2f}",
            f"{each.user_s:.3f}",
            f"{each.system_s:.3f}",
            _counted([each.minor_faults]),
            _counted([each.major_faults]),
        )
        for each in run.processes
    )
    return Table(head, rows)


def words(timeline: Timeline) -> str:
    """What stands under the figure: what happened, whether the forecast held, who worked."""
    run = timeline.run
    parts = []
    if run.happenings:
        items = "".join(
            f"<li>At {digits(each.at_s)} s: {html.escape(each.words)}</li>"
            for each in run.happenings
        )
        parts.append(f"<ul>{items}</ul>")
    parts.append(paragraphs(verdict.verdict(timeline)))
    said = f'<div class="wt-verdict">{"".join(parts)}</div>'
    return said + (_processes(timeline) if run.processes else "")


def _processes(timeline: Timeline) -> str:
    """Both trees, alike processes in one row, and every one as a file."""
    head = (
        *("processes", "how many", "lived, of the run", "user s", "system s", "minor faults"),
        *("major faults", "On_Core", "On_CPU"),
    )
    rows = [row for who in NAMES for row in _tree(timeline, who)]
    name = f"processes-{timeline.machine.cores}-cores.csv"
    everyone = link(name, "text/csv", process_sheet(timeline.run).csv(), "as a file")
    return (
        '<div class="wt-data"><p>The processes of both trees, from the first request to the last. '
        "On_Core is CPU seconds per second, and On_CPU is On_Core over the cores of the machine. "
        f"Every process by itself: {everyone}.</p>{table(head, rows)}</div>"
    )


def _tree(timeline: Timeline, who: Who) -> Iterator[tuple[str, ...]]:
    run, tree, name = timeline.run, timeline.run.tree(who), NAMES[who]
    if not tree:
        return
    whole_s = max(each.lived_s for each in tree)
    pids = {each.pid for each in tree}
    roots = [each for each in tree if each.parent not in pids]
    below = [each for each in tree if each.parent in pids]
    stayed = [each for each in below if each.lived_s >= WHOLE * whole_s]
    came = [each for each in below if each.lived_s < WHOLE * whole_s]
    if below:
        yield _row(f"{name}: master", roots, whole_s)
    if stayed:
        yield _row(f"{name}: workers, there all the time", stayed, whole_s)
    if came:
        yield _row(f"{name}: workers, there for a part of it", came, whole_s)
    cells = _row(f"{name}: the whole tree" if below else name, tree, whole_s)
    yield (*cells[:-2], plain(run.on_core(who)), percent(timeline.on_cpu(who)))


def _row(name: str, group: Sequence[Process], whole_s: float) -> tuple[str, ...]:
    shortest, longest = min(p.lived_s for p in group), max(p.lived_s for p in group)
    lived = percent(longest / whole_s)
    if shortest < WHOLE * longest:
        lived = f"{percent(shortest / whole_s)} to {lived}"
    cpu_s = sum(process.cpu_s for process in group)
    return (
        name,
        str(len(group)),
        lived,
        f"{sum(process.user_s for process in group):.2f}",
        f"{sum(process.system_s for process in group):.2f}",
        _counted([process.minor_faults for process in group]),
        _counted([process.major_faults for process in group]),
        plain(cpu_s / whole_s),
        "",
    )


def _counted(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    return str(sum(known)) if known else ""


def _also(step: Step) -> str:
    return f", {step.do}" if step.do == KILL or step.pool else ""
