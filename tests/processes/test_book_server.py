"""Every route of the book's server needs the login that kernels need, and none leads out of the
site; one that is also used for other things leaves these alone. Without a browser: the requests
that one would send, and some that it would not."""

import contextlib
import ctypes
import json
import os
import re
import socket
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil
import pytest
from serving import START_S, BookServer
from waiting import eventually

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]
SOON_S = 20.0
SECRET = "outside the site"
TRAVERSALS = [
    "../secret", "..%2fsecret", "%2e%2e/secret", "%2e%2e%2fsecret", "..%252fsecret",
    "..%5csecret", "..\\secret", "_static/../../secret", "%2fetc/passwd", "//etc/passwd",
    "%00", "index.html%00.png", "%ff", "%ed%a0%80", "x" * 5000,
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Book:
    """A book's server that runs, below a base URL as a hub's is."""

    server: BookServer
    sessions: Path

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=SOON_S)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, f"{self.server.base_url}{path}", body=body, headers=fields)
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        return answer, said

    def xsrf(self) -> dict[str, str]:
        """The header fields of a page that knows a valid XSRF cookie: from the login page, which
        anybody may open."""
        answer, _ = self.ask("login")
        cookies = [each.partition(";")[0] for each in answer.headers.get_all("Set-Cookie") or ()]
        (value,) = (each.partition("=")[2] for each in cookies if each.startswith("_xsrf="))
        return {"Cookie": "; ".join(cookies), "X_XSRFToken": value}

    def login(self) -> dict[str, str]:
        """The same of a reader who is logged in."""
        before = self.xsrf()
        answer, _ = self.ask(f"book/index.html?token={self.server.token}", **before)
        found = dict(each.split("=", 1) for each in before["Cookie"].split("; "))
        for each in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = each.partition(";")[0].partition("=")
            found[name] = value
        cookie = "; ".join(f"{name}={value}" for name, value in found.items())
        return {"Cookie": cookie, "X_XSRFToken": found["_xsrf"]}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    home = tmp_path_factory.mktemp("home")
    site = home / "site"
    (site / "_static").mkdir(parents=True)
    (home / "secret").write_text(SECRET)
    (site / "index.html").write_text("<html>the book</html>")
    (site / "part").mkdir()
    (site / "part/lab.html").write_text('<html><meta name="wall-time-labs" content="here" />')
    (site / "404.html").write_text(
        '<link href="/published/_static/a.css"><a href="/published/b.html">'
    )
    options = ("--BookApp.warm_up=pass", f"--SessionManager.database_filepath={home / 'sessions'}")
    server = BookServer(site, home, home, "/user/ann/", *options)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WALL_TIME_PROGRESS", str(home / "progress.json"))
            server.start()
        yield Book(server, home / "sessions")
    finally:
        server.stop()


def kernels(server: BookServer) -> set[str]:
    """Jupyter's own list fails in the moment in which one of them begins to start, or ends."""

    def listed() -> list[set[str]]:
        with contextlib.suppress(HTTPError):
            return [{each["id"] for each in server.ask("api/kernels?no_track_activity=1")}]
        return []

    return eventually(listed, START_S, "a list of kernels")[0]


def routes() -> list[str]:
    """The patterns that the extension adds to its server, as its source has them."""
    source = (ROOT / "labs/site/live/server.py").read_text("utf-8")
    return re.findall(r'\(?r"(/book[^"]*)"', source)


PATHS = {
    "/book": ("book", "GET"),
    "/book/progress": ("book/progress", "GET"),
    "/book/session": ("book/session", "POST"),
    r"/book/_static/live-config\.js": ("book/_static/live-config.js", "GET"),
    "/book/(.*)": ("book/index.html", "GET"),
}


def test_a_page_that_is_not_there_leads_back_from_any_depth(book: Book) -> None:
    reader = book.login()
    for asked in ("nowhere.html", "a/b%2fc/d.html", "a/"):
        answer, page = book.ask(f"book/{asked}", **reader)
        assert answer.status == 404
        here = "/user/ann/book/"
        assert page.decode() == f'<link href="{here}_static/a.css"><a href="{here}b.html">', asked
    answer, page = book.ask("book/nowhere.html")
    assert answer.status != 404 and b"<link" not in page  # nothing is told to strangers


