"""The classic experiments drawn and told: the source's figure, the law's and ours, side by side.

Two machines are set side by side by what each did of what the law allows it, so that neither the
number of cores nor the price of a page takes part.
"""

import statistics
from dataclasses import dataclass, replace

from labs.analysis.checks import OTHERS_BUSY
from labs.kinds.classics.figure import ratios_figure
from labs.kinds.classics.published import TABLES, Printed
from labs.kinds.classics.record import AB, LOCUST, Replication, ReplicationRun, Tried
from labs.kinds.classics.tree_figure import tree_figure, tree_said, tree_table
from labs.kinds.show import Column, Measured, Show, known, quoted, two_digits, two_places
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.plot import Figure
from labs.present.quantities import NoSuchNumber, Quantity
from labs.present.tables import Table
from labs.records.format import NARROW, digits, duration, percent, quotient, rate
from labs.records.processes import Who

NONE = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """One row tried again, beside the source's own and the laws of both machines."""

    found: Replication
    tried: Tried

    @property
    def missing(self) -> str:
        return self.tried.missing

    @property
    def printed_rps(self) -> float | None:
        printed = self.found.printed(self.tried.setup, self.tried.users)
        return printed.throughput_rps if printed else None

    @property
    def law_rps(self) -> float | None:
        return self.found.law_rps(self.tried.setup, self.tried.users)

    @property
    def their_law_rps(self) -> float | None:
        source = TABLES.get(self.found.classic)
        return source.law_rps(self.tried.setup, self.tried.users, source.cores) if source else None


def rows(found: Replication) -> list[Row]:
    """Of the table of all numbers."""
    return [Row(found, _counted(run, tried)) for run in found.runs for tried in run.tries]


def _counted(run: ReplicationRun, tried: Tried) -> Tried:
    """A try with the cores that its whole trees had, where they were counted: one value each."""
    if tried.missing or not run.processes:
        return tried
    server, generator = (run.cpu_s(who) / tried.seconds for who in ("server", "generator"))
    return replace(tried, server_cpu=server, generator_cpu=generator)


def row(found: Replication, users: int, by: str = AB, setup: str = "") -> Row:
    """One row, to quote from. KeyError and NoSuchNumber say what there is."""
    tried = found.run.tried(setup, users, by)
    if tried.missing:
        raise NoSuchNumber(f"{users} by {by}: {tried.missing}")
    return Row(found, _counted(found.run, tried))


def figure(found: Replication) -> Figure:
    """Over the users, what each did of what the law allows; of S3, user and system time of both
    trees."""
    return tree_figure(found) if found.classic == "s3" else ratios_figure(found)


def under(found: Replication) -> list[Block]:
    """The verdict, and the table."""
    table = tree_table(found) if found.classic == "s3" else _table(found)
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
    whose = [(found.classic.upper(), _theirs(found))]
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


def _theirs(found: Replication) -> list[float]:
    """Each row once, also where it stands for two setups."""
    source = TABLES[found.classic]
    ratios = {(row.users, row.throughput_rps): source.ratio(row) for row in reversed(source.rows)}
    return [ratio for ratio in ratios.values() if ratio is not None]


def _ours(found: Replication, by: str) -> list[float]:
    ratios = (found.ratio(tried) for tried in found.run.by(by))
    return [ratio for ratio in ratios if ratio is not None]


def _table(found: Replication) -> Table:
    """A row for each of the source's, and the columns that matter."""
    source, name = TABLES[found.classic], found.classic.upper()
    several = len({row.setup for row in source.rows}) > 1
    flat = found.classic == "s4"
    scale = "over one user" if flat else "of the law"
    main = ("setup", "users", *(f"{who}: {scale}" for who in (name, "ab", "Locust")))
    head = [
        *(["setup"] if several else []),
        *("users", f"{name}, {source.cores} cores: req/s"),
        *([] if flat else ["its law"]),
        main[2],
        *([] if flat else ["our law"]),
        *(f"ours, {found.machine.cores} cores: ab", main[3], "ab's cores"),
        *("Locust", main[4], "Locust's cores"),
    ]

    def law(row: Printed, cores: int) -> list[str]:
        return [] if flat else [_shown(source.law_rps(row.setup, row.users, cores))]

    rows = tuple(
        (
            *([row.setup or "long listen queue"] if several else []),
            *(str(row.users), _range(row)),
            *law(row, source.cores),
            _times(source.ratio(row)),
            *law(row, found.machine.cores),
            *_cells(found, row, AB),
            *_cells(found, row, LOCUST),
        )
        for row in source.rows
    )
    return Table(tuple(head), rows, main=main)


def _cells(found: Replication, row: Printed, by: str) -> tuple[str, str, str]:
    try:
        tried = found.run.tried(row.setup, row.users, by)
    except KeyError:
        return NONE, NONE, NONE
    if tried.missing:
        return tried.missing, NONE, NONE
    ratio = _times(found.ratio(tried))
    return digits(tried.throughput_rps), ratio, digits(tried.generator_cpu, 2)


def _range(row: Printed) -> str:
    if row.throughput_rps is None:
        return NONE
    plain = f"{row.throughput_rps:g}"
    return f"{plain} to {row.most_rps:g}" if row.most_rps else plain


