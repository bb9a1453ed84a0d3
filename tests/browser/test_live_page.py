"""A page goes live by itself, its labs answer, and their code can be changed."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Heard, StartServer
from labs_on_page import code_of, lab, live, panel, recovers_by, run, state, works, write
from playwright.sync_api import Locator, Page, WebSocket, WebSocketRoute, expect
from serving import BookServer
from waiting import eventually

# Looks at every lab of the page on every frame: is anything drawn in it?
WATCH = """
window.empty = [];
const look = () => {
  const cells = [...document.querySelectorAll('.cell.tag_lab')];
  for (const [number, cell] of cells.entries()) {
    const drawn = [...cell.querySelectorAll('.wt-plot[data-drawn]')]
      .some(plot => plot.checkVisibility({visibilityProperty: true}));
    if (cell.dataset.seen && !drawn) window.empty.push([number, performance.now()]);
    if (drawn) cell.dataset.seen = 'yes';
  }
  requestAnimationFrame(look);
};
addEventListener('DOMContentLoaded', look);
"""

COPY = """
text => {
  const rich = `<p style="font-size: 40px">${text.replaceAll('\\n', '</p><p>')}</p>`;
  const types = { 'text/plain': text, 'text/html': rich };
  return navigator.clipboard.write([new ClipboardItem(types)]);
}
"""
HALF_A_WIDGET = """from comm import create_comm; create_comm("jupyter.widget", {"state": {
    "_model_name": "VBoxModel", "_model_module": "@jupyter-widgets/controls", "children":
    ["IPY_MODEL_lost"], "_model_module_version": "2.0.0"}}, metadata={"version": "2.1.0"});"""
TELL = "print(In[-1].encode().hex())"  # what the kernel was asked to run


@pytest.mark.extended
def test_a_panel_is_shown_when_all_that_it_says_goes_one_way(
    server: BookServer, page: Page
) -> None:
    """The library sends the first words to the cells' thread and the later ones to another, and
    Python heard them in any order: “123” became “1”."""
    held: list[str | bytes] = []
    let_through = False

    def between(socket: WebSocketRoute) -> None:
        far = socket.connect_to_server()
        release.append(lambda: [socket.send(each) for each in held])

        def back(message: str | bytes) -> None:
            bits = message if isinstance(message, bytes) else message.encode()
            if b"create_subshell_reply" in bits and not let_through:
                held.append(message)
            else:
                socket.send(message)

        far.on_message(back)

    release: list[Callable[[], object]] = []
    page.route_web_socket(re.compile("/channels"), between)
    page.goto(server.page("chapter/lab"))
    page.wait_for_selector(".wt-behind .wt-plot[data-drawn]", state="attached")
    for _ in range(60):  # a second in which it could be shown
        page.evaluate("new Promise(requestAnimationFrame)")
    assert len(held) == 1
    expect(panel(page)).to_have_count(0)
    let_through = True
    release[0]()
    works(page)


def test_recorded_at_once_then_live_without_a_flicker(
    server: BookServer, page: Page, heard: Heard
) -> None:
    page.add_init_script(WATCH)
    page.goto(server.page("chapter/lab"))
    expect(lab(page).locator("figure.wt-recorded .point")).to_have_count(3)
    state(page, "live")
    expect(page.locator("figure.wt-recorded")).to_have_count(0)
    works(page)
    assert page.evaluate("window.empty") == []
    assert "token" not in page.url
    expect(panel(page).get_by_role("slider", name="Rate")).to_be_visible()
    assert len([each for each in heard.sockets if "/channels" in each]) == 1
    assert "Warming a kernel" not in server.log()  # or it would tell what went wrong


def test_python_is_asked_for_early_and_ends_with_a_page_that_never_took_it(
    server: BookServer, page: Page
) -> None:
    page.route(re.compile(r"lib/live\.js"), lambda route: None)  # it never comes
    with page.expect_websocket(lambda socket: "/channels" in socket.url):
        page.goto(server.page("chapter/lab"), wait_until="commit")
    mine = server.kernel()
    page.goto("about:blank")
    eventually(
        lambda: mine not in {each["kernel"]["id"] for each in server.ask("api/sessions")},
        20,
        "the end of the Python of a page that was left",
    )


def unfolded(server: BookServer, page: Page) -> Locator:
    """The code of the second lab of the live page, to be edited."""
    live(page, server)
    return code_of(page, 2)


def test_its_code_can_be_unfolded_edited_and_run_again(server: BookServer, page: Page) -> None:
    cell, code = lab(page, 2), unfolded(server, page)
    expect(code).to_have_text('lab("second", rate=30)')
    readout = panel(page, 2).locator(".widget-readout")
    expect(readout).to_have_text("30")

    write(code, 'lab("second", rate=44)')
    cell.get_by_role("button", name="Run this code").click()
    expect(readout).to_have_text("44")
    expect(cell.get_by_role("button", name="Run this code")).to_be_focused()
    run(panel(page, 2))

    write(code, "1 / (0")
    code.press("Shift+Enter")
    expect(cell.get_by_role("alert")).to_have_text(re.compile(r"^SyntaxError: .*\(line 1\)$"))

    write(code, "1 / 0")
    code.press("Shift+Enter")
    expect(cell.get_by_role("alert")).to_contain_text("ZeroDivisionError: division by zero")
    expect(cell.get_by_text("Traceback")).to_be_hidden()
    cell.get_by_text("Where Python stopped").click()
    expect(cell.get_by_text("Traceback")).to_be_visible()

    cell.get_by_role("button", name="Back to the book").click()
    expect(code).to_have_text('lab("second", rate=30)')
    expect(cell.locator(".wt-live.wt-stale")).to_have_count(1)  # its error is of other code
    cell.get_by_role("button", name="Run this code").click()
    expect(readout).to_have_text("30")
    run(panel(page, 2))


@pytest.mark.extended
def test_code_that_does_not_end_is_stopped_and_python_is_as_before(
    server: BookServer, page: Page
) -> None:
    cell, code = lab(page, 2), unfolded(server, page)
    write(code, "kept = 7\nwhile True: pass")
    run_code = cell.get_by_role("button", name="Run this code")
    stop = cell.get_by_role("button", name="Stop this code")
    expect(stop).to_be_hidden()
    run_code.click()
    expect(cell.locator(".cell_output")).to_have_class(re.compile("wt-stale"))
    stop.click()
    expect(cell.get_by_role("alert")).to_have_text("Stopped, before it had come to its end.")
    expect(cell.locator(".cell_output")).not_to_have_class(re.compile("wt-stale"))
    expect(stop).to_be_hidden()
    expect(run_code).to_be_focused()
    write(code, "print(6 * kept)")
    code.press("Shift+Enter")
    expect(cell.locator(".cell_output")).to_contain_text("42")


@pytest.mark.extended
def test_a_widget_that_lost_a_part_is_no_error_of_the_page(server: BookServer, page: Page) -> None:
    code = unfolded(server, page)
    with page.expect_console_message(lambda told: "model not found" in told.text):
        write(code, HALF_A_WIDGET)
        code.press("Shift+Enter")
    run(panel(page, 1))


@pytest.mark.extended
def test_a_page_that_is_left_while_its_code_runs_is_no_news_in_the_terminal(
    server: BookServer, page: Page
) -> None:
    cell, code = lab(page, 2), unfolded(server, page)
    write(code, "import time; time.sleep(60)")
    cell.get_by_role("button", name="Run this code").click()
    expect(cell.get_by_role("button", name="Stop this code")).to_be_visible()
    kernel, before = server.kernel_process(), server.log()
    page.goto("about:blank")
    eventually(lambda: not kernel.is_running(), 30, "the end of its kernel")
    assert "Traceback" not in server.log()[len(before) :]


def test_the_code_that_runs_is_the_code_that_is_seen(server: BookServer, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = unfolded(server, page)

    def runs(seen: str) -> None:
        code.press("Shift+Enter")
        expect(panel(page, 2)).to_contain_text(seen.encode().hex())

    code.press("ControlOrMeta+a")
    code.press("ArrowRight")  # behind the book's own words, which are coloured
    code.press_sequentially(f"\n{TELL}")
    runs(f'lab("second", rate=30)\n{TELL}')

    typed = "def twice(n):\n    return 2 * n\n\ntwice(21)\n"
    write(code, typed + TELL)
    runs(typed + TELL)

    pasted = "if True:\n    pass\n\n"
    page.evaluate(COPY, pasted)
    for _ in TELL:
        code.press("ArrowLeft")
    code.press("ControlOrMeta+v")
    runs(typed + pasted + TELL)
    assert "40px" not in code.inner_html()
    code.press("ControlOrMeta+z")
    runs(typed + TELL)


def test_leaving_a_page_ends_its_kernel(server: BookServer, page: Page) -> None:
    live(page, server)
    kernel = server.kernel()
    page.goto(server.address("book/index.html"))
    eventually(lambda: not server.ask("api/sessions"), 10, "the end of the session")
    assert kernel not in [each["id"] for each in server.ask("api/kernels")]
    page.go_back()
    works(page)


@pytest.mark.extended
def test_a_theme_s_colours_reach_the_live_figure(server: BookServer, page: Page) -> None:
    page.emulate_media(color_scheme="light")
    axis = live(page, server).locator(".wt-view .xtick text").first
    light = axis.evaluate("node => getComputedStyle(node).fill")
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = eventually(
        lambda: (now := axis.evaluate("node => getComputedStyle(node).fill")) != light and now,
        5,
        "the dark theme's colour",
    )
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (light, dark)]
    assert brightness[0] < 300 < brightness[1]


@pytest.mark.extended
def test_radio_buttons_are_one_stop_and_say_what_they_ask(server: BookServer, page: Page) -> None:
    cell, code = lab(page, 2), unfolded(server, page)
    write(
        code,
        'asked = widgets.RadioButtons(description="Which", options=["disk", "pool", "lock"]); '
        "said = widgets.Button(description='-'); "
        "asked.observe(lambda new: setattr(said, 'description', new['new']), 'value'); "
        "widgets.VBox([asked, said])",
    )
    cell.get_by_role("button", name="Run this code").click()
    asked = cell.get_by_role("radiogroup", name="Which")
    asked.get_by_role("radio", name="disk").focus()
    page.keyboard.press("ArrowDown")
    expect(asked.get_by_role("radio", name="pool")).to_be_focused()
    said = cell.get_by_role("button", name="pool")  # so Python has heard of it
    expect(said).to_be_visible()
    page.keyboard.press("Tab")
    expect(said).to_be_focused()


@pytest.mark.extended
def test_a_page_that_nobody_uses_leaves_its_server_in_peace(
    site: Path, live_server: StartServer, page: Page
) -> None:
    """On a hub, whose proxy takes every byte to and fro for a reader. A hand keeps it awake."""
    rest_s = 3.0
    server = live_server(site, f"--BookApp.rest_after_s={rest_s}")
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    live(page, server)
    awake_until = time.monotonic() + 2 * rest_s
    while time.monotonic() < awake_until:
        page.keyboard.press("Shift")
    state(page, "live", within_ms=1)
    state(page, "lost")
    expect(page.locator(".wt-status")).to_contain_text("Nothing has happened here for long")
    eventually(lambda: server.ask("api/sessions") == [], 20, "the end of its session")
    eventually(lambda: page.evaluate("1") and all(each.is_closed() for each in sockets), 10)
    assert sockets
    recovers_by(page, "Start again")
