"""What a page without Python shows of recordings: level by level, others in their place, and those
that were saved from a lab."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import examples
import plotly.graph_objects as go
import pytest
from bs4 import BeautifulSoup
from chapters import FILES, each_recording
from examples import EXPERIMENT
from markup import check_balanced
from msgspec import structs
from test_true_verdicts import assert_told_true

from labs.kinds.registry import KINDS, lab_kind, showing
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.kinds.timeline.figure import CORES
from labs.kinds.timeline.record import Timeline
from labs.present.blocks import html
from labs.present.levels import Level, Pace, stepped
from labs.present.tables import Table
from labs.recordings import replay, store
from labs.records.errors import BadRecording, Unusable
from labs.records.format import rate
from labs.records.results import Result

pytestmark = pytest.mark.chapters

LAB = SweepLab(EXPERIMENT)


@each_recording
def test_a_recorded_run_is_told_as_it_landed(file: Path) -> None:
    found = store.read(file)
    show = showing(found)
    levels, kind = show.levels(found), type(found).__struct_config__.tag
    if kind in ("classics", "clocks", "checkup"):
        assert not levels and not show.concluded(found)
        return
    assert all(level.words.endswith(".") for level in levels)
    assert bool(show.concluded(found)) == (kind != "mystery")  # whose verdict is folded away
    assert len(stepped(levels, show.concluded(found), show.pace)) < 4_000  # of a page's HTML
    if kind in ("sweep", "comparison", "mystery"):
        data = show.figure(found)["data"]
        marked = {x for trace in data if "error_y" in trace for x in trace["x"]}
        assert [level.at for level in levels] == sorted(marked)
    if kind in ("sweep", "comparison"):
        told = r"req/s \(forecast: .* in .* on average"
        assert all(re.search(told, each.words) for each in levels)


def timelines() -> list[Timeline]:
    read = [store.read(file) for file in FILES]
    return [examples.timeline(), *(each for each in read if isinstance(each, Timeline))]


def test_a_timeline_is_told_step_by_step_with_what_was_done_in_each() -> None:
    for found in timelines():
        run, levels = found.run, showing(found).levels(found)
        assert len(levels) == len(found.steps)
        ends = [
            begin + step.seconds for begin, step in zip(found.begins_s, found.steps, strict=True)
        ]
        for level, begin_s, end_s, result in zip(
            levels, found.begins_s, ends, run.step_results, strict=True
        ):
            assert level.at is not None and begin_s < level.at < end_s
            assert f"{rate(result.throughput_rps)} answered (forecast:" in level.words
            for event in run.events:
                assert (event.words in level.words) == (begin_s <= event.at_s < end_s)
                if event.at_s >= end_s:  # and its mark is not shown before
                    assert level.at < event.at_s
        assert sum(level.words.count("was killed") for level in levels) == sum(
            "was killed" in event.words for event in run.events
        )


def test_what_a_timeline_had_before_the_run_is_the_forecast_alone() -> None:
    for found in timelines():
        show = showing(found)
        known = [
            trace["name"]
            for trace in show.figure(found)["data"]
            if "line" in trace
            and "stackgroup" not in trace  # whose area has a pattern, and no edge
            and trace["line"]["color"] in show.pace.known
        ]
        assert set(known) == {"forecast"}


@pytest.mark.parametrize("lab", ["a-shared-counter", "whom-are-you-measuring"])
def test_ways_and_generators_are_told_in_the_order_of_their_bars(lab: str) -> None:
    found = store.recording(lab)
    levels, data = showing(found).levels(found), showing(found).figure(found)["data"]
    assert [level.at for level in levels] == [place + 0.5 for place in range(len(levels))]
    for trace in data:
        names = [" ".join(str(name).split("<br>")) for name in trace["x"]]
        for level, name in zip(levels, names, strict=True):
            assert name.lower() in level.words.lower().partition(":")[0]


def test_memory_is_told_kind_by_kind_each_in_its_colour() -> None:
    found = store.recording("memory-per-worker")
    levels, data = showing(found).levels(found), showing(found).figure(found)["data"]
    left = list(data)
    for level in levels:
        mine = [trace for trace in data if level.colour in json.dumps(trace)]
        assert {trace["type"] for trace in mine} == {"scatter", "bar"}
        (kind,) = {trace["name"].partition(",")[0] for trace in mine}
        assert level.words.lower().startswith(kind)
        left = [trace for trace in left if trace not in mine]
    assert not left  # after the last one, all of it is there


def test_a_page_gets_the_levels_as_data_and_nothing_for_a_single_one() -> None:
    hostile = "</script><b>"
    levels = [Level(at=1, words=hostile), Level(colour="#1f86c9", words=hostile)]
    shown = stepped(levels, [hostile], Pace(each="way", before="Nothing.", known=("#d55e00",)))
    assert hostile not in shown and shown.count("</script>") == 1
    data = json.loads(re.sub("<.*?>", "", shown))
    assert data == {
        "levels": [{"at": 1, "words": hostile}, {"colour": "#1f86c9", "words": hostile}],
        "verdict": [hostile],
        "each": "way",
        "before": "Nothing.",
        "known": ["#d55e00"],
    }
    assert stepped(levels[:1], [hostile]) == ""


def saved(links: str) -> dict[str, Any]:
    """The JSON file that a lab offers."""
    (data,) = re.findall(r'href="data:application/json,(.*?)"', links)
    fields: dict[str, Any] = json.loads(unquote(data), parse_constant=pytest.fail)
    return fields


def assert_four_columns_and_reasons_are_shown(result: Result, sheet: Table) -> None:
    """Asserts that the others are folded away."""
    if type(result).__struct_config__.tag == "mystery":
        sheet = sheet.turned()  # as its page has it: a column for each level, and all in sight
        assert len(sheet.head) <= 7 and sheet.head[0] == "users"
        return
    page = BeautifulSoup(sheet.html(), "html.parser")
    shown = page.select("thead th:not(.wt-rest)")
    assert len(shown) <= 4 and len(page.select("thead th")) == len(sheet.head) - bool(sheet.reason)
    folds = page.select_one("details.wt-more summary")
    assert bool(folds) == bool(page.select("thead .wt-rest"))
    for row in page.select("tbody tr:not(.wt-reason)"):
        assert len(row.select("td:not(.wt-rest)")) == len(shown)
    whys = [row[sheet.head.index(sheet.reason)] for row in sheet.rows] if sheet.reason else []
    assert [why.text for why in page.select(".wt-reason")] == [why for why in whys if why]
    assert sheet.csv().splitlines()[0].count(",") >= len(sheet.head) - 1  # of it nothing is missing


@each_recording
def test_a_recording_is_shown_by_its_kind_and_carries_its_figure_when_it_is_saved(
    file: Path, tmp_path: Path
) -> None:
    result = store.read(file)
    show = showing(result)
    figure, links, table = show.figure(result), show.downloads("a-lab", result), show.table(result)
    made = go.Figure(json.loads(json.dumps(figure, allow_nan=False)))  # plain plotly
    assert len(made.data) == len(figure["data"]) > 0
    (kind,) = (each for each in map(lab_kind, KINDS) if each.result is type(result))
    assert kind.draws_cores == (CORES in json.dumps(figure))
    assert table.rows and {len(row) for row in table.rows} == {len(table.head)}
    assert_four_columns_and_reasons_are_shown(result, table)
    check_balanced(html(show.verdict(result), replay.plainly))
    check_balanced(links)
    fields = saved(links)
    shown = fields["shown"]
    assert shown["figure"] == json.loads(json.dumps(figure))
    assert (shown["lab"], shown["alt"]) == ("a-lab", show.alt(result))
    assert re.match(r"[A-Z“].*\.$", shown["alt"], re.DOTALL)
    assert result.machine.caption in shown["caption"]
    assert all(said and not re.search(r"</?\w+>", said) for said in shown["said"])
    assert len(shown["said"]) == len(set(shown["said"]))
    told = show.concluded(result)
    assert shown["said"][: len(told)] == [*told] or not isinstance(result, Recording)
    assert shown["table"]["rows"] == [list(row) for row in table.rows]
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(fields))
    assert show.alt(store.read(path)) == shown["alt"]
    assert_told_true(result, shown)
    hostile = "<script>alert(1)</script>"
    bad = structs.replace(result, machine=replace(result.machine, processor=hostile))
    said = html(show.verdict(bad), replay.plainly) + show.table(bad).html()
    assert hostile not in said + show.downloads("x", bad)


def test_a_lab_can_be_chosen_under_its_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = store.recording("one-core")
    assert isinstance(own, Recording)
    more = replace(own.experiment.server, processes=2)
    lab = SweepLab(own.experiment, also={"2 workers": more})
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    path = store.path("one-core-2-workers", own.machine)
    store.save(own, path)
    with pytest.raises(BadRecording, match=r"another experiment.*make record LABS=one-core-2-work"):
        replay.switch("one-core", lab)
    store.save(structs.replace(own, experiment=lab.under("2 workers").experiment), path)
    shown = replay.switch("one-core", lab)
    data = json.loads(re.sub(r"^<script.*?>|</script>$", "", shown))
    assert data["here"] == "A prefork server (1 process run by gunicorn, on all cores)"
    (other,) = data["others"]
    assert other["label"] == "2 workers"
    assert "2 processes" in other["html"]
    assert replay.switch("one-core", LAB) == ""


@pytest.mark.parametrize("also", [["2 workers"], {"2 workers": 2}], ids=["no labels", "no server"])
def test_other_settings_are_servers_or_workloads(also: Any) -> None:
    with pytest.raises(Unusable, match="also"):
        SweepLab(EXPERIMENT, also=also)
