"""A browser, small books to open in it, and servers to break.

`live_server(site, base_url=...)` starts the book's server on any built site; `page` is a new
window that fails its test on any request to another host and on any error of a script.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from panel_book import PanelBook, recordings, sources
from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, WebSocket, expect
from serving import PROJECT, BookServer, Wire

from bench.browser import chromium, where

SMALL_BOOK = Path(__file__).parent / "site"
EVEN = "--font-render-hinting=none"  # or letters are wider in a Chromium without a window
PATIENCE_MS = 30_000.0  # for anything to appear; a busy machine is slow
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = where()
    if found.returncode != 0:
        pytest.fail(found.stderr.strip(), pytrace=False)
    with chromium(EVEN) as browser:
        yield browser


DRAW = """
import sys
import tempfile
from pathlib import Path
from figures import drawn, keep
from labs.site.roles.scenes import stills
book = Path(sys.argv[1])
keep(book, stills(book), drawn([], stills(book)))
"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small book, with its scenes drawn."""
    source = tmp_path_factory.mktemp("source") / "book"
    shutil.copytree(SMALL_BOOK, source)
    draw_scenes(source)
    return build(source, tmp_path_factory.mktemp("site"))


def draw_scenes(book: Path, tree: Path = PROJECT) -> None:
    """Draw the still pictures of a book's scenes, as `make figures` of that tree does."""
    tools = {"PYTHONPATH": os.pathsep.join(map(str, (tree / "setup", tree)))}
    subprocess.run([sys.executable, "-c", DRAW, str(book)], env=os.environ | tools, check=True)


def build(source: Path, made: Path, web: Path = PROJECT / "book/web", **environment: str) -> Path:
    """A book from that folder, built as the book itself is."""
    config = yaml.safe_load((PROJECT / "_config.yml").read_text("utf-8"))
    config["sphinx"]["config"]["html_static_path"] = [str(web)]
    config["sphinx"]["config"]["extensions"].remove("notfound.extension")  # wants two pages
    for name in ("notfound_template", "notfound_urls_prefix"):
        del config["sphinx"]["config"][name]
    config["sphinx"]["config"]["html_favicon"] = str(PROJECT / "book/web/icon.svg")
    (made / "_config.yml").write_text(yaml.safe_dump(config), "utf-8")
    command = [sys.executable, "-P", "-m", "labs.site.build.book", "build", str(source)]
    command += ["--config", str(made / "_config.yml"), "--toc", str(source / "_toc.yml")]
    command += ["--path-output", str(made), "-W", "--keep-going", "--quiet"]
    built = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    assert built.returncode == 0, built.stdout + built.stderr
    return made / "_build/html"


@pytest.fixture(scope="session")
def panel_book(tmp_path_factory: pytest.TempPathFactory) -> PanelBook:
    """The small book of real panels; built once, and each module serves it by itself."""
    source, shelf = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("recordings")
    sources(source)
    recordings(shelf)
    site = build(source, tmp_path_factory.mktemp("panels"), LABS_RECORDINGS=str(shelf))
    return PanelBook(site=site, source=source, shelf=shelf)


StartServer = Callable[..., BookServer]


@pytest.fixture
def live_server(tmp_path: Path) -> Iterator[StartServer]:
    """Starts servers that end with the test: live_server(site, base_url="/", root=folder)."""
    with servers(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def server(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BookServer]:
    """One server of the small book for the tests that leave it as it was."""
    with servers(tmp_path_factory.mktemp("server")) as start:
        yield start(site)


@pytest.fixture(scope="module")
def progress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the module's reader, of whom nothing is kept before."""
    return tmp_path_factory.mktemp("reader") / "progress.json"


@pytest.fixture(scope="module")
def panels(
    panel_book: PanelBook, progress: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BookServer]:
    """One server of the pages with real panels, for that reader."""
    with pytest.MonkeyPatch.context() as patch, servers(tmp_path_factory.mktemp("home")) as start:
        patch.setenv("LABS_RECORDINGS", str(panel_book.shelf))
        patch.setenv("WALL_TIME_PROGRESS", str(progress))
        yield start(panel_book.site, root=panel_book.source)


@pytest.fixture(autouse=True)
def _no_run_comes_back(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What another test has measured is no last run of this one's reader."""
    for depth in ("*", "*/*"):
        for folder in tmp_path_factory.getbasetemp().glob(f"{depth}/runs"):
            shutil.rmtree(folder)


@contextlib.contextmanager
def servers(home: Path) -> Iterator[StartServer]:
    """Starts servers, which have their folders there and end with the block."""
    with contextlib.ExitStack() as stack:

        def start(
            book: Path, *options: str, base_url: str = "/", root: Path = SMALL_BOOK
        ) -> BookServer:
            own = Path(tempfile.mkdtemp(prefix="server-", dir=home))
            server = BookServer(book, root, own, base_url, *options)
            stack.callback(server.stop)
            server.start()
            return server

        yield start


@pytest.fixture
def wire() -> Iterator[Callable[[BookServer], Wire]]:
    with contextlib.ExitStack() as stack:
        yield lambda server: stack.enter_context(contextlib.closing(Wire(server.port)))


@dataclass
class Heard:
    """What a window asked for and complained about."""

    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)  # WebSockets, which are no requests

    def listen(self, context: BrowserContext) -> None:
        context.on("page", lambda page: page.on("websocket", self._opened))
        context.on("request", self._asked)
        context.on(
            "weberror", lambda error: self.errors.append(error.error.stack or str(error.error))
        )

    def _asked(self, request: Request) -> None:
        self.requests.append(request)
        self._judge(request.url)

    def _opened(self, socket: WebSocket) -> None:
        self.sockets.append(socket.url)
        self._judge(socket.url)

    def _judge(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname != "127.0.0.1":
            self.foreign.append(url)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def another(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Windows of other readers, such as one without scripts: another(java_script_enabled=False)."""
    with contextlib.ExitStack() as stack:
        yield lambda **how: stack.enter_context(browser.new_context(**how)).new_page()


@pytest.fixture
def page(browser: Browser, heard: Heard) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    heard.listen(context)
    page = context.new_page()
    yield page
    wrong = heard.foreign + heard.errors
    with contextlib.suppress(Error):  # as a reader leaves it, which ends its kernel
        page.goto("about:blank")
    context.close()
    assert not wrong
