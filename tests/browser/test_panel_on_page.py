"""The real panels in a real browser, with real servers and real load."""

import contextlib
import json
import os
import re

import psutil
import pytest
from labs_on_page import RUN_MS, button, commit, lab, live, one_picture, state
from playwright.sync_api import Dialog, Locator, Page, expect
from serving import BookServer
from waiting import eventually

from labs.host.lock import PATIENCE_S
from labs.host.process_tree import MARK

SESSION = "WALL_TIME_TEST_SESSION"  # set by tests/conftest.py
LAB_MS = 60_000.0  # JupyterLab's own start included
END_S = 20.0  # of a kernel whose page was left, on a busy machine

# What moves paints a frame at every refresh, on the cores that are measured.
MOVING = """panel => {
  window.moved = [];
  for (const begin of ['transitionrun', 'animationstart']) {
    panel.addEventListener(begin, (event) => window.moved.push(
      `${event.propertyName ?? event.animationName} of ${event.target.className}`));
  }
}"""

pytestmark = pytest.mark.measures


def opened(panels: BookServer, page: Page) -> Locator:
    shown = live(page, panels, "index")
    expect(shown.locator(".wt-about")).to_contain_text("1 event loop run by our own code")
    return shown


def names(shown: Locator) -> list[str]:
    """What the legend of the sweep's figure lists."""
    return [text.strip() for text in shown.locator(".wt-figure .legendtext").all_text_contents()]


def measured(shown: Locator) -> int:
    """Points of this machine in the first plot: they alone are round. At first none is drawn."""
    figure = shown.locator(".wt-figure .wt-plot")
    count = (
        "node => (node.data ?? []).filter(t => t.xaxis === 'x' && t.name.startsWith('measured'))"
        ".reduce((n, t) => n + t.x.length, 0)"
    )
    return int(figure.evaluate(count))


