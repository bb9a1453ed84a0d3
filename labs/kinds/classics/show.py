"""The classic experiments told: the source's figure, the law's and ours, side by side.

Two machines are set side by side by what each did of what the law allows it, so that neither the
number of cores nor the price of a page takes part.
"""

import statistics
from dataclasses import dataclass
from typing import Any

from labs.analysis.checks import OTHERS_BUSY
from labs.kinds.classics.figure import ratios_figure
from labs.kinds.classics.published import TABLES
from labs.kinds.classics.record import AB, LOCUST, Replication, Tried
from labs.kinds.show import Column, Measured, Show, quoted, two_digits, two_places
from labs.present.blocks import DATA, SPOKEN, Block, Said, Within
from labs.present.quantities import NoSuchNumber, Quantity
from labs.records.format import NARROW, digits, percent, plain, quotient


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


def _row(found: Replication, tried: Tried) -> Row:
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
    """Make a row for each try, for the table of all numbers."""
    return [_row(found, tried) for run in found.runs for tried in run.tries]


def row(found: Replication, users: int, by: str = AB, setup: str = "") -> Row:
    """Find one row, to quote from. KeyError and NoSuchNumber say what there is."""
    tried = found.run.tried(setup, users, by)
    if tried.missing:
        raise NoSuchNumber(f"{users} by {by}: {tried.missing}")
    return _row(found, tried)


def under(found: Replication) -> list[Block]:
    """Show the verdict, and the table below."""
    return [Within(DATA, [Within(SPOKEN, [Said(said(found))]), show.table(found)])]


def said(found: Replication) -> list[str]:
    """Say the verdict, a sentence each."""
    missing = dict.fromkeys(each.missing for each in found.run.tries if each.missing)
    sentences = [f"Not measured: {each}." for each in missing]
    cores = found.machine.cores
    if (others := max(each.others_cpu for each in found.run.tries)) > OTHERS_BUSY * cores:
        sentences.append(
            f"Other programs used up to {digits(others, 2)} of the machine's {cores} cores "
            "meanwhile, of which no law knows. Run it again when the machine is quieter."
        )
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


def _of_source(found: Replication) -> list[float]:
    """List the source's ratios, row by row."""
    source = TABLES[found.classic]
    ratios = (source.ratio(setup, users) for setup, rows in source.rows.items() for users in rows)
    return [ratio for ratio in ratios if ratio is not None]


def _ours(found: Replication, by: str) -> list[float]:
    ratios = (found.ratio(tried) for tried in found.run.by(by))
    return [ratio for ratio in ratios if ratio is not None]


def _ratio(column: type[Column], of: str, law: str, none: str) -> tuple[Column, Column]:
    """Put a ratio to the law under one head; under the other, where none stands beside the source,
    to one user's throughput."""
    return (
        column(head=law, main=True, of=of, cell=two_places, there=lambda it: it.classic != "s4"),
        column(head=none, main=True, of=of, cell=two_places, there=lambda it: it.classic == "s4"),
    )


def _growth(found: Replication, *asked: Any) -> float:
    """Divide throughput by that of one user, as both are said."""
    many = row(found, *asked).tried
    one = row(found, 1, many.by, many.setup).tried
    return quotient(many.throughput_rps, one.throughput_rps)


show = Show(
    result=Replication,
    draw=ratios_figure,
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
        "growth": quoted(_growth, two_digits),
        "server": lambda found: Quantity(0, found.run.tries[0].server),
    },
)