def _shown(value: float | None) -> str:
    return NONE if value is None else digits(value, 4)


def _times(value: float | None) -> str:
    return NONE if value is None else two_places(value)


def _law(found: Replication, users: int, setup: str = "") -> float:
    """Requests per second that the law allows on that machine."""
    why = f"{found.classic}: its page costs the server next to nothing."
    return known(found.law_rps(setup, users), why)


def _ratio(found: Replication, users: int, by: str = AB, setup: str = "") -> float:
    """Throughput over what the law allows."""
    return row(found, users, by, setup).tried.throughput_rps / _law(found, users, setup)


def _growth(found: Replication, users: int, by: str = AB, setup: str = "") -> float:
    """Throughput over that of one user, in the same row of servers."""
    many, one = (row(found, count, by, setup).tried for count in (users, 1))
    return quotient(many.throughput_rps, one.throughput_rps)


def _longest(found: Replication, users: int, setup: str = "") -> float:
    """The longest response time that ab saw."""
    return known(row(found, users, AB, setup).tried.longest_s, "ab did not say.")


def _took(found: Replication, users: int, setup: str = "") -> float:
    """Seconds that all of ab's requests took."""
    return row(found, users, AB, setup).tried.seconds


def _ceiling(found: Replication, users: int, by: str = AB, setup: str = "") -> float:
    """Requests per second that one full core of the load generator makes."""
    tried = row(found, users, by, setup).tried
    return known(tried.ceiling_rps, "it had too little to do to tell.")


def _cpu_s(found: Replication, who: Who) -> float:
    """Of one of S3's trees, in its one row."""
    if not found.run.tree(who):
        raise NoSuchNumber(f"{who}: no process of that tree was recorded.")
    return found.run.cpu_s(who)


def _on_core(found: Replication, who: Who = "server") -> float:
    """CPU seconds of that tree for each second."""
    return _cpu_s(found, who) / _only(found).seconds


def _on_cpu(found: Replication, who: Who = "server") -> float:
    """The same over the cores of the machine."""
    return _on_core(found, who) / found.machine.cores


def _user_share(found: Replication, who: Who = "server") -> float:
    """Part of the tree's CPU time outside the kernel."""
    _cpu_s(found, who)
    return found.run.user_share(who)


def _processes(found: Replication, who: Who = "server") -> int:
    """Processes that were seen in that tree, its root included."""
    _cpu_s(found, who)
    return len(found.run.tree(who))


def _only(found: Replication) -> Tried:
    """The one row of S3."""
    return row(found, found.run.tries[0].users).tried


show = Show(
    result=Replication,
    draw=figure,
    alt=lambda found: " ".join(said(found)),
    verdict=under,
    rows=rows,
    row=row,
    columns=(
        Column(head="setup", main=True, of="tried.setup"),
        Column(head="users", main=True, of="tried.users"),
        Column(head="by", main=True, of="tried.by"),
        Column(head="server", of="tried.server"),
        Measured(head="requests", of="tried.requests"),
        Measured(head="failed", of="tried.failed"),
        Measured(head="s", of="tried.seconds"),
        Measured(head="req/s", main=True, of="tried.throughput_rps", quote="throughput"),
        Measured(head="law req/s", of="law_rps"),
        Measured(head="source req/s", of="printed_rps"),
        Measured(head="its law req/s", of="their_law_rps"),
        Measured(head="mean ms", of="tried.mean_response_time_s", quote="response_time"),
        Measured(head="longest ms", of="tried.longest_s"),
        Measured(head="never served", of="tried.never_served"),
        Measured(head="X R / N", of="tried.littles_law", cell=two_places),
        Measured(
            head="generator's cores", of="tried.generator_cpu", quote="generator_cpu", said=percent
        ),
        Measured(head="server's cores", of="tried.server_cpu", quote="server_cpu", said=two_digits),
        Measured(head="server's CPU ms a request", of="tried.server_s", quote="per_request"),
        Measured(head="queue overflows", of="tried.overflows", quote="overflows"),
        Measured(head="backlog", of="tried.backlog"),
        Column(head="command", of=lambda row: row.missing or row.tried.command),
        Column(  # X R: users that were really waiting
            of=lambda row: row.tried.littles_law * row.tried.users,
            quote="in_all",
            said=digits,
        ),
    ),
    quotes={
        # Cores' worth of work.
        "capacity": quoted(lambda found: found.run.capacity[-1], two_places),
        "ceiling": quoted(_ceiling, rate),
        "faults": quoted(  # of the server for a request
            lambda found: found.run.minor_faults("server") / _only(found).requests,
            two_digits,
        ),
        "growth": quoted(_growth, two_digits),
        "law": quoted(_law, rate),
        "longest": quoted(_longest, duration),
        "on_core": quoted(_on_core, digits),
        "on_cpu": quoted(_on_cpu, digits),
        "processes": quoted(_processes, str),
        "ratio": quoted(_ratio, two_places),
        "server": lambda found: Quantity(0, found.run.tries[0].server),
        "system_share": quoted(lambda *given: 1 - _user_share(*given), percent),
        "took": quoted(_took, lambda value: f"{digits(value)}{NARROW}s"),
        "user_share": quoted(_user_share, percent),
    },
)