def test_a_page_with_labs_says_at_once_what_it_will_ask_for(book: Book) -> None:
    reader = book.login()
    answer, _ = book.ask("book/part/lab.html", **reader)
    assert "<../_static/lib/live.js>; rel=preload; as=script" in (answer.headers["Link"] or "")
    answer, _ = book.ask("book/index.html", **reader)
    assert answer.status == 200 and answer.headers["Link"] is None


def test_every_route_is_tried_here() -> None:
    assert set(routes()) == set(PATHS)


@pytest.mark.parametrize("route", PATHS)
def test_a_route_needs_the_login_that_kernels_need(book: Book, route: str) -> None:
    """With a valid XSRF cookie, so that it is the login and nothing else that is missing."""
    path, method = PATHS[route]
    body = "{}" if method == "POST" else None
    stranger, reader = book.xsrf(), book.login()
    kernels, _ = book.ask("api/kernels", "POST", "{}", **stranger)
    assert kernels.status == 403
    for each in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - {method}:
        answer, said = book.ask(path, each, body, **stranger)
        assert answer.status in (302, 403, 405) or (each, answer.status) == ("OPTIONS", 200)
        assert b"the book" not in said and b"wallTimeLive" not in said
    answer, said = book.ask(path, method, body, **stranger)
    login = f"{book.server.base_url}login?"
    away = answer.status == 302 and str(answer.headers["Location"]).startswith(login)
    assert away or answer.status == 403
    assert b"_xsrf" not in said and b"the book" not in said and b"wallTimeLive" not in said
    welcome, _ = book.ask(path, method, body, **reader)
    assert welcome.status in (200, 201, 302)
    assert not str(welcome.headers["Location"] or "").startswith(login)


def test_a_kernel_needs_the_xsrf_token_too(book: Book) -> None:
    reader = book.login()
    assert book.ask("book/session", "POST", "{}", Cookie=reader["Cookie"])[0].status == 403
    answer, said = book.ask("book/session", "POST", '{"page": "../../x"}', **reader)
    assert answer.status == 201
    model = json.loads(said)
    assert model["path"].startswith("book/")
    assert book.ask(f"api/sessions/{model['id']}", "DELETE", **reader)[0].status == 204


NOTHING = '{"book": "Wall Time", "schema": 1}'
ANSWER = '{"exercise": "2.1", "seed": "", "value": 50, "right": true, "tries": 1, "at": ""}'
RIGHT = f'{NOTHING[:-1]}, "answers": [{ANSWER}]}}'


def test_put_progress_replaces_what_was_read_and_nothing_else(book: Book) -> None:
    reader = book.login()
    before = json.loads(book.ask("book/progress", **reader)[1])
    assert before["said"] == [] and before["kept"]["answers"] == []

    def put(body: str, tag: str, who: dict[str, str] = reader) -> tuple[int, str]:
        answer, said = book.ask("book/progress", "PUT", body, If_Match=tag, **who)
        return answer.status, said.decode()

    assert put(RIGHT, before["tag"], book.xsrf())[0] in (302, 403)
    cookie = {"Cookie": reader["Cookie"]}  # and no token, as another site would send it
    assert put(RIGHT, before["tag"], cookie)[0] == 403
    assert put("{}", before["tag"])[0] == put("[", before["tag"])[0] == 400
    assert put(f"{NOTHING}{' ' * 2**22}", before["tag"])[0] == 413
    assert not Path(before["file"]).exists()
    assert put(RIGHT, before["tag"]) == (204, "")
    status, said = put(NOTHING, before["tag"])  # of somebody who has not seen the answer
    assert status == 409 and "Read it again" in said
    now = json.loads(book.ask("book/progress", **reader)[1])
    assert [each["exercise"] for each in now["kept"]["answers"]] == ["2.1"]
    assert put(NOTHING, now["tag"])[0] == 204 and not Path(before["file"]).exists()


