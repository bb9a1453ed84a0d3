"""Whatever breaks, the labs answer again, or a button says how: never a dead panel."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import StartServer
from labs_on_page import LIVE_MS, POINTS, lab, live, panel, recovers_by, run, state, works
from playwright.sync_api import Page, expect
from serving import BookServer, Wire
from waiting import eventually

PING_MS = 2000  # the server's; it gives up on a browser that is silent for longer


KERNEL_ENDS: dict[str, Callable[[BookServer], object]] = {
    "crash": lambda server: server.kernel_process().kill(),
    "restart": lambda server: server.ask(f"api/kernels/{server.kernel()}/restart", "POST"),
    "shutdown": lambda server: server.ask(f"api/kernels/{server.kernel()}", "DELETE"),
}


@pytest.mark.parametrize(
    "how",
    ["crash", *(pytest.param(each, marks=pytest.mark.extended) for each in list(KERNEL_ENDS)[1:])],
)
def test_a_page_whose_kernel_ended_keeps_what_was_measured_and_starts_again(
    server: BookServer, page: Page, how: str
) -> None:
    run(live(page, server))
    KERNEL_ENDS[how](server)
    state(page, "lost")
    expect(panel(page).locator(".wt-view .point")).to_have_count(POINTS)
    recovers_by(page, "Start again")


@pytest.mark.extended
def test_a_kernel_that_is_suspended(server: BookServer, page: Page) -> None:
    live(page, server)
    kernel = server.kernel_process()
    kernel.send_signal(signal.SIGSTOP)
    try:
        state(page, "silent")
        kernel.send_signal(signal.SIGCONT)
        works(page)
        kernel.send_signal(signal.SIGSTOP)
        state(page, "silent")
        recovers_by(page, "Start again")  # without waiting for it
    finally:
        if kernel.is_running():
            kernel.send_signal(signal.SIGCONT)


@pytest.mark.extended
def test_a_kernel_that_dies_while_the_page_starts(server: BookServer, page: Page) -> None:
    page.goto(server.page("chapter/lab"))
    state(page, "starting", "live")
    page.wait_for_function("document.querySelector('.wt-behind') !== null")
    server.kernel_process().kill()
    state(page, "lost")
    recovers_by(page, "Start again")


@pytest.mark.extended
def test_a_connection_that_is_cut(
    server: BookServer, page: Page, wire: Callable[[BookServer], Wire]
) -> None:
    """With what the reader set lost on the way: it is said again."""
    between = wire(server)
    slider = live(page, server, port=between.port).get_by_role("slider", name="Rate")
    slider.focus()
    between.swallows = "page"
    page.keyboard.press("ArrowRight")
    eventually(lambda: between.swallowed, 20, "a setting that got lost")
    assert between.cut() > 0
    works(page)
    expect(panel(page)).to_contain_text("done at 21")  # the same kernel: nothing was lost


@pytest.mark.extended
def test_a_connection_that_is_cut_while_the_page_starts(
    server: BookServer, page: Page, wire: Callable[[BookServer], Wire]
) -> None:
    """With the answer to a cell lost on the way."""
    between = wire(server)
    page.goto(server.page("chapter/lab", between.port))
    page.wait_for_function("document.querySelector('.wt-behind') !== null")
    between.swallows = "server"
    eventually(lambda: between.swallowed and server.kernel_rests(), 20, "an answer that got lost")
    assert between.cut() > 0
    works(page)


@pytest.mark.extended
def test_a_connection_that_is_cut_while_the_reader_s_code_runs(
    server: BookServer, page: Page, wire: Callable[[BookServer], Wire]
) -> None:
    """With the answer lost on the way, in two labs at once."""
    between = wire(server)
    live(page, server, port=between.port)
    for number in (1, 2):
        lab(page, number).get_by_text("Show the code").click()
    between.swallows = "server"
    again = [lab(page, n).get_by_role("button", name="Run this code") for n in (1, 2)]
    for each in again:
        each.click()
    eventually(lambda: between.swallowed and server.kernel_rests(), 20, "an answer that got lost")
    assert between.cut() > 0
    for number, each in enumerate(again, start=1):
        expect(each).to_be_enabled(timeout=LIVE_MS)
        run(panel(page, number))


@pytest.mark.extended
def test_a_run_goes_on_across_a_cut(
    server: BookServer, page: Page, wire: Callable[[BookServer], Wire]
) -> None:
    """With what Python said of it until then lost on the way."""
    between = wire(server)
    cell = live(page, server, port=between.port)
    between.swallows = "server"  # from here on: the whole run takes half a second
    cell.get_by_role("button", name="Run", exact=True).click()
    eventually(lambda: b"done at 20" in between.swallowed, 20, "the end of a run that got lost")
    between.cut()
    expect(cell).to_contain_text("done at 20", timeout=LIVE_MS)
    expect(cell.locator(".wt-view .point")).to_have_count(10)
    run(cell)


def stopped(server: BookServer, page: Page) -> BookServer:
    """That server, stopped under a live page that has noticed."""
    live(page, server)
    server.stop()
    state(page, "silent")
    return server


@pytest.mark.extended
@pytest.mark.parametrize("impatient", [True, False])
def test_a_page_whose_server_was_stopped_and_started_again_recovers(
    site: Path, live_server: StartServer, page: Page, impatient: bool
) -> None:
    server = stopped(live_server(site), page)
    if impatient:
        expect(page.locator(".wt-status")).to_contain_text("does not answer")
        page.locator(".wt-status button").click()  # in vain, and the page says so
        state(page, "lost")
    server.start()
    state(page, "lost")
    recovers_by(page, "Try again" if impatient else "Start again")


@pytest.mark.extended
def test_a_laptop_that_sleeps(site: Path, live_server: StartServer, page: Page) -> None:
    pings = f"{{'ws_ping_interval': {PING_MS}, 'ws_ping_timeout': {PING_MS}}}"
    server = live_server(site, f"--ServerApp.tornado_settings={pings}")
    live(page, server)
    with server.suspended():
        state(page, "silent")  # after some seconds: the server's own patience is long over
    works(page)