def of_a_run() -> list[psutil.Process]:
    """Live processes that a lab of these tests has started."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            marks = process.environ()
            ours = marks.get(SESSION) == os.environ[SESSION] and MARK in marks
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


@pytest.mark.extended
def test_what_a_panel_says_is_put_where_a_reader_listens_already(
    panels: BookServer, page: Page
) -> None:
    """A live region that arrives together with its words is not read out."""
    shown = opened(panels, page)
    aloud = lab(page).locator(".wt-aloud")
    expect(aloud).to_have_text("")
    aloud.evaluate("node => (window.aloud = node)")
    for press, said in (("Skip", "takes about"), ("Run", "starting"), ("Stop", "Stopped")):
        button(shown, press).click()
        expect(aloud).to_contain_text(said)
        assert aloud.evaluate("node => node === window.aloud && node.role === 'status'")
    expect(shown.get_by_role("status")).to_have_count(0)  # nothing is read out twice
    expect(aloud).to_have_text("")  # who reads on does not meet all of it once more


@pytest.mark.extended
def test_who_leaves_during_a_run_is_asked_first(panels: BookServer, page: Page) -> None:
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss() if len(asked) == 1 else dialog.accept()

    shown = opened(panels, page)
    page.on("dialog", answer)
    button(shown, "Skip").click()
    page.reload()  # nothing is measured, so nobody is asked
    assert not asked
    shown = opened(panels, page)
    button(shown, "Skip").click()
    button(shown, "Run").click()
    expect(button(shown, "Stop")).to_be_enabled()
    here, away = page.url, page.get_by_role("link", name="Levers").first
    with page.expect_event("dialog"):
        away.click(no_wait_after=True)
    assert asked == ["beforeunload"] and page.url == here
    expect(button(shown, "Stop")).to_be_enabled()
    eventually(of_a_run, PATIENCE_S, "a run that goes on")  # it waits while another test measures
    away.click()
    expect(page).to_have_url(re.compile("levers"))
    assert len(asked) == 2
    eventually(lambda: not of_a_run(), END_S, "the end of the run that was left")


@pytest.mark.performance
def test_predict_measure_explain(panels: BookServer, page: Page) -> None:
    page.goto(panels.page("index"))
    expect(lab(page).locator("figure.wt-recorded figcaption")).to_contain_text("2 cores, Example")
    shown = opened(panels, page)
    answer = page.get_by_label("Your answer to 3.4")
    answer.fill("3")
    answer.press("Enter")
    expect(page.get_by_text("First press Run in the lab “many-cores”")).to_be_visible()
    expect(button(shown, "Run")).to_be_disabled()
    assert names(shown) == []  # the recorded run is an answer too
    bar = shown.locator(".wt-actions").first
    below = shown.evaluate("node => node.getBoundingClientRect().bottom") - bar.evaluate(
        "node => node.getBoundingClientRect().bottom"
    )
    assert below < 50  # no room for what is not there yet

    shown.get_by_role("textbox", name="Your prediction").fill("100")
    shown.get_by_role("textbox", name="Your prediction").press("Enter")
    expect(button(shown, "Run")).to_be_enabled()
    seen = {"forecast", "bound", "recorded on 2 cores"}
    eventually(lambda: seen <= set(names(shown)), 10, "the model")
    shown.evaluate(MOVING)
    button(shown, "Run").click()
    expect(button(shown, "Stop")).to_be_enabled()
    assert page.evaluate("wallTime.measuring()")  # by which scenes know that they must not move
    eventually(lambda: measured(shown) == 1, RUN_MS / 1000, "the first point")
    expect(shown.locator(".wt-strip canvas[data-drawn]")).to_be_visible()
    expect(shown.get_by_text("4 users")).not_to_have_count(0)
    verdict = shown.locator(".wt-prediction")  # where the bet stands
    expect(verdict).to_contain_text(re.compile("You said 100.*it was"), timeout=RUN_MS)
    assert measured(shown) == 2
    assert page.evaluate("window.moved") == []
    page.wait_for_function("!wallTime.measuring()")

    shown.get_by_text("Data: the numbers, and as files").click()
    expect(shown.locator(".wt-data tbody tr:not(.wt-reason)")).to_have_count(2)
    one_picture(shown.locator(".wt-figure figure"))
    key = json.loads(shown.locator("script.wt-keys").text_content())["3.4"]
    answer.fill(f"{key['answer']:.3g}")
    answer.press("Enter")
    expect(page.locator(".wt-reply").last).to_contain_text(
        re.compile("Right: .* Your measurement knows it")
    )

    results = shown.locator(".wt-results")
    shown.get_by_role("slider", name="Wait time").press("ArrowRight")
    expect(results).to_have_css("opacity", "0.7")  # it is of other settings

    shown = opened(panels, page)  # once more: run, settings and bet come back
    expect(shown.locator(".wt-prediction")).to_contain_text("You said 100")
    expect(shown.get_by_text("Your run of")).to_be_visible()
    assert measured(shown) == 2


@pytest.mark.extended
@pytest.mark.parametrize("by", ["Commit", "Enter"])
def test_what_is_typed_in_haste_is_kept_whole(panels: BookServer, page: Page, by: str) -> None:
    """However busy Python is: the library lets a press overtake what was typed before. So a press
    waits until Python is done with that."""
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda words: sent.append(words)))
    press = '"event":"submit"' if by == "Enter" else '"event":"click"'
    shown = opened(panels, page)
    kernel = panels.kernel_process()
    kernel.suspend()
    try:
        number = shown.get_by_role("textbox", name="Your prediction")
        number.press_sequentially("123")
        expect(number).to_have_value("123")
        page.keyboard.press("Enter") if by == "Enter" else button(shown, "Commit").click()
        assert not any(press in str(each) for each in sent)
    finally:
        kernel.resume()
    expect(shown.locator(".wt-prediction")).to_contain_text("You said 123", timeout=RUN_MS)
    assert any(press in str(each) for each in sent)


@pytest.mark.extended
def test_figures_bet_and_run_are_in_sight_together(panels: BookServer, page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    shown = opened(panels, page)
    commit(shown, "100")
    figure = shown.locator(".wt-figure .wt-plot[data-drawn]")
    expect(figure).to_be_visible()
    expect(shown.get_by_text("You said")).to_be_visible()
    eventually(lambda: "forecast" in names(shown), 10, "the model")
    header = page.locator(".bd-header-article").bounding_box()
    top = header["y"] + header["height"] if header else 0.0
    shown.evaluate("(node, top) => scrollBy(0, node.getBoundingClientRect().top - top)", top)
    for part in (shown.locator(".wt-prediction"), button(shown, "Run"), figure):
        box = part.bounding_box()
        assert box and top <= box["y"] and box["y"] + box["height"] <= 900, (part, box)


def test_the_keyboard_goes_from_the_heading_to_the_bet_to_run_to_stop_and_back(
    panels: BookServer, page: Page
) -> None:
    """In eight tabs. What is pressed is disabled or hidden by it, and would drop the focus."""
    shown = opened(panels, page)
    page.locator(".bd-article h1").first.evaluate("node => { node.tabIndex = -1; node.focus() }")
    bet = shown.get_by_role("textbox", name="Your prediction")
    tabs = 0
    while not bet.evaluate("node => node === document.activeElement"):
        page.keyboard.press("Tab")
        tabs += 1
        assert tabs <= 8, page.evaluate("document.activeElement.outerHTML")[:200]
    more = button(shown, "More settings")  # what is folded is no stop, and unfolds by the keyboard
    expect(shown.get_by_role("slider", name="CPU time")).to_be_hidden()
    more.focus()
    page.keyboard.press("Enter")
    expect(shown.get_by_role("slider", name="CPU time")).to_be_visible()
    bet.focus()
    page.keyboard.type("100")
    page.keyboard.press("Enter")
    expect(button(shown, "Run")).to_be_focused()
    page.keyboard.press("Enter")
    expect(button(shown, "Stop")).to_be_focused()
    page.keyboard.press("Enter")
    expect(button(shown, "Run")).to_be_focused()
    panels.kernel_process().kill()
    state(page, "lost")
    page.locator(".wt-status button").focus()
    page.keyboard.press("Enter")
    state(page, "starting", "live")
    expect(page.locator(".wt-status [role=status]")).to_be_focused()


@pytest.mark.extended
def test_eyes_ears_and_small_screens(panels: BookServer, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    shown = opened(panels, page)
    slider = shown.get_by_role("slider", name="Wait time")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("50.ms"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("100.ms"))
    expect(shown.locator(".wt-about")).to_contain_text(re.compile("wait for 100.ms"))
    cut = "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth + 1).length"
    assert shown.locator(".widget-readout:visible").evaluate_all(cut) == 0
    button(shown, "Skip").click()
    figure = shown.get_by_role("figure", name=re.compile("^Throughput and response time over 2 to"))
    expect(figure).to_be_visible()
    edges = "nodes => Math.max(...nodes.map(node => node.getBoundingClientRect().right))"
    inside = page.locator(".wt-panel *:not(.wt-data *)")  # a wide table scrolls by itself
    assert inside.evaluate_all(edges) <= 391
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 844, "height": 390})
    plot = figure.locator(".main-svg").first
    eventually(lambda: (plot.bounding_box() or {"width": 0})["width"] > 500, 5, "a wider plot")


@pytest.mark.extended
def test_in_jupyterlab_the_same_panel_runs(panels: BookServer, page: Page) -> None:
    page.goto(panels.page("index").replace("/book/index.html", "/lab"))
    files = page.locator(".jp-DirListing-content")
    files.get_by_text("index.md", exact=True).dblclick(timeout=LAB_MS)
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=LAB_MS)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells").first.click()
    shown = page.locator(".wt-panel").first
    button(shown, "Skip").click(timeout=LAB_MS)
    button(shown, "Run").click()
    eventually(lambda: measured(shown) == 1, LAB_MS / 1000, "the first point")
    # Of which points it speaks, if of any, depends on how quiet the machine was.
    verdict = re.compile(r"\b[24] users\b|None of the 2 points")
    expect(shown.locator(".wt-verdict")).to_contain_text(verdict, timeout=LAB_MS)
