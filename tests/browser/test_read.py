"""`python -m labs read`: one address, one Ctrl-C, one sentence where it cannot start."""

import contextlib
import re
import signal
import socket
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from labs_on_page import works
from playwright.sync_api import Page
from read_book import Started, address_of, reading
from surroundings import program
from waiting import eventually

# Follows the redirect of the file it is given, says where it came to, and stays until closed.
BROWSER = """#!{python}
import html, os, pathlib, re, sys, time, urllib.request
page = urllib.request.urlopen(sys.argv[1]).read().decode()
address = html.unescape(re.search('url=([^"]+)"', page)[1])
assert b"</html>" in urllib.request.urlopen(address).read()
for pipe in 1, 2:  # whose end the tests wait for
    os.dup2(os.open(os.devnull, os.O_WRONLY), pipe)
opened = pathlib.Path("{folder}", "opened")
opened.with_suffix(".new").write_text(f"{{sys.argv[1]}} {{address}} {{os.getpid()}}")
opened.with_suffix(".new").rename(opened)
while opened.exists():
    time.sleep(0.02)
"""
# Now and then a kernel of ipykernel 7.4 says this as it ends: it closes the pipe between threads
# before the one that took the request to end has told that it is idle.
IPYKERNEL_ENDS = re.compile(
    r"ERROR:tornado.general:Uncaught exception in ZMQStream callback\n"
    r"(?:Traceback .*\n|  .*\n)+zmq.error.ZMQError: Socket operation on non-socket\n"
)
START_S = 40.0
STOP_S = 15.0
GONE_S = 3.0


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Started]:
    """Start it on a site, with BROWSER as the browser until the file `opened` is removed."""
    words = BROWSER.format(python=sys.executable, folder=tmp_path)
    browser = program(tmp_path / "browser", words)
    with reading(tmp_path, BROWSER=f"{browser} %s", NO_BROWSER="") as start:
        yield start
        (tmp_path / "opened").unlink(missing_ok=True)


def what_was_opened(folder: Path) -> list[str]:
    """What the browser was given, where it came to from there, and its process id."""
    opened = folder / "opened"
    eventually(opened.exists, START_S, "an answer in the browser")
    return opened.read_text().split()


@pytest.mark.parametrize(
    "ending",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.extended),
        pytest.param(signal.SIGHUP, marks=pytest.mark.extended),
    ],
)
def test_one_address_and_one_ctrl_c(
    site: Path, read: Started, page: Page, tmp_path: Path, ending: signal.Signals
) -> None:
    process = read(site)
    address = address_of(process)
    given, came_to, browser = what_was_opened(tmp_path)
    assert came_to == address
    file = Path(urlsplit(given).path)
    assert file.parent == site.parent  # snaps, Ubuntu's browsers, see no hidden folder
    only_its_own_user_sees(address.partition("token=")[2], file)
    if ending == signal.SIGINT:
        page.goto(address)
        page.get_by_role("link", name="A lab").first.click()
        works(page)
    below = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(ending)
    _, complaints = process.communicate(timeout=STOP_S)
    assert (process.returncode, IPYKERNEL_ENDS.sub("", complaints)) == (0, "")
    still = [int(browser)]  # what was started for the pages is gone, or being reaped
    eventually(lambda: [each.pid for each in below if each.is_running()] == still, GONE_S)
    assert not file.exists()


def only_its_own_user_sees(token: str, file: Path) -> None:
    """Everybody may read the arguments of every process, and the owner's the environment."""
    assert token in file.read_text() and file.stat().st_mode & 0o777 == 0o600
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            assert not any(token in word for word in each.cmdline()), each
            assert not any(token in word for word in each.environ().values()), each


@pytest.mark.extended
def test_a_login_ends_with_its_token(site: Path, read: Started, tmp_path: Path) -> None:
    """Whoever gets the port after the reader gets the cookie from the tab that is still open. And
    no browser is opened when none is wanted."""
    process = read(site, NO_BROWSER="1")
    address = address_of(process)
    port = urlsplit(address).port
    answer, _ = asked(address)
    (cookie,) = (each for each in answer.headers.get_all("Set-Cookie") if "username-" in each)
    assert "SameSite=Lax" in cookie and "HttpOnly" in cookie
    who, login = f"http://127.0.0.1:{port}/api/me", cookie.partition(";")[0]
    assert asked(who, Cookie=login)[0].status == 200
    process.send_signal(signal.SIGINT)
    assert process.wait(STOP_S) == 0
    assert not (tmp_path / "opened").exists()
    again = address_of(read(site, port, NO_BROWSER="1"))
    assert urlsplit(again).port == port
    assert asked(who, Cookie=login)[0].status == 403


def asked(address: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    """What is answered there, redirects not followed."""
    where = urlsplit(address)
    connection = HTTPConnection(str(where.hostname), where.port, timeout=START_S)
    with contextlib.closing(connection):
        connection.request("GET", f"{where.path}?{where.query}", headers=headers)
        answer = connection.getresponse()
        return answer, answer.read()


def test_a_taken_port_is_told_in_a_sentence(site: Path, read: Started) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said, complaint = read(site, port).communicate(timeout=START_S)
    assert not said
    assert re.fullmatch(rf"port={port}: another program uses it\. .*\n", complaint)


def test_a_site_that_is_not_built_is_told_in_a_sentence(read: Started, tmp_path: Path) -> None:
    process = read(tmp_path / "nothing")
    said, complaint = process.communicate(timeout=START_S)
    assert (process.returncode, said) == (2, "")
    assert complaint == "The book is not built yet. `make read` builds it and starts it.\n"
