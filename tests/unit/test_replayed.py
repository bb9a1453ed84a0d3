"""What a page without Python shows of recordings: level by level, others in their place, and those
that were saved from a lab."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import examples
import msgspec
import pytest

from labs.kinds.registry import showing
from labs.present.levels import Level, stepped
from labs.recordings import others, replay, store
from labs.records.results import Result

pytestmark = pytest.mark.chapters

FILES = sorted(store.folder().glob("*/*-cores.json"))
each_recording = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)


@each_recording
def test_a_course_over_users_or_pools_is_told_level_by_level(file: Path) -> None:
    found = store.read(file)
    show = showing(found)
    levels, figure = show.levels(found), show.figure(found)
    marked = {x for trace in figure["data"] if "error_y" in trace for x in trace["x"]}
    if type(found).__struct_config__.tag not in ("sweep", "comparison"):
        assert not levels and not show.concluded(found)
        return
    assert [level.at for level in levels] == sorted(marked)
    assert all(re.search(r"req/s \(forecast: .* in .* on average", each.words) for each in levels)
    assert all(level.words.endswith(".") for level in levels) and show.concluded(found)


def test_a_page_gets_the_levels_as_data_and_nothing_for_a_single_one() -> None:
    hostile = "</script><b>"
    levels = [Level(at=at, words=hostile) for at in (1, 2)]
    shown = stepped(levels, [hostile])
    assert hostile not in shown and shown.count("</script>") == 1
    data = json.loads(re.sub("<.*?>", "", shown))
    assert data == {"levels": [{"at": at, "words": hostile} for at in (1, 2)], "verdict": [hostile]}
    assert stepped(levels[:1], [hostile]) == ""


def saved(name: str, result: Result) -> dict[str, Any]:
    """The JSON file that a lab offers."""
    links = showing(result).downloads(name, result)
    (data,) = re.findall(r'href="data:application/json,(.*?)"', links)
    fields: dict[str, Any] = json.loads(unquote(data), parse_constant=pytest.fail)
    return fields


@each_recording
def test_a_saved_recording_carries_its_figure_and_is_read_as_a_recording(
    file: Path, tmp_path: Path
) -> None:
    result = store.read(file)
    show, fields = showing(result), saved("a-lab", result)
    shown = fields["shown"]
    assert shown["figure"] == json.loads(json.dumps(show.figure(result)))
    assert (shown["lab"], shown["alt"]) == ("a-lab", show.alt(result))
    assert result.machine.caption in shown["caption"]
    assert all(said and not re.search(r"</?\w+>", said) for said in shown["said"])
    assert len(shown["said"]) == len(set(shown["said"]))
    assert shown["table"]["rows"] == [list(row) for row in show.table(result).rows]
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(fields))
    assert show.alt(store.read(path)) == shown["alt"]


def test_a_saved_sweep_says_its_verdict() -> None:
    result = examples.recording(1.0)
    said = saved("a-lab", result)["shown"]["said"]
    assert said[: len(showing(result).concluded(result))] == [*showing(result).concluded(result)]


def test_other_servers_had_the_same_requests_in_labs_that_the_reader_has_met() -> None:
    result = store.recording("event-loop")
    found = others.servers("event-loop", result)
    parts = [
        part for each in found for part in getattr(each.result, "parts", {"": each.result}).values()
    ]
    assert {part.experiment.server.architecture for part in parts} == {"prefork", "threaded"}
    assert {part.experiment.workload for part in parts} == {result.experiment.workload}  # type: ignore[attr-defined]
    assert "event-loop" not in [each.lab for each in found]
    pool = next(each for each in found if each.lab == "the-pool")
    assert pool.label == others.called(store.recording("the-pool")).strip()
    assert others.servers("one-core", store.recording("one-core")) == []  # nothing came before it
    assert others.servers("a-lab-of-mine", result) == []
    assert replay.switch("prefork", store.recording("prefork")) == ""  # over time, not over users


def test_machines_can_be_chosen_where_several_have_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = store.recording("one-core")
    large = msgspec.structs.replace(small, machine=replace(small.machine, cores=8))
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    store.save(small, store.path("one-core", small.machine))
    assert replay.switch("one-core", small) == ""
    store.save(large, store.path("one-core", large.machine))
    data = json.loads(re.sub(r"^<script.*?>|</script>$", "", replay.switch("one-core", small)))
    assert data["here"] == small.machine.caption
    ((measured_on, (other,)),) = (each.values() for each in data["groups"])
    assert (measured_on, other["label"]) == ("Measured on", large.machine.caption)
    assert "<figure" in other["html"] and large.machine.caption in other["html"]