HOSTILE = [
    "[]", "3", '"x"', "{", "\xff", '{"page": {"a": 1}}', "[" * 9999, r'{"page": "\ud800"}',
    r'{"page": "\u0000"}',
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE)
def test_a_hostile_body_is_refused_or_taken_for_a_name(book: Book, body: str) -> None:
    reader = book.login()
    answer, said = book.ask("book/session", "POST", body, **reader)
    assert answer.status in (201, 400)
    if answer.status == 201:
        book.ask(f"api/sessions/{json.loads(said)['id']}", "DELETE", **reader)


def test_a_kernel_ends_where_its_session_fails(book: Book) -> None:
    """Nobody would ever say goodbye for it."""
    reader = book.login()

    def warm() -> set[str]:
        sessions = json.loads(book.ask("api/sessions", **reader)[1])
        return kernels(book.server) - {each["kernel"]["id"] for each in sessions}

    book.ask("book/index.html", **reader)
    (kernel,) = eventually(warm, START_S, "a kernel that waits for a page")
    with sqlite3.connect(book.sessions) as sessions:
        sessions.execute("ALTER TABLE session RENAME TO away")
    try:
        assert book.ask("book/session", "POST", "{}", **reader)[0].status == 500
    finally:
        with sqlite3.connect(book.sessions) as sessions:
            sessions.execute("ALTER TABLE away RENAME TO session")
    assert kernel not in kernels(book.server)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_site(book: Book, path: str, method: str) -> None:
    answer, said = book.ask(f"book/{path}", method, **book.login())
    assert SECRET.encode() not in said and b"root:" not in said
    assert answer.status in (301, 302, 400, 403, 404)


def test_an_origin_or_a_host_from_elsewhere_gets_no_kernel(book: Book) -> None:
    reader = book.login()
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        answer, _ = book.ask("book/session", "POST", "{}", **reader, **headers)
        assert answer.status in (403, 404)
    answer, _ = book.ask("book/index.html", **reader, Host=f"evil.example:{book.server.port}")
    assert answer.status == 403


def test_a_websocket_needs_the_login_and_the_book_s_own_origin(book: Book) -> None:
    """The one by which a page finds out whether any comes through, and a kernel's."""
    reader, stranger = book.login(), book.xsrf()
    _, said = book.ask("book/session", "POST", "{}", **reader)
    model = json.loads(said)
    own = f"http://127.0.0.1:{book.server.port}"
    channels = f"api/kernels/{model['kernel']['id']}/channels"
    for path in ("api/events/subscribe", channels):
        assert upgraded(book, path, Origin=own, **reader) == 101
        assert upgraded(book, path, Origin=own, **stranger) == 403
        assert upgraded(book, path, Origin="https://evil.example", **reader) == 403
        assert upgraded(book, path, Origin=own, Host="evil.example", **reader) == 403
    book.ask(f"api/sessions/{model['id']}", "DELETE", **reader)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows another process's sockets")
def test_what_python_says_goes_at_once(book: Book) -> None:
    """Else each piece of code is answered later by as long as a browser holds its acknowledgements
    back."""
    reader = book.login()
    _, said = book.ask("book/session", "POST", "{}", **reader)
    model = json.loads(said)
    channels = f"api/kernels/{model['kernel']['id']}/channels"
    own = f"http://127.0.0.1:{book.server.port}"
    with websocket(book, channels, Origin=own, **reader) as socket_:
        pid, port = book.server.pid, socket_.getsockname()[1]
        eventually(lambda: goes_at_once(pid, port), SOON_S, "the option of the server's socket")
    book.ask(f"api/sessions/{model['id']}", "DELETE", **reader)


def goes_at_once(pid: int, port: int) -> bool:
    """Whether that process's connection to the port sends without waiting (TCP_NODELAY)."""
    pidfd_getfd, system = 438, ctypes.CDLL(None)
    connections = psutil.Process(pid).net_connections("tcp")
    theirs = [each.fd for each in connections if each.raddr and each.raddr.port == port]
    if not theirs:
        return False  # not yet accepted
    process = os.pidfd_open(pid)
    copy = system.syscall(pidfd_getfd, process, theirs[0], 0)
    os.close(process)
    with socket.socket(fileno=copy) as same:
        return same.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def upgraded(book: Book, path: str, **headers: str) -> int:
    """What the server answers to a browser that wants a WebSocket there."""
    with websocket(book, path, **headers) as connection, connection.makefile("rb") as answer:
        return int(answer.readline().split()[1])


