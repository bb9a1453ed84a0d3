"""Where the time went, drawn and told: bars that are as long as the mean response time."""

from dataclasses import replace

import examples
import plotly.graph_objects as go
import pytest
from msgspec import structs

from labs.kinds.comparison.record import Comparison
from labs.kinds.comparison.show import show as comparing
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.report import joined
from labs.kinds.sweep.show import show
from labs.present.quantities import NoSuchNumber
from labs.present.time_split import split_figure
from labs.recordings.replay import page
from labs.records.time_split import TimeSplit

PROCESSES = TimeSplit(
    on_core_s=0.02,
    ready_s=0.09,
    asked_s=0.05,
    turn_s=0.0,
    queued_s=0.03,
    outside_s=0.01,
    unexplained_s=0.0,
)
THREADS = replace(PROCESSES, ready_s=0.0, turn_s=0.2, turn_at="interpreter")
LOOP = replace(THREADS, turn_at="event loop", queued_s=0.0)


def recording(split: TimeSplit | None = PROCESSES) -> Recording:
    found = examples.recording(1.0)
    points = tuple(replace(point, time_split=split) for point in found.points)
    return structs.replace(found, runs=(replace(found.run, points=points),))


def test_the_bars_are_the_parts_and_as_long_as_the_mean() -> None:
    made = split_figure([("1 user", PROCESSES), ("8 users", THREADS)])
    assert made is not None
    bars = go.Figure(made.figure).data
    assert [bar.name for bar in bars] == [
        "on a core",
        "ready, without a core",
        "waiting as asked",
        "waiting for the interpreter",
        "queued before service",
        "outside the server",
    ]
    assert {(bar.orientation, tuple(bar.y)) for bar in bars} == {("h", ("1 user", "8 users"))}
    lengths = [sum(bar.x[place] for bar in bars) for place in (0, 1)]
    assert lengths == pytest.approx([200, 310])
    assert len({(bar.marker.color, bar.marker.pattern.shape) for bar in bars}) == len(bars)
    assert made.alt.startswith("Where the time went")
    assert "1 user: 90\u00a0ms ready, without a core, 50\u00a0ms waiting as asked" in made.alt
    assert made.caption == ""
    assert split_figure([]) is None


def test_each_who_serves_one_at_a_time_is_named() -> None:
    made = split_figure([("threads", THREADS), ("loop", LOOP)])
    assert made is not None
    turns = [bar for bar in go.Figure(made.figure).data if "waiting for the" in bar.name]
    assert [(bar.name, *bar.x) for bar in turns] == [
        ("waiting for the interpreter", 200, 0),
        ("waiting for the event loop", 0, 200),
    ]
    assert turns[0].marker.pattern.shape != turns[1].marker.pattern.shape


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (replace(PROCESSES, unexplained_s=0.05), "explains 20\u00a0% of the time"),
        (replace(PROCESSES, excess_s=0.04), "is 20\u00a0% more than there is room for"),
        (replace(PROCESSES, unexplained_s=0.05, missing="It does not say."), "It does not say."),
    ],
)
def test_what_stays_unexplained_is_told(split: TimeSplit, told: str) -> None:
    made = split_figure([("1 user", PROCESSES), ("8 users", split)])
    assert made is not None and told in made.caption and "1 user" not in made.caption


def test_a_sweep_shows_its_parts_and_an_old_one_has_none() -> None:
    found, old = recording(), recording(None)
    table = show.table(found)
    row = dict(zip(table.head, table.rows[-1], strict=True))
    assert (row["on a core ms"], row["ready ms"], row["unexplained ms"]) == ("20", "90", "0")
    assert str(show.quote(found, "in_queue", 8)) == "30\u00a0ms"
    assert joined(found)["points"][0]["time_split"]["asked_s"] == 0.05
    html = page("many-cores", found)
    assert "Where the time went" in html and html.count("wt-recorded") == 2
    assert "ready ms" not in show.table(old).head and show.split(old) is None
    assert page("many-cores", old).count("wt-recorded") == 1
    assert joined(old)["points"][0]["time_split"] is None
    with pytest.raises(NoSuchNumber, match="ready"):
        show.quote(old, "ready", 8)


def test_a_comparison_has_a_bar_for_each_part() -> None:
    parts = {"processes": recording(), "threads": recording(THREADS), "old": recording(None)}
    both = Comparison(machine=examples.MACHINE, over="users", parts=parts)
    made = comparing.split(both)
    assert made is not None
    assert list(go.Figure(made.figure).data[0].y) == ["processes, 8 users", "threads, 8 users"]
    assert "waiting for its turn ms" in comparing.table(both).head
