"""A book's server as a test wants it: started, stopped, suspended, and behind a wire to cut."""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.request import Request, urlopen

import psutil
from waiting import eventually

PROJECT = Path(__file__).parents[1]
OWN_SERVER = Path(__file__).with_name("own_server.py")
SERVE = "from labs.site.live.server import BookApp; BookApp.launch_instance()"
START_S = 60.0  # a busy machine; two seconds otherwise
STOP_S = 20.0
ANSWER_S = 20.0


class BookServer:
    """`root` is the folder that JupyterLab shows, `book` the built site."""

    def __init__(self, book: Path, root: Path, home: Path, base_url: str, *options: str) -> None:
        self.book = book
        self.base_url = base_url
        self._home = home
        self._options = [
            f"--BookApp.book_dir={book}",
            f"--ServerApp.root_dir={root}",
            f"--ServerApp.base_url={base_url}",
            "--ServerApp.open_browser=False",
            "--ServerApp.port_retries=0",
            f"--ServerApp.allow_root={os.geteuid() == 0}",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            *options,
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._facts: dict[str, Any] = {"port": 0}
        self._before: set[str] = set()  # sessions, when a page was opened last

    def start(self) -> None:
        """On the same port as before, if there was one before; its token is another."""
        environment = os.environ | {
            "JUPYTER_CONFIG_PATH": str(PROJECT / "labs/site/live/etc/jupyter"),
            "JUPYTER_CONFIG_DIR": str(self._home / "config"),
            "JUPYTER_RUNTIME_DIR": str(self._home / "runtime"),
            "IPYTHONDIR": str(self._home / "ipython"),
            "LABS_MODE": "live",
        }
        with (self._home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-c", SERVE, *self._options),
                    f"--ServerApp.port={self._facts['port']}",
                ],
                env=environment,
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        said = self._home / "runtime" / f"jpserver-{self._process.pid}.json"
        eventually(lambda: said.exists() and said.read_text().strip(), START_S, "the server")
        self._facts = json.loads(said.read_text())
        eventually(self._listens, START_S, "the server's port")  # it tells before it listens

    def _listens(self) -> bool:
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def token(self) -> str:
        """Which lets whoever has it in."""
        return str(self._facts["token"])

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        return (self._home / "server.log").read_text("utf-8")

    @property
    def port(self) -> int:
        return int(self._facts["port"])

    def page(self, page: str, port: int | None = None) -> str:
        """The address of a page to open, with the token that lets a browser in."""
        self._before = {each["id"] for each in self.ask("api/sessions")}
        base = f"http://127.0.0.1:{port or self.port}{self.base_url}"
        return f"{base}book/{page}.html?token={self.token}"

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{self.base_url}{path}"

    @property
    def login(self) -> dict[str, str]:
        """The header that lets a request in."""
        return {"Authorization": f"token {self.token}"}

    def ask(self, path: str, method: str = "GET", body: object = None) -> Any:
        """Jupyter's REST interface, with the token."""
        request = Request(
            self.address(path).replace(" ", "%20"),
            method=method,
            headers=self.login,
            data=None if body is None else json.dumps(body).encode(),
        )
        with urlopen(request, timeout=ANSWER_S) as response:
            content = response.read()
        return json.loads(content) if content else None

    def kernel(self) -> str:
        """The id of the kernel of the page that was opened last. (Of one that was closed before,
        the session may still be there.)"""

        def own() -> list[str]:
            found = [each for each in self.ask("api/sessions") if each["id"] not in self._before]
            return [each["kernel"]["id"] for each in found] if len(found) == 1 else []

        return str(eventually(own, START_S, "the page's own session")[0])

    def kernel_rests(self) -> bool:
        """Whether that kernel has nothing to do."""
        return bool(self.ask(f"api/kernels/{self.kernel()}")["execution_state"] == "idle")

    def kernel_process(self) -> psutil.Process:
        """Its process."""
        kernel = self.kernel()
        below = psutil.Process(self.pid).children(recursive=True)
        found = [each for each in below if any(kernel in word for word in _command(each))]
        return min(
            found, key=psutil.Process.create_time
        )  # a child about to be another has its name

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """The server and every kernel of it, as when a laptop sleeps."""
        server = psutil.Process(self.pid)
        everyone = [server, *server.children(recursive=True)]
        for process in everyone:
            process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for process in everyone:
                process.send_signal(signal.SIGCONT)


class Wire:
    """A TCP proxy to a server, whose connections can be cut."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.swallows: Literal["", "server", "page"] = ""  # whose words, until the next cut
        self.swallowed = b""  # of them
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        far = socket.create_connection(("127.0.0.1", self._to_port))
        self._pairs.append((near, far))

        def swallow(end: socket.socket, data: bytes) -> bool:
            gone = self.swallows == ("server" if end is far else "page")
            self.swallowed += data * gone
            return gone

        with near, far, contextlib.suppress(OSError, ValueError):
            pump(near, far, swallow)

    def cut(self) -> int:
        """Reset every connection there is; new ones go through. Says how many there were."""
        pairs, self._pairs = self._pairs, []
        self.swallows = ""
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RDWR)
                    end.close()
        return len(pairs)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.cut()


def pump(
    near: socket.socket,
    far: socket.socket,
    swallow: Callable[[socket.socket, bytes], bool] = lambda end, data: False,
) -> None:
    """Bytes both ways, until either end closes, but for those that are swallowed."""
    other = {near: far, far: near}
    while True:
        for end in select.select([near, far], [], [])[0]:
            if not (data := end.recv(65536)):
                return
            if not swallow(end, data):
                other[end].sendall(data)


@contextlib.contextmanager
def own_server(fault: str, *certificate: str) -> Iterator[str]:
    """Whose processes are nobody's but its own; its address."""
    command = [sys.executable, str(OWN_SERVER), fault, *certificate]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}/"
            assert server.poll() is None  # it outlives whoever looks at it
        finally:
            server.kill()


def _command(process: psutil.Process) -> list[str]:
    """Its command line, none of one that has ended meanwhile."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # or nobody has asked yet how it ended
        return []
