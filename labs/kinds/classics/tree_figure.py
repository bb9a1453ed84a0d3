"""S3's process tree drawn and told: its figures beside those of ours."""

from collections.abc import Iterator, Sequence

from labs.kinds.classics import published
from labs.kinds.classics.record import Replication
from labs.present.palette import BLUE, ORANGE
from labs.present.plot import NAMES, Figure, layout, part
from labs.records.format import digits, duration, percent

NONE = "–"
QUOTED = "quoted, not measured"


def tree_figure(found: Replication) -> Figure:
    """User and system time of the server and of ab, theirs and ours."""
    run, rows = found.run, []
    for tree in published.S3_TREES:
        rows.append((f"S3: Apache, {tree.machine}", tree.user_fraction))
    rows += [("ours: Apache", run.user_share("server"))] if run.tree("server") else []
    rows.append(("S3: ab", published.S3_AB_USER_FRACTION))
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
        f"{percent(1 - published.S3_AB_USER_FRACTION)}."
    )


def tree_table(found: Replication) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """A row for each of S3's numbers. What this machine does not tell is quoted, and said so."""
    run, cores = found.run, found.machine.cores
    tried = next((each for each in run.tries if not each.missing), None)
    head = ["", *(f"S3, {tree.machine}, {tree.cores} cores" for tree in published.S3_TREES)]
    head.append(f"ours, {cores} cores")
    if tried is None or not run.processes:
        why = run.tries[0].missing or "not measured"
        return head, [("the server's tree", NONE, NONE, why)]
    server = run.cpu_s("server")
    each_s, ab_s = server / tried.requests, run.cpu_s("generator") / tried.requests
    theirs_s = published.S3_CPU_S / published.S3_REQUESTS
    ab_theirs_s = published.S3_AB_ON_CORE * published.S3_AB_SECONDS / (published.S3_REQUESTS / 3)
    intel, amd = published.S3_TREES
    shares = [_split(each) for each in (intel.user_fraction, amd.user_fraction)]
    ab_share = _split(published.S3_AB_USER_FRACTION)
    on_cpu = digits(server / tried.seconds / cores)
    faults = digits(run.minor_faults("server") / tried.requests, 2)
    their_faults = digits(published.S3_MINOR_FAULTS / published.S3_REQUESTS, 2)
    their_rps, rps = digits(published.S3_RPS), digits(tried.throughput_rps)
    rows: list[tuple[str, ...]] = [
        ("processes", str(published.S3_PROCESSES), "about 140", str(len(run.tree("server")))),
        ("user / system time", *shares, _split(run.user_share("server"))),
        ("On_Core", digits(intel.on_core), digits(amd.on_core), digits(server / tried.seconds)),
        ("On_CPU", digits(intel.on_cpu), digits(amd.on_cpu), on_cpu),
        ("CPU a request", duration(theirs_s), NONE, duration(each_s)),
        ("minor faults a request", their_faults, NONE, faults),
        ("requests per second", their_rps, NONE, rps),
        ("ab: On_Core", digits(published.S3_AB_ON_CORE), NONE, digits(tried.generator_cpu)),
        ("ab: CPU a request", duration(ab_theirs_s), NONE, duration(ab_s)),
        ("ab: user / system time", ab_share, NONE, _split(run.user_share("generator"))),
        ("instructions a cycle", digits(intel.ipc), digits(amd.ipc), QUOTED),
        ("front-end stalls", f"{digits(100 * published.S3_FRONT_END_STALLS)} %", NONE, QUOTED),
    ]
    return head, rows


def _split(user: float) -> str:
    return f"{digits(100 * user)} / {digits(100 * (1 - user))} %"
