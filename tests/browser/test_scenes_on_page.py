"""A scene in a browser: keyboard, touch, reduced motion, and what stands there without scripts."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

PAGE = "chapter/scenes.html"
POOL, BET, FRONT, CURVES, LITTLE = range(5)
SAMPLES, QUOTA = 8, 10


def scene(page: Page, number: int = POOL) -> Locator:
    found = page.locator("wt-scene").nth(number)
    expect(found.locator(".wt-scene-live")).to_be_attached()
    found.scroll_into_view_if_needed()
    return found


def clock(found: Locator) -> float:
    said = found.locator(".wt-scene-time").inner_text()
    return float(re.findall(r"[\d.]+", said)[0])


@pytest.fixture
def opened(site: Path, page: Page) -> Page:
    page.goto((site / PAGE).as_uri())
    return page


@pytest.fixture
def still(site: Path, another: Callable[..., Page]) -> Page:
    """A telephone of somebody who wants nothing to move."""
    size = {"width": 360, "height": 740}
    page = another(viewport=size, reduced_motion="reduce", has_touch=True)
    page.goto((site / PAGE).as_uri())
    return page


def test_only_a_page_with_a_scene_loads_them(site: Path) -> None:
    with_one = (site / PAGE).read_text("utf-8")
    without = (site / "chapter/lab.html").read_text("utf-8")
    assert "lib/scenes.js" in with_one
    assert "lib/scenes.js" not in without


NEWS = """scene => {
  window.news = 0;
  const seen = (records) => { window.news += records.length; };
  for (const part of scene.querySelectorAll('table, .wt-scene-time')) {
    new MutationObserver(seen).observe(part, { subtree: true, childList: true });
  }
}"""


def test_it_says_that_it_is_simulated_and_plays_when_asked(opened: Page) -> None:
    pool = scene(opened)
    expect(pool.locator(".wt-scene-head")).to_contain_text("Simulated")
    expect(pool.locator(".wt-scene-still")).to_be_hidden()
    pool.evaluate(NEWS)
    began = clock(pool)
    play = pool.get_by_role("button", name="Play")
    play.focus()
    opened.keyboard.press("Enter")
    expect(pool.get_by_role("button", name="Pause")).to_be_focused()
    opened.wait_for_function(
        "was => parseFloat(document.querySelector('.wt-scene-time')"
        ".textContent.replace(/[^0-9.]/g, '')) > was",
        arg=began,
    )
    assert opened.evaluate("window.news") == 0  # numbers that change are no new parts of the page
    opened.keyboard.press("Enter")
    expect(play).to_be_focused()


def test_the_goal_is_ticked_off_by_keyboard(opened: Page) -> None:
    pool = scene(opened)
    expect(pool.get_by_role("row", name="in line")).to_contain_text("32")
    slider = pool.get_by_role("slider", name="workers")
    slider.focus()
    for _ in range(4):
        opened.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "96")
    goal = pool.locator(".wt-scene-goal")
    expect(goal).not_to_have_attribute("data-reached", "yes")
    pool.get_by_role("button", name="10 s ahead").press("Enter")
    expect(goal).to_have_attribute("data-reached", "yes")
    expect(pool.get_by_role("status")).to_contain_text("Reached")
    expect(pool.get_by_role("row", name="in line")).to_contain_text("0")


def test_a_bet_comes_before_the_numbers_by_the_rules_of_all_bets(opened: Page) -> None:
    bet = scene(opened, BET)
    expect(bet.get_by_role("button", name="Play")).to_be_disabled()
    expect(bet.get_by_role("table")).to_be_hidden()
    asked = bet.get_by_role("group", name="Your prediction")
    expect(asked).to_contain_text("Before you look: How many requests per second?")
    number = asked.get_by_role("textbox", name="Your prediction")
    number.fill("6,000 req/min")
    number.press("Enter")
    expect(bet.get_by_role("table")).to_be_visible()
    expect(bet.get_by_role("button", name="Play")).to_be_focused()
    ahead, said = bet.get_by_role("button", name="10 s ahead"), bet.get_by_role("status")
    told = re.compile(r"You said 100.req/s, and it was (79\.\d|80) .*: yours was 2\d.% too high\.")
    ahead.click()
    expect(said).to_contain_text(told)
    opened.reload()
    scene(opened, BET)
    expect(asked).to_have_count(0)
    ahead.click()
    expect(said).to_contain_text(told)
    bet.get_by_role("slider", name="users").press("Home")  # of that nobody has bet
    ahead.click()
    expect(said).not_to_contain_text("You said")


def test_who_always_wants_to_see_or_has_skipped_is_not_asked_at_a_scene(opened: Page) -> None:
    bet = scene(opened, BET)
    bet.get_by_role("button", name="Skip").click()
    opened.reload()
    expect(scene(opened, BET).get_by_role("table")).to_be_visible()
    expect(scene(opened, SAMPLES).get_by_role("table")).to_be_hidden()
    opened.evaluate("localStorage.setItem('wall-time-always-show', 'yes')")
    opened.reload()
    expect(scene(opened, SAMPLES).get_by_role("table")).to_be_visible()


def test_a_goal_stays_reached(opened: Page) -> None:
    goal = scene(opened, QUOTA).locator(".wt-scene-goal")
    expect(goal).not_to_contain_text("Reached")
    scene(opened, QUOTA).get_by_role("slider", name="workers").press("Home")
    expect(goal).to_contain_text("Reached.")
    opened.reload()
    scene(opened, QUOTA)
    expect(goal).to_have_attribute("data-reached", "yes")
    expect(goal).to_contain_text("Reached.")
    expect(scene(opened, QUOTA).get_by_role("status")).not_to_contain_text("Reached")
    expect(scene(opened, POOL).locator(".wt-scene-goal")).not_to_contain_text("Reached")


def test_a_button_held_down_sends_requests(opened: Page) -> None:
    front = scene(opened, FRONT)
    button = front.get_by_role("button", name="Hold to send requests")
    button.focus()
    opened.keyboard.down("Space")
    expect(front.locator(".wt-scene-goal")).to_have_attribute("data-reached", "yes")
    opened.keyboard.up("Space")
    front.get_by_role("button", name="Pause").click()


def test_step_by_step_where_nothing_is_to_move(still: Page) -> None:
    front = scene(still, FRONT)
    expect(front.get_by_role("button", name="Play")).to_be_hidden()
    front.get_by_role("button", name="Hold to send requests").tap()
    expect(front.get_by_role("status")).to_contain_text("A worker takes request 1.")
    expect(front.get_by_role("row", name="under way")).to_contain_text("1")
    front.get_by_role("button", name="Step").tap()
    expect(front.get_by_role("status")).to_contain_text("Request 1 has had its CPU time.")


def test_without_scripts_a_picture_and_a_sentence_are_there(
    site: Path, another: Callable[..., Page]
) -> None:
    plain = another(java_script_enabled=False)
    plain.goto((site / PAGE).as_uri())
    pool = plain.locator("wt-scene").first
    expect(pool).to_contain_text("Simulated: 96 users and a pool of 64.")
    expect(pool.get_by_role("img", name="In line: 32")).to_be_visible()
    expect(pool.get_by_role("button")).to_have_count(0)


def test_it_sleeps_off_the_screen(opened: Page) -> None:
    pool = scene(opened)
    pool.get_by_role("button", name="Play").click()
    opened.evaluate(
        """() => {
          window.frames_asked = 0;
          const ask = window.requestAnimationFrame;
          window.requestAnimationFrame = (f) => { window.frames_asked += 1; return ask(f); };
        }"""
    )
    opened.wait_for_function("window.frames_asked > 2")
    opened.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(pool).not_to_be_in_viewport()
    opened.wait_for_function(
        """new Promise((done) => {
          const was = window.frames_asked;
          setTimeout(() => done(window.frames_asked === was), 300);
        })"""
    )


def test_nothing_moves_while_a_lab_measures(opened: Page) -> None:
    """It would take CPU from what is measured."""
    pool = scene(opened)
    play = pool.get_by_role("button", name="Play")
    play.click()
    expect(pool.get_by_role("button", name="Pause")).to_be_visible()
    opened.evaluate("wallTime.measuring = () => true")
    expect(play).to_be_visible()
    expect(pool.get_by_role("status")).to_contain_text("a lab on this page is measuring")
    stands = clock(pool)
    play.click()
    expect(play).to_be_visible()
    assert clock(pool) == stands
    opened.evaluate("wallTime.measuring = () => false")
    play.click()
    expect(pool.get_by_role("button", name="Pause")).to_be_visible()


def test_a_slider_of_the_shop_is_dragged_by_a_finger(still: Page) -> None:
    pool = scene(still)
    slider = pool.get_by_role("slider", name="workers")
    expect(slider).to_have_attribute("aria-valuetext", "64")
    row = pool.get_by_role("row", name="requests a second X")
    before = row.inner_text()  # the bound of so many workers, too
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box
    finger = still.context.new_cdp_session(still)
    there = still.evaluate("scrollY")
    moves = [("Start", [0.6]), *(("Move", [0.6 - step / 20]) for step in range(10)), ("End", [])]
    for kind, at in moves:
        points = [{"x": box["x"] + part * box["width"], "y": box["y"] + 8} for part in at]
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    value = int(slider.get_attribute("aria-valuetext") or "0")
    assert 1 <= value < 64
    expect(row).not_to_have_text(before)
    assert still.evaluate("scrollY") == there


def test_a_departure_is_dragged_over_the_end(opened: Page) -> None:
    little = scene(opened, LITTLE)
    expect(little.get_by_role("spinbutton")).to_have_count(0)  # no dice, no seed
    leaves = little.get_by_role("slider", name="leaves at")
    expect(leaves).to_have_attribute("aria-valuetext", "4.7 s")
    canvas = little.locator("canvas")
    box = canvas.bounding_box()
    assert box
    across, up = (box["width"] - 16) / 12, (box["height"] - 34) / 4
    y = box["height"] - 24 - 3.5 * up
    canvas.drag_to(
        canvas,
        source_position={"x": 8 + 4.7 * across, "y": y},
        target_position={"x": 8 + 11 * across, "y": y},
    )
    expect(leaves).to_have_attribute("aria-valuetext", "11.0 s")
    expect(little.locator(".wt-scene-goal")).to_have_attribute("data-reached", "yes")
    little.get_by_role("button", name="Again").press("Enter")
    expect(leaves).to_have_attribute("aria-valuetext", "4.7 s")
    little.get_by_role("button", name="Step").press("Enter")
    expect(little.get_by_role("status")).to_have_text("At 0.5 s: request 1 comes, 1 inside.")
    little.get_by_role("combobox", name="Count the area").select_option("columns")
    expect(little.get_by_role("status")).to_contain_text("by columns")


OWN_BUTTONS = {
    "lanes": ["Insert a blocking call", "10 s ahead"],
    "interleave": [f"{thread} goes" for thread in "BAAAAAABBABBBBBBAA"],
}


def test_buttons_of_a_scene_s_own_reach_its_goal_by_keyboard(opened: Page) -> None:
    for name, presses in OWN_BUTTONS.items():
        found = opened.locator(f"wt-scene[name={name}]")
        expect(found.locator(".wt-scene-live")).to_be_attached()
        goal = found.locator(".wt-scene-goal")
        expect(goal).not_to_have_attribute("data-reached", "yes")
        for what in presses:
            found.get_by_role("button", name=what).press("Enter")
        expect(goal).to_have_attribute("data-reached", "yes")


def test_a_turn_lays_out_the_scene_and_not_the_page(opened: Page, browser: Browser) -> None:
    curves = scene(opened, CURVES)
    slider = curves.get_by_role("slider", name="users")
    slider.focus()  # with 16 users
    browser.start_tracing(page=opened, categories=["devtools.timeline"])
    for _ in range(5):
        was = slider.get_attribute("aria-valuetext")
        opened.keyboard.press("ArrowLeft")
        now = slider.get_attribute("aria-valuetext")
        assert now != was
        expect(curves.get_by_role("rowheader").nth(0)).to_contain_text(f"{now} users")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    laid_out = [event["args"].get("endData", {}) for event in events if event["name"] == "Layout"]
    roots = [root["nodeName"].lower() for end in laid_out for root in end.get("layoutRoots", [])]
    alone = sum(root.startswith("wt-scene") for root in roots)
    assert alone > len(roots) / 2, roots


@pytest.mark.extended
def test_a_scene_has_room_for_all_that_it_says(still: Page) -> None:
    fits = (
        "node => { const live = node.querySelector('.wt-scene-live');"
        " const { paddingTop, paddingBottom, contain } = getComputedStyle(node);"
        " const high = node.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);"
        " return contain === 'strict' && Math.abs(live.offsetHeight - high) <= 1; }"
    )
    several = [scene(still, number) for number in (POOL, BET, SAMPLES, QUOTA)]
    for found in several:
        found.scroll_into_view_if_needed()
        node = found.element_handle()
        still.wait_for_function(fits, arg=node)
        skip = found.get_by_role("button", name="Skip")
        if skip.count():
            skip.tap()
        found.get_by_role("button", name="10 s ahead").tap()
        still.wait_for_function(fits, arg=node)
    still.set_viewport_size({"width": 740, "height": 360})
    for found in several:
        still.wait_for_function(fits, arg=found.element_handle())
    still.emulate_media(media="print")
    for found in several:
        assert found.evaluate("node => getComputedStyle(node).contain") == "none"
