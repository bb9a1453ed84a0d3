"""The pictures of the recorded figures: of each as it is now, small, for light and dark."""

import copy
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from labs.present.blocks import Drawn
from labs.present.html import mark
from labs.recordings import pictures, replay, store
from labs.recordings.drawings import Drawing, drawings
from labs.recordings.pictures import WIDTHS, Pictures
from labs.records.errors import BadRecording

pytestmark = pytest.mark.chapters

LARGEST, ALL = 60_000, 1_600_000  # bytes
LINE = {
    "data": [{"x": [1, 2], "y": [3.00001, 4], "hovertemplate": "{x}"}],
    "layout": {"meta": {"narrow": {"height": 500}}},
}


@cache
def every() -> list[Drawing]:
    return drawings()


def test_every_recorded_figure_has_its_picture_and_no_other_lies_about() -> None:
    assert [f"{each.lab} {each.number}" for each in every() if each.stale] == []
    assert {each.path(width) for each in every() for width in WIDTHS} == set(pictures.files())


def test_pictures_are_small_and_take_their_colours_from_the_page() -> None:
    files = pictures.files()
    sizes = {file: file.stat().st_size for file in files}
    assert max(sizes.values()) < LARGEST and sum(sizes.values()) < ALL
    for file in files:
        drawn = file.read_text("utf-8")
        svg = ElementTree.fromstring(drawn)
        assert svg.get("aria-hidden") == "true"  # the figure around it has the words
        assert "currentColor" in drawn and not re.search(r"#000\b|black|#010203|rgb\(", drawn)
        assert set(re.findall(r"url\(#(\w+)\)", drawn)) == set(re.findall(r' id="(\w+)"', drawn))


def test_ids_of_two_pictures_on_a_page_differ() -> None:
    ids = [id for file in pictures.files() for id in re.findall(r' id="(\w+)"', file.read_text())]
    assert len(ids) == len(set(ids))


def test_a_mark_is_of_what_a_picture_shows() -> None:
    def changed(value: object, *path: str | int) -> str:
        figure = copy.deepcopy(LINE)
        part: object = figure
        for step in path[:-1]:
            part = part[step]  # type: ignore[index]
        part[path[-1]] = value  # type: ignore[index]
        return mark(figure)

    before = mark(LINE)
    assert changed("other words", "data", 0, "hovertemplate") == before
    assert changed(3.00002, "data", 0, "y", 0) == before  # the last digits differ between machines
    assert changed(3.1, "data", 0, "y", 0) != before
    assert changed(600, "layout", "meta", "narrow", "height") != before


def ours() -> Pictures:
    return Pictures("one-core")


def test_a_figure_without_a_picture_of_its_own_fails_its_page() -> None:
    with pytest.raises(BadRecording, match=r"^one-core: its figure has .* `make figures`\."):
        ours()(Drawn(LINE, "a line"))


def test_recordings_from_elsewhere_are_shown_without_their_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = store.recording("one-core")
    assert "<svg" in replay.page("one-core", found, ours())
    monkeypatch.setenv("LABS_RECORDINGS", str(store.folder()))  # as somebody else's
    assert replay.page("one-core", found, ours()) == replay.page("one-core", found)


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<SCRIPT>alert(1)</SCRIPT>",
        '<g onload="alert(1)"/>',
        '<image href="https://example.com/x"/>',
        '<path fill="url(https://example.com/x)"/>',
        '<path fill="none URL(x)"/>',
        '<path fill="u\\72l(//example.com/x)"/>',
        '<path fill="url&#40;x)"/>',
        '<path style="fill:red"/>',
        '<path id="wt-search"/>',
        "<style>*{display:none}</style>",
        "</div><p>",
        "<g <script>",
        "<!--",
    ],
)
def test_a_picture_with_more_than_ours_have_is_none(tmp_path: Path, hostile: str) -> None:
    drawn = pictures.path("one-core", 1, "wide").read_text()
    file = tmp_path / "figure-1-wide.svg"
    file.write_text(drawn)
    assert pictures.mark(pictures.read(file)) == pictures.mark(drawn) != ""
    file.write_text(drawn.replace("</svg>", f"{hostile}</svg>"))
    assert pictures.read(file) == ""