def websocket(book: Book, path: str, **headers: str) -> socket.socket:
    """A connection on which a browser has asked for a WebSocket."""
    fields = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        **headers,
    }
    fields.setdefault("Host", f"127.0.0.1:{book.server.port}")
    said = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    head = "\r\n".join([f"GET {book.server.base_url}{path} HTTP/1.1", *said, "", ""])
    connection = socket.create_connection(("127.0.0.1", book.server.port), timeout=SOON_S)
    connection.sendall(head.encode())
    return connection


# -- a server that is also used for other things ---------------------------------------------


LEFT_S = 1
LOOKS = "--MappingKernelManager.cull_interval=1"
OPTIONS = (f"--BookApp.left_after_s={LEFT_S}", LOOKS)
PAGE = "<html><head></head><body>A page</body></html>\n"


@pytest.fixture(params=[OPTIONS], ids=["own"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[BookServer]:
    site = tmp_path / "site"
    (site / "_static").mkdir(parents=True)
    (site / "index.html").write_text(PAGE * 100)
    server = BookServer(site, tmp_path, tmp_path, "/user/zo~e/", *request.param)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def compression(server: BookServer, path: str) -> str | None:
    request = Request(server.address(path), headers=server.login | {"Accept-Encoding": "gzip"})
    with urlopen(request) as answer:
        return str(answer.headers["Content-Encoding"])


def test_nothing_starts_before_the_book_is_asked_for(server: BookServer) -> None:
    """Nor is anything of the server's own made otherwise."""
    assert server.ask("api/status")["kernels"] == 0
    assert compression(server, "api/status") == "None"
    assert compression(server, "book/") == "gzip"
    (warm,) = eventually(lambda: kernels(server), START_S, "a kernel that waits for its page")
    model = server.ask("book/session", "POST", {"page": "a page"})
    assert model["kernel"]["id"] == warm


@pytest.mark.extended
def test_only_a_page_s_own_kernel_ends_when_its_page_is_gone(server: BookServer) -> None:
    """Of a notebook without a window, and of a session that is somebody else's, none does."""
    others = {
        server.ask("api/kernels", "POST", {"name": "python3"})["id"],
        server.ask(
            "api/sessions",
            "POST",
            {"path": "own.ipynb", "name": "", "type": "notebook", "kernel": {"name": "python3"}},
        )["kernel"]["id"],
    }
    given = server.ask("book/session", "POST", {"page": "a page"})["kernel"]["id"]
    assert given in kernels(server)
    eventually(lambda: given not in kernels(server), START_S, "its end")
    assert others < kernels(server)  # and the one that waits for the next page
    paths = {each["path"] for each in server.ask("api/sessions")}
    assert paths == {"own.ipynb"}


@pytest.mark.extended
@pytest.mark.parametrize(
    "server",
    [("--MappingKernelManager.cull_idle_timeout=1", "--BookApp.left_after_s=3", LOOKS)],
    indirect=True,
)
def test_the_kernel_that_waits_outlives_the_idle_ones_of_its_server(server: BookServer) -> None:
    assert compression(server, "book/") == "gzip"
    (warm,) = eventually(lambda: kernels(server), START_S, "a kernel that waits for its page")
    for _ in range(2):  # the second begins when the first one's time is up
        server.ask("api/kernels", "POST", {"name": "python3"})
        eventually(lambda: kernels(server) == {warm}, START_S, "the end of the other alone")
    assert server.ask("book/session", "POST", {"page": "a page"})["kernel"]["id"] == warm
    with pytest.raises(AssertionError, match="its end"):  # its page has a while to come for it
        eventually(lambda: warm not in kernels(server), 2.0, "its end")
