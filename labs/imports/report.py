"""A load test by another program as a table, as JSON, and as a page of its own. Pure."""

from typing import Any

from markupsafe import Markup

from labs.imports.figure import alt, figure
from labs.imports.laws import Given, sentences, under_way
from labs.imports.level import LoadTest
from labs.present.markup import paragraphs
from labs.present.page import drawn, page
from labs.present.tables import Table
from labs.records.format import digits, duration, rate

HEAD = ("users", "seconds", "completed", "failed", "throughput", "mean response time", "X·R")


def rows(test: LoadTest) -> tuple[tuple[str, ...], ...]:
    """A row for each level; nothing where a file doesn't say."""
    return tuple(
        (
            "" if each.users is None else f"{each.users:,}",
            digits(each.seconds),
            f"{each.completed:,}",
            f"{each.failed:,}",
            rate(each.throughput_rps),
            "" if each.mean_response_time_s is None else duration(each.mean_response_time_s),
            "" if each.mean_response_time_s is None else digits(under_way(each)),
        )
        for each in test.levels
    )


def told(test: LoadTest, given: Given) -> dict[str, Any]:
    """Make what `--json` writes."""
    names = ("users", "seconds", "completed", "failed", "throughput_rps", "mean_response_time_s")
    levels = [{name: getattr(each, name) for name in names} for each in test.levels]
    return {"tool": test.tool, "levels": levels, "sentences": sentences(test, given)}


def report(test: LoadTest, given: Given, script: str) -> Markup:
    """One HTML file that needs no other. script: plotly's."""
    title = f"a load test by {test.tool}"
    body = [
        paragraphs(sentences(test, given)),
        drawn(alt(test), figure(test, given)),
        Table(HEAD, rows(test)).html(),
    ]
    return page(title, f"What the laws say of {title}", body, script)
