"""The classic experiments drawn and told: the source's figure, the law's and ours, side by side.

Two machines are set side by side by what each did of what the law allows it, so that neither the
number of cores nor the price of a page takes part.
"""

import statistics
from dataclasses import dataclass, replace
from typing import get_args

from labs.analysis.checks import OTHERS_BUSY
from labs.kinds.classics import published
from labs.kinds.classics.figure import ratios_figure
from labs.kinds.classics.published import TABLES, Printed, Tree
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.classics.tree_figure import own_tree, tree_figure, tree_said, tree_table
from labs.kinds.show import Column, Measured, Show, known, quoted, two_digits, two_places
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.plot import Figure
from labs.present.quantities import NoSuchNumber, Quantity
from labs.records.format import NARROW, digits, percent, plain, quotient, rate
from labs.records.processes import Who


@dataclass(frozen=True, slots=True)
class Row:
    """One row tried again, beside the source's own and the laws of both machines."""

    found: Replication
    tried: Tried
    source: published.Table | None
    printed: Printed | None

    @property
    def missing(self) -> str:
        return self.tried.missing

    @property
    def ratio(self) -> float | None:
        return self.found.ratio(self.tried)

    @property
    def growth(self) -> float:
        """Throughput over that of one user, as both are said."""
        one = row(self.found, 1, self.tried.by, self.tried.setup).tried
        return quotient(self.tried.throughput_rps, one.throughput_rps)

    def law_rps(self, cores: int) -> float | None:
        tried, source = self.tried, self.source
        return source.law_rps(tried.setup, tried.users, cores) if source else None


def _row(found: Replication, run: ReplicationRun, tried: Tried) -> Row:
    """That try, with the cores that its whole trees had where they were counted."""
    if run.processes and not tried.missing:
        server, generator = (run.cpu_s(who) / tried.seconds for who in get_args(Who))
        tried = replace(tried, server_cpu=server, generator_cpu=generator)
    source = TABLES.get(found.classic)
    there = source.rows if source else ()
    same = (each for each in there if (each.setup, each.users) == (tried.setup, tried.users))
    return Row(found, tried, source, next(same, None))


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
        return sentences + list(tree_said(found))
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
            sentences.append(f"From one user to many, throughput {goes} that of one in {who}.")
    return sentences


def _of_source(found: Replication) -> list[float]:
    """Each row once, also where it stands for two setups."""
    source = TABLES[found.classic]
    ratios = {(row.users, row.throughput_rps): source.ratio(row) for row in reversed(source.rows)}
    return [ratio for ratio in ratios.values() if ratio is not None]


def _ours(found: Replication, by: str) -> list[float]:
    ratios = (found.ratio(tried) for tried in found.run.by(by))
    return [ratio for ratio in ratios if ratio is not None]


def _by(row: Row) -> str:
    """The load generator, and the setup where the source has several."""
    return ", ".join(filter(None, (row.tried.by, row.tried.setup)))


def _theirs(row: Row) -> float | None:
    """The source's throughput over what the law allows; of S4, over that of one user."""
    return row.source.ratio(row.printed) if row.source and row.printed else None


def _has_none(found: Replication) -> bool:
    """Whether no law stands beside the source, so that rows are held against one user's."""
    return found.classic == "s4"


def _has_law(found: Replication) -> bool:
    return not _has_none(found)


def _tree(found: Replication) -> Tree:
    """The profile of S3's trees on this machine, to quote from."""
    return known(own_tree(found), "No process of the trees was recorded.")


def _on_core(found: Replication, who: Who = "server") -> float:
    """CPU seconds of that tree for each second."""
    return _tree(found).on_core if who == "server" else _tree(found).ab_on_core


def _system_share(found: Replication, who: Who = "server") -> float:
    """Part of the tree's CPU time in the kernel."""
    tree = _tree(found)
    return 1 - (tree.user_fraction if who == "server" else tree.ab_user_fraction)


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
        Column(head="by", main=True, of=_by),
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
        Measured(
            head="law req/s",
            of=lambda row: row.law_rps(row.found.machine.cores),
            quote="law",
            said=rate,
            cell=plain,
        ),
        Measured(head="of the law", main=True, of="ratio", cell=two_places, there=_has_law),
        Measured(head="over one user", main=True, of="ratio", cell=two_places, there=_has_none),
        Column(head="source req/s", of=lambda row: row.printed and row.printed.said),
        Column(head="its law req/s", of=lambda row: row.source and row.law_rps(row.source.cores)),
        Column(head="source: of its law", main=True, of=_theirs, cell=two_places, there=_has_law),
        Column(
            head="source: over one user", main=True, of=_theirs, cell=two_places, there=_has_none
        ),
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
        Column(of="growth", quote="growth", said=two_digits),
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
        "on_core": quoted(_on_core, digits),
        "processes": quoted(lambda found: _tree(found).processes, str),
        "server": lambda found: Quantity(0, found.run.tries[0].server),
        "system_share": quoted(_system_share, percent),
    },
)
