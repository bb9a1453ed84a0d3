"""`python -m labs read`: the built book, live, in the browser."""

import contextlib
import errno
import logging
import os
import secrets
import signal
import socket
import threading
from pathlib import Path
from typing import Any

from jupyter_core.paths import secure_write

from labs.host.project import CLONED, ROOT, SITE
from labs.records.errors import Unusable
from labs.site.live import browser_origin
from labs.site.live.jupyter_folders import own_jupyter

HOST = "127.0.0.1"
NOT_BUILT = "The book is not built yet. `make read` builds it and starts it."
NOT_INSTALLED = f"{SITE}: the built book is not there. Install wall-time again from its wheel."


def read(port: int | None, open_browser: bool, *, origin: str = "", base_url: str = "") -> None:
    """Serve the book on this machine until Ctrl-C; print its address and open it.

    `port=None` takes a free one. `origin` and `base_url` say where the browser sees it through a
    proxy, see `labs.site.live.browser_origin`; there the reader opens it. Unusable where the book
    is not built, and for a port that cannot be had, what is no origin, or no path.
    """
    below = browser_origin.base_url(base_url)
    browser_origin.outside(origin, port or 0)
    if not (SITE / "index.html").is_file():
        raise Unusable(NOT_BUILT if CLONED else NOT_INSTALLED)
    if reason := _unusable(port):
        raise Unusable(f"port={port}: {reason}. Choose another, or none to get a free one.")
    with own_jupyter():
        _serve(port or 0, open_browser, origin, below)


def _serve(port: int, open_browser: bool, origin: str, below: str) -> None:
    os.environ["LABS_MODE"] = "live"
    from labs.site.live.server import BookApp  # takes a second; the refusals above do not

    # A page that closed its socket while a message was under way is no news to the reader.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    server: Any = BookApp.initialize_server(argv=_options(port, below))  # type: ignore[no-untyped-call]
    _stop_on_signals(server)
    seen = browser_origin.outside(origin, server.port)
    start = f"http://{HOST}:{server.port}"
    if seen is not None:
        seen.admit(server)
        start = f"{seen.origin}{seen.stripped}"
    where = f"{start}{below}book/?token={server.identity_provider.token}"
    far = seen is None and browser_origin.far()

    def tell() -> None:
        print(f"Wall Time is open at {where}\nCtrl-C ends it.", flush=True)
        if far:
            print(browser_origin.tunnel(server.port), flush=True)

    server.io_loop.add_callback(tell)  # once it listens, which begins in a callback before this
    if open_browser and not far and seen is None:
        _open_in_browser(server)
    else:
        server.no_browser_open_file = True
    server.start()


def _unusable(port: int | None) -> str | None:
    """Tell why a port cannot be had; None when it can. No port stands for any free one."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            probe.bind((HOST, port or 0))
    except OverflowError:
        return "ports go from 1 to 65535"
    except PermissionError:
        return "ports below 1024 are the system's own"
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        return "another program uses it" if taken else f"{error.strerror}"
    return None


def _options(port: int, base_url: str) -> list[str]:
    options = {
        "ServerApp.ip": HOST,
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.base_url": base_url,
        "ServerApp.root_dir": ROOT if CLONED else Path.cwd(),
        # What an administrator may have set for servers of another kind.
        "ServerApp.certfile": "",
        "ServerApp.keyfile": "",
        "ServerApp.sock": "",
        "BookApp.book_dir": SITE,
        "BookApp.warm_at_start": True,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": os.geteuid() == 0,  # containers: it is still only this machine
        # Ours, since Jupyter announces a token that it made itself, at length.
        "IdentityProvider.token": secrets.token_hex(24),
        # Another at each start, as the token is: else a cookie would let in for a month, and a
        # browser sends it to whoever has the port after us.
        "ServerApp.cookie_secret": secrets.token_hex(32),
        "IdentityProvider.cookie_options": "SameSite=Lax",
        "Application.log_level": "ERROR",
        "MappingKernelManager.transport_encryption": "auto",  # else kernels warn of other users
        # No word to any other machine, not even whether there is news.
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.news_url": "",
        "LabApp.extension_manager": "readonly",
    }
    return [f"--{name}={value}" for name, value in options.items()]


def _open_in_browser(server: Any) -> None:
    """Open Jupyter's redirect file once the server answers: what stands in a browser's arguments
    is read by every user of the machine. The thread, and the one that Jupyter starts in it, are
    daemons, since some browsers do not return before they are closed."""
    # Beside the site, as browsers in a snap see no hidden folder; Jupyter's own is one. Jupyter
    # writes the file with the user's usual mode, but keeps that of one which is there already.
    for folder in (SITE.parent, Path(server.runtime_dir)):
        file = str(folder / f"jpserver-{os.getpid()}-open.html")
        with contextlib.suppress(OSError, RuntimeError), secure_write(file):
            server.browser_open_file = file
            break
    opening = threading.Thread(target=server.launch_browser, daemon=True)
    server.io_loop.add_callback(opening.start)


def _stop_on_signals(server: Any) -> None:
    """End at once and quietly, without Jupyter's question whether that is meant."""

    def stop(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough
        server.stop(from_signal=True)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
