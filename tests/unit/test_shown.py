"""What a kind shows of a recording made by hand: its figure in words, its verdict, its table, and
what prose may quote of it or is told instead."""

from dataclasses import replace

import examples
import plotly.graph_objects as go
import pytest
from kinds.test_generators import REMEDY, gauges
from kinds.test_generators import run as gauges_run
from kinds.test_memory import memory
from kinds.test_memory import run as memory_run
from kinds.test_race import race
from kinds.test_race import run as race_run
from markup import plain, sheet
from syrupy.assertion import SnapshotAssertion

from labs.kinds.race.record import Race
from labs.kinds.registry import showing
from labs.present.quantities import NoSuchNumber
from labs.records.results import Result

Asked = tuple[object, ...]  # a number's name, and what it is given
NO_PSS = examples.memory(tuple(replace(each, pss_bytes=()) for each in memory_run()))  # macOS
LOCKED = "with a lock around all of it"


def race_at(rps: float) -> Race:
    """With that throughput where the work is outside the lock."""
    bare, write, locked, outside, only = race_run()
    return examples.race((bare, write, locked, replace(outside, throughput_rps=rps), only))


SHOWN: dict[str, tuple[Result, list[Asked]]] = {
    "race": (
        race(),
        [
            ("lost", "without a lock"),
            ("lost", LOCKED),
            ("lost", "with luck"),
            ("throughput", LOCKED),
        ],
    ),
    "race, faster outside the lock": (race_at(180.0), []),
    "race, slower outside the lock": (race_at(60.0), []),
    "race without a loss": (examples.race(race_run(400)[:1]), []),
    "memory": (
        memory(),
        [
            ("each", "process"),
            ("each", "coroutine"),
            ("each", "fibre"),
            ("rss_each", "process"),
            ("pss", "process", 8),
            ("pss", "process", 3),
            ("machine",),
        ],
    ),
    "memory without PSS": (NO_PSS, [("pss", "process", 8)]),
    "generators": (
        gauges(),
        [
            ("throughput", "ab"),
            ("throughput", "hey"),
            ("locusts", 2),
            ("generator_cpu", "ab"),
            ("per_request",),
            ("needed", 12_000),
            ("full", "wrk"),
        ],
    ),
    "generators without wrk": (gauges(gauges_run(missing=REMEDY)), [("throughput", "wrk")]),
    "one generator": (gauges((examples.gauge("ab", 100, 0.02, 0.5),)), []),
    "generators that agree": (
        gauges(
            (
                examples.gauge("locust", 100, 0.02, 0.5, busy=0.95),
                examples.gauge("ab", 100, 0.02, 0.95),
            )
        ),
        [],
    ),
}


def quoted(found: Result, name: str, *given: object) -> str:
    try:
        return str(showing(found).quote(found, name, *given))
    except NoSuchNumber as refusal:
        return f"refused: {refusal}"


@pytest.mark.parametrize(("found", "asked"), SHOWN.values(), ids=SHOWN)
def test_shown_words(found: Result, asked: list[Asked], snapshot: SnapshotAssertion) -> None:
    shown = showing(found).shown("a-lab", found)
    table = (shown["table"]["head"], *shown["table"]["rows"])
    figure = go.Figure(shown["figure"])
    go.Layout(shown["figure"]["layout"]["meta"]["narrow"])
    assert len(figure.data) == len(shown["figure"]["data"])
    said = {"figure": shown["alt"], "verdict": " ".join(shown["said"])}
    quotes = {" ".join(map(str, each)): quoted(found, *each) for each in asked}
    rows = plain("\n".join(" | ".join(row) for row in table))
    assert f"{sheet(said)}\n{rows}\n{sheet(quotes)}" == snapshot
