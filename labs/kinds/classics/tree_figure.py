"""S3's process tree drawn and told: its figures beside those of ours."""

from collections.abc import Iterator

from labs.kinds.classics import published
from labs.kinds.classics.record import Replication
from labs.present.palette import BLUE, ORANGE
from labs.present.plot import NAMES, Figure, layout, part
from labs.present.tables import Table
from labs.records.format import digits, duration, percent

NONE = "–"
QUOTED = "quoted, not measured"


def tree_figure(found: Replication) -> Figure:
    """User and system time of the server and of ab, theirs and ours."""
    run, rows = found.run, []
    for tree in published.S3_TREES:
        rows.append((f"S3: Apache, {tree.machine}", tree.user_fraction))
    rows += [("ours: Apache", run.user_share("server"))] if run.tree("server") else []
    rows.append(("S3: ab", published.S3_TREES[0].ab_user_fraction))
    rows += [("ours: ab", run.user_share("generator"))] if run.tree("generator") else []
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
    run = found.run
    if not run.processes:
        return
    first, _ = published.S3_TREES
    yield (
        f"In the kernel Apache spends {percent(1 - run.user_share('server'))} of its CPU time "
        f"here, and spent {percent(1 - first.user_fraction)} in S3; ab "
        f"{percent(1 - run.user_share('generator'))} and "
        f"{percent(1 - first.ab_user_fraction)}."
    )


def tree_table(found: Replication) -> Table:
    """A row for each of S3's numbers. What this machine does not tell is quoted, and said so."""
    run, cores = found.run, found.machine.cores
    tried = next((each for each in run.tries if not each.missing), None)
    head = ["", *(f"S3, {tree.machine}, {tree.cores} cores" for tree in published.S3_TREES)]
    head.append(f"ours, {cores} cores")
    if tried is None or not run.processes:
        why = run.tries[0].missing or "not measured"
        return Table(tuple(head), (("the server's tree", NONE, NONE, why),))
    server = run.cpu_s("server")
    each_s, ab_s = server / tried.requests, run.cpu_s("generator") / tried.requests
    ab_on_core = run.cpu_s("generator") / tried.seconds
    intel, amd = trees = published.S3_TREES
    on_cpu = digits(server / tried.seconds / cores)
    faults = digits(run.minor_faults("server") / tried.requests, 2)
    their_faults = digits(published.S3_MINOR_FAULTS / published.S3_REQUESTS, 2)
    processes = (str(published.S3_PROCESSES),) * 2
    rows: list[tuple[str, ...]] = [
        ("processes", *processes, str(len(run.tree("server")))),
        (
            "user / system time",
            *(_split(each.user_fraction) for each in trees),
            _split(run.user_share("server")),
        ),
        ("On_Core", digits(intel.on_core), digits(amd.on_core), digits(server / tried.seconds)),
        ("On_CPU", digits(intel.on_cpu), digits(amd.on_cpu), on_cpu),
        ("CPU a request", *(duration(each.each_s) for each in trees), duration(each_s)),
        ("minor faults a request", their_faults, NONE, faults),
        (
            "requests per second",
            *(digits(each.rps) for each in trees),
            digits(tried.throughput_rps),
        ),
        ("ab: On_Core", *(digits(each.ab_on_core) for each in trees), digits(ab_on_core)),
        ("ab: CPU a request", *(duration(each.ab_each_s) for each in trees), duration(ab_s)),
        (
            "ab: user / system time",
            *(_split(each.ab_user_fraction) for each in trees),
            _split(run.user_share("generator")),
        ),
        ("instructions a cycle", digits(intel.ipc), digits(amd.ipc), QUOTED),
        ("front-end stalls", f"{digits(100 * published.S3_FRONT_END_STALLS)} %", NONE, QUOTED),
    ]
    return Table(tuple(head), tuple(rows))


def _split(user: float) -> str:
    return f"{digits(100 * user)} / {digits(100 * (1 - user))} %"
