"""A Jupyter Server extension that serves the built book, live, at <base_url>book/.

The pages and their kernels share one origin: no CORS, one token, and the same under a hub's
/user/name/. `live-config.js` is how a page learns that it is live.
"""

import json
import os
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.sessions.sessionmanager import ModelName
from jupyter_server.utils import ensure_async
from tornado import web
from traitlets import Bool, Float, Integer, Unicode, default
from traitlets.config import Config

from labs.host.project import SITE
from labs.imports.reading import MOST_BYTES
from labs.site.live.progress_handler import ProgressHandler
from labs.site.live.prompt_connection import PromptConnection
from labs.site.live.warm_kernel import NEVER_S, WarmKernel

LEFT_AFTER_S = 15 * 60  # a laptop may sleep, and its page comes back to its kernel
REST_AFTER_S = 15 * 60.0  # on a hub, which ends servers that nobody uses

WARM_UP = """
import labs.panel.sweep, labs.exercises.key
get_ipython().kernel.log.setLevel(50)  # that a page was left in the midst of a message is no news
"""

LABS = b'name="wall-time-labs"'  # stands in the head of a page that goes live
HEAD_BYTES = 8192
PUBLISHED = re.compile(r'"(/[^"]*)_static/')  # where a page for nowhere takes its site to stand
NEEDED = (("live.js", "script"), ("live.css", "style"))


class PageHandler(web.StaticFileHandler, JupyterHandler):
    """A file of the built site, for whoever may read the server's files."""

    auth_resource = "contents"

    def initialize(self, path: str, asked: Callable[[], None]) -> None:  # type: ignore[override]
        super().initialize(path, default_filename="index.html")
        self.asked = asked

    @web.authenticated
    @authorized
    async def get(self, path: str, include_body: bool = True) -> None:  # type: ignore[override]
        if path.endswith((".html", "/")) or not path:
            _ = self.xsrf_token  # reading it sets the cookie that the page's POSTs need
            self.asked()
        self._compress()
        await super().get(path, include_body)

    @web.authenticated
    @authorized
    async def head(self, path: str) -> None:  # type: ignore[override]
        await super().get(path, include_body=False)

    def parse_url_path(self, url_path: str) -> str:
        if "\0" in url_path:
            raise web.HTTPError(404)  # else the system refuses it, and that would be our fault
        return super().parse_url_path(url_path)

    def set_extra_headers(self, path: str) -> None:
        if self.absolute_path and self.absolute_path.endswith(".html"):
            with open(self.absolute_path, "rb") as page:
                if LABS in page.read(HEAD_BYTES):
                    self._announce(path)
        if not {"v", "digest"} & set(self.request.arguments):  # no checksum: ask each time
            self.set_header("Cache-Control", "no-cache")

    def _announce(self, path: str) -> None:
        """Name what the page will ask for once it goes live, so that the browser asks at once."""
        lib = "../" * path.count("/") + "_static/lib"
        links = (f"<{lib}/{name}>; rel=preload; as={kind}" for name, kind in NEEDED)
        self.set_header("Link", ", ".join(links))

    def _compress(self) -> None:
        """Gzip this answer, unless all of the server's are."""
        transforms = self._transforms
        gzip = web.GZipContentEncoding
        if not any(isinstance(each, gzip) for each in transforms):
            transforms.append(gzip(self.request))

    def write_error(self, status_code: int, **why: Any) -> None:
        """Show the site's own word for a page that is not there."""
        page = Path(self.root, "404.html")
        if status_code != 404 or not page.is_file():
            return super().write_error(status_code, **why)
        words = page.read_text("utf-8")
        published = PUBLISHED.search(words)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        here = f'"{self.base_url}book/'
        self.finish(words.replace(f'"{published[1]}', here) if published else words)
        return None

    def check_xsrf_cookie(self) -> None:
        """Check no cookie, as nothing here changes anything."""


class FolderHandler(JupyterHandler):
    """Leads on from the address without its last slash. The way is relative, for a proxy may have
    taken a prefix off the path."""

    auth_resource = "contents"

    @web.authenticated
    @authorized
    async def get(self) -> None:
        self.redirect(f"book/?{self.request.query}" if self.request.query else "book/")


