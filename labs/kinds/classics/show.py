"""The classic experiments told: the source's figure, the law's and ours, side by side.

Two machines are set side by side by what each did of what the law allows it, so that neither the
number of cores nor the price of a page takes part.
"""

import statistics
from dataclasses import dataclass, replace
from typing import Any, get_args

from labs.analysis.checks import OTHERS_BUSY
from labs.kinds.classics.figure import own_tree, ratios_figure, tree_figure
from labs.kinds.classics.published import S3_TREES, TABLES, Side, Tree
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.show import Column, Measured, Show, known, quoted, tabled, two_digits, two_places
from labs.present import tables
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.plot import Figure
from labs.present.quantities import NoSuchNumber, Quantity
from labs.records.format import NARROW, digits, duration, percent, plain, quotient
from labs.records.processes import Who

QUOTED = "quoted, not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row tried again, beside the source's own and the laws of both machines."""

    tried: Tried
    missing: str
    law_rps: float | None
    ratio: float | None  # of the throughput to that; of S4, to one user's
    printed: str  # requests per second of the source, as it prints them
    source_law_rps: float | None
    source_ratio: float | None


def _row(found: Replication, run: ReplicationRun, tried: Tried) -> Row:
    """That try, with the cores that its whole trees had where they were counted."""
    if run.processes and not tried.missing:
        server, generator = (run.cpu_s(who) / tried.seconds for who in get_args(Who))
        tried = replace(tried, server_cpu=server, generator_cpu=generator)
    source, place = TABLES[found.classic], (tried.setup, tried.users)
    return Row(
        tried=tried,
        missing=tried.missing,
        law_rps=found.law_rps(tried),
        ratio=found.ratio(tried),
        printed=source.printed(*place),
        source_law_rps=source.law_rps(*place, source.cores),
        source_ratio=source.ratio(*place),
    )


def rows(found: Replication) -> list[Row]:
    """A row for each try, for the table of all numbers."""
    return [_row(found, run, tried) for run in found.runs for tried in run.tries]


def row(found: Replication, users: int, by: str = AB, setup: str = "") -> Row:
    """One row, to quote from. KeyError and NoSuchNumber say what there is."""
    tried = found.run.tried(setup, users, by)
    if tried.missing:
        raise NoSuchNumber(f"{users} by {by}: {tried.missing}")
    return _row(found, found.run, tried)


def figure(found: Replication) -> Figure:
    """Over the users, what each did of what the law allows; of S3, user and system time of both
    trees."""
    return tree_figure(found) if found.classic == "s3" else ratios_figure(found)


def under(found: Replication) -> list[Block]:
    """The verdict, and the table."""
    table = tree_table(found) if found.classic == "s3" else show.table(found)
    return [Within(DATA, [Within(SPOKEN, [Said(said(found))]), table])]


def said(found: Replication) -> list[str]:
    """The verdict, a sentence each."""
    missing = dict.fromkeys(each.missing for each in found.run.tries if each.missing)
    sentences = [f"Not measured: {each}." for each in missing]
    cores = found.machine.cores
    if (others := max(each.others_cpu for each in found.run.tries)) > OTHERS_BUSY * cores:
        sentences.append(
            f"Other programs used up to {digits(others, 2)} of the machine's {cores} cores "
            "meanwhile, of which no law knows. Run it again when the machine is quieter."
        )
    if found.classic == "s3":
        return sentences + _of_trees(found)
    whose = [(found.classic.upper(), _of_source(found))]
    whose += [(f"ours by {by}", _ours(found, by)) for by in (AB, LOCUST)]
    for who, ratios in whose:
        if ratios and found.classic != "s4":
            worst = max(ratios, key=lambda ratio: abs(ratio - 1))
            sentences.append(
                f"Of what the law allows, {who} has {two_places(statistics.median(ratios))} in the "
                f"middle row and {two_places(worst)} in the row that is farthest from the law."
            )
        elif ratios:
            most = digits(max(ratios), 2)
            goes = "does not rise above" if most == "1" else f"rises to {most} times"
            sentences.append(
                f"From one user to many, throughput {goes} that of one in {who}, with whichever "
                "of its two servers gained more."
            )
    return sentences


def _of_trees(found: Replication) -> list[str]:
    ours, first = own_tree(found), S3_TREES[0]
    if ours is None:
        return []
    server, ab, first_server, first_ab = (
        percent(1 - side.user_fraction)
        for side in (ours.server, ours.generator, first.server, first.generator)
    )
    return [
        f"In the kernel Apache spends {server} of its CPU time here, and spent {first_server} in "
        f"S3; ab {ab} and {first_ab}."
    ]


def _of_source(found: Replication) -> list[float]:
    """Each row once, also where it stands for two setups."""
    source = TABLES[found.classic]
    ratios = {
        (users, rps): source.ratio(setup, users)
        for setup, rows in source.rows.items()
        for users, rps in rows.items()
    }
    return [ratio for ratio in ratios.values() if ratio is not None]


def _ours(found: Replication, by: str) -> list[float]:
    ratios = (found.ratio(tried) for tried in found.run.by(by))
    return [ratio for ratio in ratios if ratio is not None]


def _split(side: Side) -> str:
    return f"{digits(100 * side.user_fraction)} / {digits(100 * (1 - side.user_fraction))} %"


