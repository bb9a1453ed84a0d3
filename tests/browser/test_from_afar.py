"""The live book beyond a proxy: `labs read` as it is started there, and what a page says where it
was started otherwise."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from labs_on_page import state, works
from playwright.sync_api import Page, expect
from proxies import Proxy
from read_book import address_of, reading

TOLD_MS = 40_000.0
STOP_S = 15.0

pytestmark = pytest.mark.extended

Started = Callable[..., str]  # the address
Between = Callable[..., Proxy]


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def read(site: Path, port: int, tmp_path: Path) -> Iterator[Started]:
    """Start the book there; the address it prints."""
    with reading(tmp_path, NO_BROWSER="1") as start:
        yield lambda origin="", base_url="": address_of(start(site, port, origin, base_url))


@pytest.fixture
def between(port: int) -> Iterator[Between]:
    """A proxy before that server: between(host=..., strips=..., sockets=...)."""
    with ExitStack() as stack:
        yield lambda **how: stack.enter_context(closing(Proxy(port, **how)))


def open_lab(page: Page, address: str, by: Proxy | None = None) -> None:
    """Of the small book there, or of the one that lies there beyond a proxy."""
    page.goto(re.sub(r":\d+/", f":{by.port}/", address, count=1) if by else address)
    page.get_by_role("link", name="A lab").first.click()


@pytest.mark.parametrize("below", ["/", "/absproxy/8888/"])
def test_a_proxy_that_says_another_host_than_the_browser_s_origin(
    read: Started, between: Between, port: int, page: Page, below: str
) -> None:
    """Codespaces and VS Code's tunnels, or code-server's that leaves the prefix: told which origin,
    the server lets in that one only."""
    proxy = between(host=f"localhost:{port}")
    outside = f"http://127.0.0.1:{proxy.port}"
    address = read(outside, below.removesuffix("/") and below)
    assert address.startswith(f"{outside}{below}book/?token=")
    open_lab(page, address)
    works(page)
    token = address.partition("token=")[2]
    for origin, status in ((outside, 201), ("https://evil.example", 404), ("null", 404)):
        assert posted(port, below, token, origin) == status


def posted(port: int, below: str, token: str, origin: str) -> int:
    """What the server answers to a page of that origin that wants a kernel, with the cookies of a
    reader who is logged in."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=STOP_S)) as server:
        server.request("GET", f"{below}book/?token={token}")
        with server.getresponse() as answer:
            answer.read()
            said = answer.headers.get_all("Set-Cookie") or ()
        cookies = [each.partition(";")[0] for each in said]
        (xsrf,) = (each.partition("=")[2] for each in cookies if each.startswith("_xsrf="))
        fields = {"Cookie": "; ".join(cookies), "X-XSRFToken": xsrf, "Origin": origin}
        server.request("POST", f"{below}book/session", body="{}", headers=fields)
        with server.getresponse() as answer:
            return answer.status


def test_a_page_whose_origin_the_server_was_not_told_says_what_to_do(
    read: Started, between: Between, port: int, page: Page
) -> None:
    proxy = between(host=f"localhost:{port}")
    open_lab(page, read(), proxy)
    state(page, "lost")
    expect(page.locator(".wt-status")).to_contain_text(f"ORIGIN=http://127.0.0.1:{proxy.port}")


def test_a_proxy_that_strips_a_prefix(
    read: Started, between: Between, port: int, page: Page
) -> None:
    """code-server's /proxy/8888/: the server does not know of it, and the page asks for nothing
    beside it."""
    proxy = between(host=f"localhost:{port}", strips="/proxy/8888")
    address = read(f"http://127.0.0.1:{proxy.port}/proxy/8888")
    assert address.startswith(f"http://127.0.0.1:{proxy.port}/proxy/8888/book/?token=")
    open_lab(page, address)
    works(page)
    assert proxy.opened > 0
    assert set(proxy.strays) <= {"/favicon.ico"}
    page.goto(address.replace("/book/?", "/book?"))  # without its slash
    expect(page).to_have_url(re.compile("/proxy/8888/book/$"))


def test_a_way_that_lets_no_websocket_through_is_told_as_such(
    read: Started, between: Between, port: int, page: Page
) -> None:
    proxy = between(sockets=False)
    open_lab(page, read(), proxy)
    told = page.locator(".wt-status", has_text="no WebSocket comes through")
    expect(told).to_be_visible(timeout=TOLD_MS)
    state(page, "silent")
    proxy.sockets = True
    page.locator(".wt-status button", has_text="Start again").click()
    works(page)


def test_a_connection_that_is_cut_again_and_again_is_given_up(
    read: Started, between: Between, port: int, page: Page
) -> None:
    """Each start of a page's Python costs a second of the machine's time: it asks after some."""
    proxy = between(cuts=True)
    open_lab(page, read(), proxy)
    state(page, "lost", within_ms=2 * TOLD_MS)
    expect(page.locator(".wt-status")).to_contain_text("is cut again and again")
    assert 2 <= len([each for each in proxy.asked if "POST /book/session" in each]) <= 8
    proxy.cuts = False
    page.locator(".wt-status button", has_text="Try again").click()
    works(page)
