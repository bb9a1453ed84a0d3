"""What a reader does before the live panels are there carries over to them."""

from pathlib import Path

import pytest
from conftest import StartServer
from labs_on_page import lab, panel, state
from playwright.sync_api import Page, expect
from serving import PROJECT, BookServer

# On the recorded face, as soon as it asks: a bet, a skip, and a number that is half typed. Then, on
# every frame, which labs ask or hide what they had shown. Python is held back for so long.
AT_ONCE = """(() => {
  const asked = window.fetch, acts = [
    (form) => { form.elements[0].value = '100'; form.requestSubmit(); },
    (form) => form.querySelector('button[type=button]').click(),
    (form) => { form.elements[0].value = '1.5'; form.elements[0].focus(); },
  ];
  window.fetch = async (...about) => {
    const held = String(about[0]).endsWith('book/session') ? HELD : 0;
    if (held) await new Promise((resolve) => setTimeout(resolve, held));
    return asked(...about);
  };
  window.wrong = [];
  const said = new Set(), shown = new Set();
  const look = () => {
    const labs = [...document.querySelectorAll('.cell.tag_lab')].filter((each) =>
      each.querySelector('.wt-bet, .wt-prediction'));
    labs.forEach((each, nth) => {
      const form = each.querySelector('.wt-bet form');
      if (form && nth < acts.length && !said.has(nth)) return said.add(nth), acts[nth](form);
      if (nth > 1) return;
      const visible = (what) => [...each.querySelectorAll(what)].some((node) =>
        node.checkVisibility({ visibilityProperty: true }));
      if (visible('form, .wt-prediction input')) window.wrong.push(`lab ${nth} asks again`);
      const figure = visible('figure.wt-recorded, .wt-figure .wt-plot[data-drawn]');
      if (shown.has(nth) && !figure) window.wrong.push(`lab ${nth} hides its figure`);
      if (figure) shown.add(nth);
    });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();"""


@pytest.mark.performance  # frame by frame: a browser on a busy machine may miss some
@pytest.mark.parametrize("held_ms", [0, pytest.param(5_000, marks=pytest.mark.extended)])
def test_what_is_done_before_a_panel_comes_carries_over(
    panels: BookServer, page: Page, held_ms: int
) -> None:
    page.add_init_script(AT_ONCE.replace("HELD", str(held_ms)))
    page.goto(panels.page("index"))
    for _ in range(2):  # and after a reload
        state(page, "live")
        expect(panel(page).locator(".wt-prediction")).to_contain_text("You said 100")
        expect(panel(page, 3).locator(".wt-prediction")).to_contain_text("Skipped: ")
        number = panel(page, 4).get_by_role("textbox", name="Your prediction")
        expect(number).to_have_value("1.5")
        assert page.evaluate("window.wrong") == []
        page.reload()
    page.goto(panels.page("my-progress"))
    expect(page.locator(".wt-progress")).to_contain_text("1 prediction, 0 of them measured")


@pytest.mark.extended
def test_code_half_typed_when_python_comes_is_not_run_and_keys_reach_it(
    panels: BookServer, page: Page
) -> None:
    page.add_init_script(AT_ONCE.replace("HELD", "5000"))
    page.goto(panels.page("index"))
    code = lab(page, 2).get_by_role("textbox", name="The code of this lab")
    code.press("ControlOrMeta+End")
    code.press_sequentially("\nexercise(")
    state(page, "live")
    expect(code).to_contain_text('exercise("3.1", seed="Ann")\nexercise(')
    expect(code).to_be_focused()
    expect(lab(page, 2).get_by_role("alert")).to_have_count(0)
    expect(lab(page, 2).locator(".cell_input pre")).to_have_attribute("tabindex", "-1")
    assert code.evaluate("code => code.tabIndex") == 0  # the theme took its frame out of the way
    code.press("ControlOrMeta+a")
    code.press_sequentially("1 + 1")
    code.press("Shift+Enter")
    expect(panel(page, 2)).to_contain_text("]:2")


@pytest.mark.extended
def test_a_number_being_typed_when_a_panel_comes_is_typed_on(
    panels: BookServer, page: Page
) -> None:
    page.add_init_script(AT_ONCE.replace("HELD", "5000").replace("acts =", "acts = [], none ="))
    page.goto(panels.page("index"))
    lab(page).get_by_role("textbox", name="Your prediction").press_sequentially("12")
    state(page, "live")
    number = panel(page).get_by_role("textbox", name="Your prediction")
    expect(number).to_be_focused()
    number.press("3")
    number.press("Enter")
    expect(panel(page).locator(".wt-prediction")).to_contain_text("You said 123")


@pytest.mark.extended
def test_a_slider_and_an_answer_stay_as_python_comes_and_no_replay_was_begun(
    book: Path, live_server: StartServer, page: Page
) -> None:
    page.add_init_script(AT_ONCE.replace("HELD", "5000").replace("acts =", "acts = [], none ="))
    page.goto(live_server(book, root=PROJECT).page("1-cpu-time/one-core"))
    slider = page.locator(".wt-scene-sliders input").first
    slider.fill(str(slider.get_attribute("max")))
    answer = page.locator("form.wt-check").first
    answer.get_by_role("textbox").fill("12345")
    answer.get_by_role("button", name="Check").click()
    expect(answer.locator(".wt-answer")).not_to_be_empty()
    before = slider.input_value(), answer.inner_text()
    state(page, "starting")
    expect(page.get_by_role("button", name="Replay")).to_have_count(0)
    state(page, "live")
    expect(panel(page).get_by_role("button", name="Run", exact=True)).to_be_visible()
    assert (slider.input_value(), answer.inner_text()) == before
    expect(answer.get_by_role("textbox")).to_have_value("12345")