TREE = (
    Column(head="", of=lambda tree: f"{tree.machine}, {tree.cores} cores"),
    Column(head="listed in the tree", of="processes"),
    Column(head="user / system time", of="server", cell=_split),
    Column(head="On_Core", of="server.on_core", cell=digits),
    Column(head="On_CPU", of="on_cpu", cell=digits),
    Column(head="CPU a request", of="server.each_s", cell=duration),
    Column(head="minor faults a request", of="minor_faults", cell=two_digits),
    Column(head="requests per second", of="rps", cell=digits),
    Column(head="ab: On_Core", of="generator.on_core", cell=digits),
    Column(head="ab: CPU a request", of="generator.each_s", cell=duration),
    Column(head="ab: user / system time", of="generator", cell=_split),
    Column(head="instructions a cycle", of="ipc", cell=digits),
    Column(head="front-end stalls", of="stalls", cell=lambda part: f"{digits(100 * part)} %"),
)


def tree_table(found: Replication) -> tables.Table:
    """A row for each of S3's numbers. What this machine does not tell is quoted, and said so."""
    ours = own_tree(found)
    theirs = [replace(tree, machine=f"S3, {tree.machine}") for tree in S3_TREES]
    table = tabled(TREE, [*theirs, *([ours] if ours else [])]).turned()
    rows = tuple((*row[:-1], row[-1] or QUOTED) for row in table.rows)
    return replace(table, rows=rows) if ours else table


def _ratio(column: type[Column], of: str, law: str, none: str) -> tuple[Column, Column]:
    """A ratio to the law under one head; under the other, where none stands beside the source, to
    one user's throughput."""
    return (
        column(head=law, main=True, of=of, cell=two_places, there=lambda it: it.classic != "s4"),
        column(head=none, main=True, of=of, cell=two_places, there=lambda it: it.classic == "s4"),
    )


def _growth(found: Replication, *asked: Any) -> float:
    """Throughput over that of one user, as both are said."""
    many = row(found, *asked).tried
    one = row(found, 1, many.by, many.setup).tried
    return quotient(many.throughput_rps, one.throughput_rps)


def _tree(found: Replication) -> Tree:
    """The profile of S3's trees on this machine, to quote from."""
    return known(own_tree(found), "No process of the trees was recorded.")


def _side(found: Replication, who: Who = "server") -> Side:
    return _tree(found).server if who == "server" else _tree(found).generator


show = Show(
    result=Replication,
    draw=figure,
    folds=False,
    alt=lambda found: " ".join(said(found)),
    verdict=under,
    rows=rows,
    row=row,
    columns=(
        Column(head="users", main=True, of="tried.users"),
        Column(  # and the setup, where the source has several
            head="by",
            main=True,
            of=lambda row: ", ".join(filter(None, (row.tried.by, row.tried.setup))),
        ),
        Column(head="server", of="tried.server"),
        Measured(head="requests", of="tried.requests"),
        Measured(head="failed", of="tried.failed"),
        Measured(
            head="s",
            of="tried.seconds",
            quote="took",
            said=lambda value: f"{digits(value)}{NARROW}s",
            cell=plain,
        ),
        Measured(head="req/s", of="tried.throughput_rps", quote="throughput"),
        Measured(head="law req/s", of="law_rps", quote="law"),
        *_ratio(Measured, "ratio", "of the law", "over one user"),
        Column(head="source req/s", of="printed"),
        Column(head="its law req/s", of="source_law_rps"),
        *_ratio(Column, "source_ratio", "source: of its law", "source: over one user"),
        Measured(head="mean ms", of="tried.mean_response_time_s"),
        Measured(head="longest ms", of="tried.longest_s", quote="longest"),
        Measured(head="never served", of="tried.never_served"),
        Measured(head="X R / N", of="tried.littles_law", cell=two_places),
        Measured(
            head="generator's cores", of="tried.generator_cpu", quote="generator_cpu", said=percent
        ),
        Measured(head="server's cores", of="tried.server_cpu", quote="server_cpu", said=two_digits),
        Measured(head="server's CPU ms a request", of="tried.server_s"),
        Measured(head="queue overflows", of="tried.overflows", quote="overflows"),
        Measured(head="backlog", of="tried.backlog"),
        Column(head="command", of="tried.command"),
        Column(head="to know", reason=True, of="missing"),
        Column(of="tried.ceiling_rps", quote="ceiling"),  # of one full core of the generator
        Column(of="ratio", quote="ratio", said=two_places),  # to the law
        Column(  # X R: users that were really waiting
            of=lambda row: row.tried.littles_law * row.tried.users,
            quote="in_all",
            said=digits,
        ),
    ),
    quotes={
        # Cores' worth of work.
        "capacity": quoted(lambda found: found.run.capacity[-1], two_places),
        "faults": quoted(lambda found: _tree(found).minor_faults, two_digits),
        "growth": quoted(_growth, two_digits),
        "on_core": quoted(lambda found, *who: _side(found, *who).on_core, digits),
        "processes": quoted(lambda found: _tree(found).processes, str),
        "server": lambda found: Quantity(0, found.run.tries[0].server),
        "system_share": quoted(lambda found, *who: 1 - _side(found, *who).user_fraction, percent),
    },
)
