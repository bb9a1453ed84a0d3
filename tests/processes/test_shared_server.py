"""The book's extension in a server that is also used for other things."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from serving import BookServer
from waiting import eventually

pytestmark = pytest.mark.live

WITHIN_S = 60.0  # on a busy machine
LEFT_S = 1
OPTIONS = (f"--BookApp.left_after_s={LEFT_S}", "--MappingKernelManager.cull_interval=1")
PAGE = "<html><head></head><body>A page</body></html>\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BookServer]:
    site = tmp_path / "site"
    (site / "_static").mkdir(parents=True)
    (site / "index.html").write_text(PAGE * 100)
    server = BookServer(site, tmp_path, tmp_path, "/user/zo~e/", *OPTIONS)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def kernels(server: BookServer) -> set[str]:
    """Jupyter's own list fails in the moment in which one of them begins to start."""

    def listed() -> list[set[str]]:
        with contextlib.suppress(HTTPError):
            return [{each["id"] for each in server.ask("api/kernels?no_track_activity=1")}]
        return []

    return eventually(listed, WITHIN_S, "a list of kernels")[0]


def compression(server: BookServer, path: str) -> str | None:
    request = Request(server.address(path), headers=server.login | {"Accept-Encoding": "gzip"})
    with urlopen(request) as answer:
        return str(answer.headers["Content-Encoding"])


def test_nothing_starts_before_the_book_is_asked_for(server: BookServer) -> None:
    """Nor is anything of the server's own made otherwise."""
    assert server.ask("api/status")["kernels"] == 0
    assert compression(server, "api/status") == "None"
    assert compression(server, "book/") == "gzip"
    (warm,) = eventually(lambda: kernels(server), WITHIN_S, "a kernel that waits for its page")
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
    eventually(lambda: given not in kernels(server), WITHIN_S, "its end")
    assert others < kernels(server)  # and the one that waits for the next page
    paths = {each["path"] for each in server.ask("api/sessions")}
    assert paths == {"own.ipynb"}