class LiveConfigHandler(JupyterHandler):
    """Tells a page that it is live. A built site has an empty file in this place."""

    auth_resource = "contents"

    def initialize(self, rest_after_s: float) -> None:
        self.rest_after_s = rest_after_s

    @web.authenticated
    @authorized
    async def get(self) -> None:
        self.set_header("Content-Type", "application/javascript; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        # Nothing of an address: the page knows its own, which a proxy may have made another.
        config = json.dumps({"restAfterS": self.rest_after_s})
        await self.finish(f"window.wallTimeLive = {config};")


class SessionHandler(APIHandler):
    """Gives a page its own kernel: the warm one."""

    auth_resource = "sessions"

    def initialize(self, warm: WarmKernel, left_after_s: int) -> None:
        self.warm = warm
        self.left_after_s = left_after_s

    @web.authenticated
    @authorized
    async def post(self) -> None:
        page = self._page()
        kernel_id = await self.warm.take()
        # Random, so that two tabs of one page are two sessions.
        path = f"book/{page}.live-{secrets.token_hex(4)}"
        try:
            model = await self.session_manager.create_session(
                path=path, name=ModelName(path), type="notebook", kernel_id=kernel_id
            )
        except BaseException:  # no page will ever say goodbye for it
            ended = self.kernel_manager.shutdown_kernel(kernel_id, now=True)  # type: ignore[no-untyped-call]
            await ensure_async(ended)
            raise
        # A killed tab says no goodbye, and leaves 120 MB: Jupyter ends the kernel by this.
        kernel = self.kernel_manager.get_kernel(kernel_id)
        kernel.last_activity = datetime.now(UTC)  # type: ignore[attr-defined]  # it may have waited
        spec = kernel.kernel_spec
        assert spec is not None
        spec.metadata["cull_idle_timeout"] = self.left_after_s
        self.set_status(201)
        await self.finish(json.dumps(model, default=str))

    def _page(self) -> str:
        """Read which page asks, as it says itself; it is only shown."""
        try:
            asked = self.get_json_body()
        except UnicodeDecodeError:
            raise web.HTTPError(400, "The request is not JSON in UTF-8.") from None
        page = str(asked.get("page", "")) if isinstance(asked, dict) else ""
        return page[:200].encode("utf-8", "replace").decode()  # JSON may hold half a character


class BookApp(ExtensionApp):
    """The extension, as `python -m labs read` starts it, and as any Jupyter server loads it."""

    name = "wall_time"
    description = "Serves the book Wall Time, live."
    load_other_extensions = True
    extension_url = "/book/"

    book_dir = Unicode(str(SITE), help="The built site.").tag(config=True)
    warm_at_start = Bool(False, help="Whether a kernel starts before a page is asked for.").tag(
        config=True
    )
    rest_after_s = Float(
        help="Seconds of nothing happening after which an open page ends its kernel, so that a hub "
        "can end the server. 0: never."
    ).tag(config=True)
    warm_up = Unicode(WARM_UP, help="What a kernel runs before a page gets it.").tag(config=True)

    left_after_s = Integer(
        LEFT_AFTER_S,
        help="Seconds after which the server may end a kernel whose page is not there any more; it "
        "looks every `MappingKernelManager.cull_interval`.",
    ).tag(config=True)

    @default("rest_after_s")
    def _on_a_hub(self) -> float:
        return REST_AFTER_S if os.environ.get("JUPYTERHUB_API_URL") else 0.0

    @classmethod
    def get_extension_package(cls) -> str:
        return cls.__module__  # the package `labs` itself is no extension

    def _link_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        super()._link_jupyter_server_extension(serverapp)
        # Requests come percent-encoded, and Jupyter compares them with its base_url as it is
        # written: "/user/a b/" would answer nobody.
        encoded = quote(serverapp.base_url, safe="/%@+~!$&'()*,;=:")
        if encoded != serverapp.base_url:
            serverapp.update_config(Config(ServerApp={"base_url": encoded}))

    def initialize_settings(self) -> None:
        assert self.serverapp is not None
        connection = "kernel_websocket_connection_class"
        if self.settings[connection] is ZMQChannelsWebsocketConnection:  # the usual one
            self.settings[connection] = PromptConnection
        self.settings["websocket_max_message_size"] = MOST_BYTES + 2**20  # a load test's file
        kernels = self.serverapp.kernel_manager
        self.warm = WarmKernel(kernels, self.warm_up, self.log)
        # So that it looks for kernels to end, and finds only those of pages.
        kernels.cull_idle_timeout = kernels.cull_idle_timeout or NEVER_S

    def initialize_handlers(self) -> None:
        assert self.serverapp is not None
        site = {"path": str(Path(self.book_dir).resolve()), "asked": self.warm.warm}
        session = {"warm": self.warm, "left_after_s": self.left_after_s}
        config = {"rest_after_s": self.rest_after_s}
        self.handlers += [
            (r"/book", FolderHandler),
            (r"/book/progress", ProgressHandler),
            (r"/book/session", SessionHandler, session),
            (r"/book/_static/live-config\.js", LiveConfigHandler, config),
            (r"/book/(.*)", PageHandler, site),
        ]

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        """Warm a kernel only if asked to: users of others' servers may never open the book."""
        if self.warm_at_start:
            self.warm.warm()

    async def stop_extension(self) -> None:
        await self.warm.close()


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    return [{"module": __name__, "app": BookApp}]
