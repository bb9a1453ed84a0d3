"""Recordings in a page without Python: level by level, others in their place, and saved ones."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from labs.kinds.mystery.record import Mystery
from labs.kinds.mystery.show import fixes_levels
from labs.kinds.mystery.verdict import revealed
from labs.kinds.registry import showing
from labs.kinds.timeline.record import Timeline
from labs.recordings import recorder, store
from labs.records.results import Result

CHAPTER = "1-cpu-time/many-cores"
SHOWN = "localStorage.setItem('wall-time-always-show', 'yes')"
OPEN = "Replay level by level"


def opened(book: Path, page: Page, name: str = CHAPTER) -> Locator:
    """The first lab of a page, its recorded run in sight."""
    page.add_init_script(SHOWN)
    page.goto((book / f"{name}.html").as_uri())
    return page.locator(".wt-replay").first


def of(place: Page | Locator, result: Result) -> Locator:
    """The figure of that recording."""
    alt = json.dumps(showing(result).alt(result), ensure_ascii=False)
    return place.locator(f"figure[aria-label={alt}]")


PLOT = "g:is([clip-path], :has([clip-path]))"


def marks(figure: Locator) -> int:
    """Measured points in sight, in both plots."""
    return figure.locator(f"svg:visible > {PLOT} path[transform]:not(.wt-later)").count()


def steps_of(page: Page, figure: Locator, result: Result) -> Iterator[int]:
    """Replays it by keyboard, and says how many levels are there; the sentences and where the rest
    of the page stands are looked at here."""
    show = showing(result)
    levels, each = show.levels(result), show.pace.each
    figure.get_by_role("button", name=f"Replay {each} by {each}").focus()
    page.keyboard.press("Enter")
    said, slider = (
        figure.get_by_role("status"),
        figure.get_by_role("slider", name=each.capitalize()),
    )
    expect(said).to_have_text(show.pace.before)
    heights = {figure.bounding_box()["height"]}  # type: ignore[index]
    yield 0
    for number, level in enumerate(levels, 1):
        expect(figure.get_by_role("button", name=f"Next {each}")).to_be_focused()
        page.keyboard.press("Enter")
        expect(said).to_have_text(level.words)
        expect(slider).to_have_attribute("aria-valuetext", f"{each} {number} of {len(levels)}")
        heights.add(figure.bounding_box()["height"])  # type: ignore[index]
        yield number
    assert len(heights) == 1
    page.keyboard.press("Enter")
    expect(said.locator("p")).to_have_text([*show.concluded(result)])


def test_a_run_is_replayed_by_keyboard_up_to_its_verdict(book: Path, page: Page) -> None:
    result = store.recording("many-cores")
    levels = showing(result).levels(result)
    page.goto((book / f"{CHAPTER}.html").as_uri())
    run = page.locator(".wt-replay").first
    replay = run.get_by_role("button", name=OPEN)
    expect(run.locator("figure").first).to_be_hidden()  # behind the bet
    expect(replay).to_be_hidden()
    run.get_by_role("button", name="Skip", exact=True).click()
    figure = run.locator("figure").first
    whole = marks(figure)
    assert whole == 2 * len(levels)
    for number in steps_of(page, figure, result):
        assert marks(figure) == 2 * number
    said = figure.get_by_role("status")
    figure.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text(levels[-2].words)
    assert marks(figure) == whole - 2

    page.emulate_media(media="print")
    expect(said).to_be_hidden()
    hidden = figure.locator(".wt-later").first
    assert hidden.evaluate("node => getComputedStyle(node).visibility") == "visible"
    page.emulate_media(media="screen")
    figure.get_by_role("button", name="Close").click()
    expect(replay).to_be_focused()
    expect(said).to_be_empty()
    assert marks(figure) == whole


def test_a_drawn_figure_makes_room_for_its_replay_and_comes_back(book: Path, page: Page) -> None:
    figure = opened(book, page).locator("figure").first
    figure.get_by_role("button", name="Point at the values").click()
    expect(figure.locator(".wt-plot")).to_be_visible()
    figure.get_by_role("button", name=OPEN).click()
    expect(figure.locator(".wt-plot")).to_be_hidden()
    figure.get_by_role("button", name="Next level").click()
    assert marks(figure) == 2
    figure.get_by_role("button", name="Close").click()
    expect(figure.locator(".wt-plot")).to_be_visible()


STEPS = """script => {
  const figure = script.previousElementSibling;
  figure.querySelector('.wt-levels-shown button').click();
  const slider = figure.querySelector('input');
  const seen = [];
  for (let step = 0; step <= Number(slider.max); step += 1) {
    slider.value = String(step);
    slider.dispatchEvent(new Event('input'));
    seen.push([...figure.querySelectorAll('.wt-picture svg')].map((picture) => {
      const plot = ':scope > g:is([clip-path], :has([clip-path]))';
      const inside = [...picture.querySelectorAll(`${plot} path`)];
      const there = inside.filter((node) => !node.classList.contains('wt-later'));
      return [
        (node) => node.hasAttribute('transform'),
        (node) => /^M[-.0-9]+,[-.0-9]+h10m/.test(node.getAttribute('d')),
        (node) => node.classList.contains('wt-cut'),
      ].map((of) => there.filter(of).length);
    }));
  }
  return seen;
}"""


def expected(data: list[dict[str, Any]], upto: float) -> list[int]:
    """Marks and error bars up to there."""
    marks = [x for trace in data if "markers" in trace["mode"] for x in trace["x"]]
    bars = [x for trace in data if "error_y" in trace for x in trace["x"]]
    return [sum(x is not None and x <= upto for x in each) for each in (marks, bars)]


@pytest.mark.extended
def test_every_recorded_sweep_shows_as_much_as_had_been_measured(book: Path, page: Page) -> None:
    page.add_init_script(SHOWN)
    seen = set()
    for cell in recorder.cells():
        result = store.recording(cell.lab)
        show, data = showing(result), showing(result).figure(result)["data"]
        levels, bars = show.levels(result), any("mode" not in trace for trace in data)
        if len(levels) < 2 or show.pace.known or bars:
            continue
        there = (book / cell.page.relative_to(store.BOOK).with_suffix(".html")).as_uri()
        if page.url != there:
            page.goto(there)
        figure = of(page, result)
        steps = figure.locator("xpath=following-sibling::script[1]").evaluate(STEPS)
        places = [float("-inf"), *(level.at or 0 for level in levels[:-1]), float("inf")]
        lines = sum("lines+markers" in trace["mode"] and trace["x"] != [None] for trace in data)
        cuts = [lines] * (len(places) - 1) + [0]
        for place, cut, (wide, narrow) in zip(places, cuts, steps, strict=False):
            assert wide == narrow == [*expected(data, place), cut], (cell.lab, place)
        seen.add(cell.lab)
    assert len(seen) > 15 and "which-limit" in seen


LANDED = """figure => {
  const plots = [...figure.querySelectorAll('.wt-picture svg.wt-wide > g[transform]')];
  return plots.filter((plot) => plot.querySelector('.wt-cut')).map((plot) => {
    const widths = [...plot.querySelectorAll('.wt-cut')].map((node) => {
      const name = /#[^)]+/.exec(node.getAttribute('clip-path'))[0];
      return Number(plot.querySelector(`${name} rect`).getAttribute('width'));
    });
    const room = JSON.parse(plot.closest('svg').dataset.axes).x[2];
    return Math.max(...widths) / Number(room);
  });
}"""


@pytest.mark.parametrize("width", [1400, 360])
def test_a_timeline_is_replayed_step_by_step(book: Path, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    result = store.recording("prefork")
    assert isinstance(result, Timeline)
    figure = of(opened(book, page, "2-wait-time/prefork"), result)
    levels, whole_s = showing(result).levels(result), sum(step.seconds for step in result.steps)
    plots = 3 + result.machine.logical_cores
    for number in steps_of(page, figure, result):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        part = levels[number - 1].at / whole_s if number else 0.0  # type: ignore[operator]
        landed = [pytest.approx(part, abs=0.01)] * plots if number < len(levels) else []
        assert figure.evaluate(LANDED) == landed
    assert figure.locator(".wt-later, .wt-cut").count() == 0  # the verdict is on the whole of it
    page.keyboard.press("Enter")  # from the start
    page.emulate_media(media="print")
    cut = figure.locator(".wt-cut").first
    assert cut.evaluate("node => getComputedStyle(node).clipPath") == "none"


COLUMNS = """figure => [...figure.querySelectorAll('.wt-picture svg.wt-wide > g[transform] path')]
  .filter((node) => /^M[-.0-9]+,[-.0-9]+V.*Z$/.test(node.getAttribute('d')))
  .map((node) => !node.classList.contains('wt-later'))"""


@pytest.mark.parametrize(
    ("chapter", "lab", "columns"),
    [
        ("2-wait-time/threads", "a-shared-counter", 3),
        ("2-wait-time/prefork", "memory-per-worker", 1),
        ("3-real-applications/whom-are-you-measuring", "whom-are-you-measuring", 3),
    ],
)
def test_ways_kinds_and_generators_are_replayed_one_after_the_other(
    book: Path, page: Page, chapter: str, lab: str, columns: int
) -> None:
    """columns: bars of each, error bars and words aside."""
    result = store.recording(lab)
    opened(book, page, chapter)
    figure = of(page, result)
    several = len(showing(result).levels(result))
    for number in steps_of(page, figure, result):
        shown = figure.evaluate(COLUMNS)
        assert shown == columns * [place < number for place in range(several)]
        plots = figure.locator("svg.wt-wide > g:has(.wt-later)")
        assert number or plots.count() == 2
        assert number or plots.locator(":is(path, text):not(.wt-later)").count() == 0
    assert figure.locator(".wt-later, .wt-cut").count() == 0


def test_a_mystery_s_repairs_are_replayed_within_its_solution(book: Path, page: Page) -> None:
    opened(book, page, "3-real-applications/which-limit")
    result = store.recording("which-limit")
    assert isinstance(result, Mystery)
    solution = page.locator("details.solution", has=page.locator("figure"))
    figure = solution.locator("figure")
    expect(figure).to_be_hidden()
    solution.locator("summary").first.click()
    figure.get_by_role("button", name="Replay step by step").click()
    marks_of_one = 3 * len(result.before.points)  # throughput, response time, time in service
    for number, level in enumerate(fixes_levels(result)):
        assert marks(figure) == number * marks_of_one
        figure.get_by_role("button", name="Next step").click()
        expect(figure.get_by_role("status")).to_have_text(level.words)
    figure.get_by_role("button", name="The verdict").click()
    expect(figure.get_by_role("status").locator("p")).to_have_text([*revealed(result)])


def test_other_settings_stand_in_the_figure_s_place_one_at_a_time(book: Path, page: Page) -> None:
    run = opened(book, page, "2-wait-time/the-pool")
    others = ("32 workers", "128 workers")
    choice = run.get_by_role("combobox", name="Recorded run")
    expect(choice.locator("option")).to_have_text([re.compile("64 processes"), *others])
    for label in others:
        choice.select_option(label)
        figure = of(run, store.recording(store.under("the-pool", label)))
        expect(figure.locator("svg.wt-wide")).to_be_visible()
        expect(run.locator(":scope > figure").first).to_be_hidden()
    figure.get_by_role("button", name=OPEN).click()
    assert marks(figure) == 0
    choice.select_option(index=0)
    expect(run.locator(":scope > figure").first).to_be_visible()
    expect(figure).to_be_hidden()


def exported(name: str) -> dict[str, Any]:
    """The file that a lab saves."""
    result = store.recording(name)
    return {"kind": "x", "shown": showing(result).shown(name, result)}


def dropped(page: Page, name: str, text: str) -> None:
    """As if that file were dropped on the page."""
    make = """([name, text]) => {
      const made = new DataTransfer();
      made.items.add(new File([text], name, { type: 'application/json' }));
      return made;
    }"""
    data = page.evaluate_handle(make, [name, text])
    page.dispatch_event("body", "drop", {"dataTransfer": data})


def test_a_recording_saved_on_one_page_is_drawn_on_another(
    book: Path, page: Page, tmp_path: Path
) -> None:
    run = opened(book, page)
    data = run.locator("details", has=page.locator("a[download]"))
    data.locator("summary").first.click()
    link = data.get_by_role("link", name="JSON").get_attribute("href") or ""
    file = tmp_path / "mine.json"
    file.write_text(unquote(link.partition(",")[2]), "utf-8")

    opened(book, page, "2-wait-time/prefork")
    dropped(page, "mine.json", file.read_text())
    drawing = page.get_by_role("region", name="Saved: many-cores")
    expect(drawing).to_be_focused()
    result = store.recording("many-cores")
    expect(of(drawing, result).locator(".point").first).to_be_visible()
    expect(drawing).to_contain_text(result.machine.caption)
    for sentence in showing(result).concluded(result):
        expect(drawing).to_contain_text(sentence)
    drawing.get_by_text("The numbers").click()
    rows = len(showing(result).table(result).rows)
    expect(drawing.locator("tbody tr")).to_have_count(rows)
    drawing.get_by_role("button", name="Take it away").click()
    expect(drawing).to_have_count(0)

    page.set_viewport_size({"width": 360, "height": 740})
    page.goto((book / "my-progress.html").as_uri())
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Draw a saved recording").click()
    chooser.value.set_files(file)
    expect(drawing.locator(".point").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


KINDS = ("wall-time", "prefork", "memory-per-worker", "a-shared-counter", "which-limit")
KINDS += ("whom-are-you-measuring", "classics-s1", "your-machine", "a-small-file")


@pytest.fixture
def drawer(book: Path, page: Page) -> Page:
    """The page on which files are dropped."""
    page.goto((book / "my-progress.html").as_uri())
    expect(page.get_by_role("button", name="Draw a saved recording")).to_be_visible()
    return page


def test_a_figure_of_every_kind_is_drawn_as_it_was_saved(drawer: Page) -> None:
    for name in KINDS:
        file = exported(name)
        dropped(drawer, f"{name}.json", json.dumps(file))
        drawing = drawer.get_by_role("region", name=f"Saved: {name}", exact=True)
        expect(drawing.locator(".wt-plot[data-drawn]")).to_be_visible()
        drawn = drawing.locator(".wt-plot").evaluate(
            "plot => JSON.parse(JSON.stringify(plot.data))"
        )
        assert drawn == json.loads(json.dumps(file["shown"]["figure"]["data"])), name


LINE = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1]}


def changed(**fields: object) -> str:
    file = exported("many-cores")
    file["shown"] |= fields
    return json.dumps(file)


def test_a_file_that_is_none_is_refused_in_a_sentence(drawer: Page) -> None:
    refused = [
        ("{", "not a file of JSON, or cut short."),
        ('{"kind": "sweep", "schema": NaN}', "not a file of JSON, or cut short."),
        ("[" * 200_000 + "]" * 200_000, "not a"),
        ('"words"', "not a recording of a lab."),
        ('{"book": "Wall Time", "schema": 1}', "not a recording of a lab."),
        ('{"kind": "sweep", "schema": 2}', "a recording that was saved without its figure"),
        (changed(version=2), "of a version that this page cannot draw."),
        (changed(figure={"data": []}), "its figure is none that a lab draws."),
        (changed(figure={"data": [{"type": "pie"}]}), "its figure is none that a lab draws."),
        (
            changed(figure={"data": [{"type": "scatter", "x": [0] * 40_000}]}),
            "its figure holds more than any lab’s.",
        ),
        (
            changed(figure={"data": [LINE], "layout": {"shapes": [{"type": "line"}] * 5000}}),
            "its figure holds more than any lab’s.",
        ),
        (
            changed(figure={"data": [{"type": "bar", "x": json.loads("[" * 50 + "]" * 50)}]}),
            "its figure holds more than any lab’s.",
        ),
        (" " * (9 * 2**20), "larger than 8 MiB"),
    ]
    for number, (text, said) in enumerate(refused):
        dropped(drawer, f"{number}.json", text)
        told = drawer.locator(".wt-saved").get_by_role("status")
        expect(told).to_contain_text(f"{number}.json: {said}")
        expect(drawer.locator(".wt-drawing")).to_have_count(0)


def test_a_file_s_figure_hangs_no_tab(drawer: Page) -> None:
    figures: list[tuple[dict[str, object], dict[str, object]]] = [
        ({}, {"tickformat": "0999999999d"}),
        ({}, {"dtick": 1e-6, "range": [0, 1e6], "type": "category"}),
        ({}, {"nticks": 1e9, "range": [0, 1e6]}),
        ({"line": {"dash": "0.00001px"}}, {}),
        ({"hovertemplate": "%{x:0999999999d}"}, {}),
        ({"x": ["1e308", "-1e308", 5e-324, 1e308]}, {"range": [-1e308, 1e308]}),
        ({"mode": "markers", "marker": {"size": 1e9}}, {"tickangle": 1e308}),
    ]
    for number, (trace, axis) in enumerate(figures):
        layout = {"xaxis": axis, "meta": {"narrow": {"xaxis": axis}}}
        figure = {"data": [LINE | trace], "layout": layout}
        dropped(drawer, f"{number}.json", changed(lab=f"odd-{number}", figure=figure))
        drawing = drawer.get_by_role("region", name=f"Saved: odd-{number}", exact=True)
        plot = drawing.locator(".wt-plot")
        expect(plot.locator(".cartesianlayer").first).to_be_visible()
        plot.locator(".nsewdrag").first.hover(position={"x": 1, "y": 1}, force=True)
        assert drawer.evaluate("1 + 1") == 2


def test_what_a_file_says_is_text_and_asks_no_other_host(drawer: Page) -> None:
    hostile = '<img src="https://example.com/x" onerror="document.title=\'hurt\'">'
    link = '<a href="https://example.com/">here</a>'
    shown = exported("many-cores")["shown"]
    figure = shown["figure"]
    figure["data"][0] |= {"name": hostile, "evil": hostile}
    figure["layout"]["annotations"][0]["text"] = link
    figure["layout"] |= {"height": 1e9, "images": [{"source": "https://example.com/x.png"}]}
    figure["layout"]["xaxis"]["rangebreaks"] = [{"bounds": [0, 0]}]
    table = {"head": [hostile], "rows": [[hostile, 1], "no row"]}
    said = [hostile, {"no": "text"}]
    more = {"figure": figure, "alt": hostile, "caption": hostile, "said": said, "table": table}
    dropped(drawer, "<b>odd</b>.json", changed(lab=hostile, **more))
    drawing = drawer.locator(".wt-drawing")
    expect(drawing.locator(".point").first).to_be_visible()
    expect(drawing.locator("figcaption")).to_have_text(hostile)
    expect(drawer.locator(".wt-saved").get_by_role("status")).to_contain_text("<b>odd</b>.json is")
    assert drawing.locator(":is(img, image, a[href], [onerror])").count() == 0
    plot = drawing.locator(".wt-plot")
    assert plot.evaluate("plot => plot.layout.height") <= 2500
    expect(plot).to_contain_text('<a href="https://example.com/">here</a>')
    assert drawer.title() != "hurt"
