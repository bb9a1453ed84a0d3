"""S3's process tree drawn and told: its figures beside those of ours."""

from collections.abc import Iterator
from dataclasses import replace

from labs.kinds.classics.published import S3_TREES, Tree
from labs.kinds.classics.record import Replication
from labs.kinds.show import Column, tabled, two_digits
from labs.present.palette import BLUE, ORANGE
from labs.present.plot import NAMES, Figure, layout, part
from labs.present.tables import Table
from labs.records.format import digits, duration, percent

QUOTED = "quoted, not measured"


def own_tree(found: Replication) -> Tree | None:
    """The same profile of this machine; None where no process was recorded."""
    run, cores = found.run, found.machine.cores
    tried = next((each for each in run.tries if not each.missing), None)
    if tried is None or not run.processes:
        return None
    server, ab = run.cpu_s("server") / tried.seconds, run.cpu_s("generator") / tried.seconds
    return Tree(
        machine="ours",
        cores=cores,
        processes=len(run.tree("server")),
        user_fraction=run.user_share("server"),
        on_core=server,
        on_cpu=server / cores,
        each_s=run.cpu_s("server") / tried.requests,
        minor_faults=run.minor_faults("server") / tried.requests,
        rps=tried.throughput_rps,
        ab_user_fraction=run.user_share("generator"),
        ab_on_core=ab,
        ab_each_s=run.cpu_s("generator") / tried.requests,
    )


def tree_figure(found: Replication) -> Figure:
    """User and system time of the server and of ab, theirs and ours."""
    ours, first = own_tree(found), S3_TREES[0]
    rows = [(f"S3: Apache, {tree.machine}", tree.user_fraction) for tree in S3_TREES]
    rows += [("ours: Apache", ours.user_fraction)] if ours else []
    rows.append(("S3: ab", first.ab_user_fraction))
    rows += [("ours: ab", ours.ab_user_fraction)] if ours else []
    labels, users = [label for label, _ in rows], [100 * user for _, user in rows]
    rest, hover = [100 - each for each in users], "{y}: {x:.0f} %"
    user = part("user time", labels, users, BLUE, pattern="", hover=hover)
    system = part("system time", labels, rest, ORANGE, pattern="/", hover=hover)
    made = layout(
        44 * len(rows) + 120,
        {"t": 16, "b": 88, "r": 12},
        -0.25,
        barmode="stack",
        xaxis={"title": {"text": "% of the tree's CPU time"}, "range": [0, 100]},
        yaxis={"autorange": "reversed", "automargin": True, **NAMES},
    )
    made["legend"]["traceorder"] = "normal"
    return {"data": [user, system], "layout": made}


def tree_said(found: Replication) -> Iterator[str]:
    """The verdict, a sentence each."""
    ours, first = own_tree(found), S3_TREES[0]
    if ours:
        yield (
            f"In the kernel Apache spends {percent(1 - ours.user_fraction)} of its CPU time "
            f"here, and spent {percent(1 - first.user_fraction)} in S3; ab "
            f"{percent(1 - ours.ab_user_fraction)} and {percent(1 - first.ab_user_fraction)}."
        )


def _split(user: float) -> str:
    return f"{digits(100 * user)} / {digits(100 * (1 - user))} %"


ROWS = (
    Column(head="", of=lambda tree: f"{tree.machine}, {tree.cores} cores"),
    Column(head="processes", of="processes"),
    Column(head="user / system time", of=lambda tree: _split(tree.user_fraction)),
    Column(head="On_Core", of="on_core", cell=digits),
    Column(head="On_CPU", of="on_cpu", cell=digits),
    Column(head="CPU a request", of="each_s", cell=duration),
    Column(head="minor faults a request", of="minor_faults", cell=two_digits),
    Column(head="requests per second", of="rps", cell=digits),
    Column(head="ab: On_Core", of="ab_on_core", cell=digits),
    Column(head="ab: CPU a request", of="ab_each_s", cell=duration),
    Column(head="ab: user / system time", of=lambda tree: _split(tree.ab_user_fraction)),
    Column(head="instructions a cycle", of="ipc", cell=digits),
    Column(head="front-end stalls", of="stalls", cell=lambda part: f"{digits(100 * part)} %"),
)


def tree_table(found: Replication) -> Table:
    """A row for each of S3's numbers. What this machine does not tell is quoted, and said so."""
    ours = own_tree(found)
    theirs = [replace(tree, machine=f"S3, {tree.machine}") for tree in S3_TREES]
    table = tabled(ROWS, [*theirs, *([ours] if ours else [])]).turned()
    rows = tuple((*row[:-1], row[-1] or QUOTED) for row in table.rows)
    return replace(table, rows=rows) if ours else table
