"""A real JupyterHub with its proxy, and the book from its wheel in users' servers."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
import wheels
from labs_on_page import state, works
from playwright.sync_api import Page, expect
from waiting import eventually

pytestmark = [pytest.mark.extended, pytest.mark.timeout(600)]

PROXY = "configurable-http-proxy@5.3.0"
CULLER = "jupyterhub-idle-culler==1.4.0"  # both as chart 4.4.0 has them
USERS = ("anna b", "zo~e")
PASSWORD, TOKEN = "of-the-class", "of-the-tests"
REST_S, CULL_S = 5, 45  # a page rests, and then the hub ends its server
WITHIN_S = 90.0  # on a busy machine
CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = {proxy!r}
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r}
c.Spawner.cmd = [{single!r}]
c.Spawner.args = {arguments!r}
c.Spawner.default_url = "/book/"
c.Spawner.env_keep = ["PATH", "WALL_TIME_TEST_SESSION"]
c.Spawner.environment = {{"JUPYTERHUB_ACTIVITY_INTERVAL": "1"}}
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.JupyterHub.last_activity_interval = 1
culler = {{"name": "culler", "command": {culler!r}}}
c.JupyterHub.services = [culler, {{"name": "tests", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "culler", "services": ["culler"], "scopes": [
        "list:users", "read:users:activity", "read:servers", "delete:servers"]}},
    {{"name": "tests", "services": ["tests"], "scopes": [
        "admin:users", "admin:servers", "access:servers"]}},
]
"""


@dataclass(frozen=True)
class Hub:
    address: str
    log: Path

    def ask(self, path: str, method: str = "GET", body: object = None) -> Any:
        """The hub's REST interface, or a user's server's."""
        request = Request(
            f"{self.address}/{quote(path, safe='/?=&')}",
            method=method,
            headers={"Authorization": f"token {TOKEN}"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urlopen(request, timeout=WITHIN_S) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def ready(self, user: str) -> bool:
        """Whether that user's server runs."""
        return bool(self.ask(f"hub/api/users/{user}").get("servers", {}).get("", {}).get("ready"))

    def kernels(self, user: str) -> set[str]:
        found = self.ask(f"user/{user}/api/kernels?no_track_activity=1")
        return {each["id"] for each in found}


@pytest.fixture(scope="module")
def prefix(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image's packages: the wheel with the small book, its pins, and what a hub needs."""
    source = wheels.source(tmp_path_factory.mktemp("source"))
    shutil.copytree(site, source / "_build/html")
    made = tmp_path_factory.mktemp("made")
    built = wheels.build(source, made)
    assert built.returncode == 0, built.stderr
    prefix = tmp_path_factory.mktemp("prefix")
    venv.create(prefix, with_pip=False)
    what: list[str | Path] = [
        "-c",
        wheels.ROOT / "constraints.txt",
        CULLER,
        f"{next(made.iterdir())}[book]",
    ]
    what += ["-r", wheels.ROOT / "deploy/requirements-hub.txt"]
    done = wheels.install(prefix / "bin/python", *what)
    assert done.returncode == 0, done.stderr
    return prefix


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that starts the hub's usual proxy."""
    folder, node, npm = tmp_path_factory.mktemp("proxy"), shutil.which("node"), shutil.which("npm")
    assert node and npm, "the hub's proxy needs Node 20 or newer, with npm"
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "install", *quiet, "--prefix", folder, PROXY], check=True)
    return [node, str(folder / "node_modules/configurable-http-proxy/bin/configurable-http-proxy")]


@pytest.fixture
def hub(prefix: Path, proxy: list[str], tmp_path: Path) -> Iterator[Hub]:
    with socket.socket() as one, socket.socket() as two, socket.socket() as three:
        for each in (one, two, three):
            each.bind(("127.0.0.1", 0))
        port, hub_port, proxy_port = (each.getsockname()[1] for each in (one, two, three))
    arguments = [f"--BookApp.rest_after_s={REST_S}", "--MappingKernelManager.cull_interval=1"]
    arguments += [f"--BookApp.left_after_s={REST_S}"]
    if os.geteuid() == 0:
        arguments.append("--ServerApp.allow_root=True")
    culler = [str(prefix / "bin/python"), "-m", "jupyterhub_idle_culler", "--cull-every=1"]
    config = tmp_path / "jupyterhub_config.py"
    config.write_text(
        "c = get_config()\n"
        + CONFIG.format(
            port=port,
            hub_port=hub_port,
            proxy_port=proxy_port,
            proxy=proxy,
            password=PASSWORD,
            token=TOKEN,
            homes=str(tmp_path / "{username}"),
            single=str(prefix / "bin/jupyterhub-singleuser"),
            arguments=arguments,
            culler=[*culler, f"--timeout={CULL_S}"],
        )
    )
    hub = Hub(f"http://127.0.0.1:{port}", tmp_path / "hub.log")
    with hub.log.open("wb") as log:
        process = subprocess.Popen(
            [prefix / "bin/jupyterhub", f"--config={config}"],
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"},
            stdout=log,
            stderr=log,
        )
    try:
        eventually(lambda: process.poll() is None and answers(hub), WITHIN_S, "the hub")
        yield hub
    except BaseException:
        print(hub.log.read_text()[-8000:])
        raise
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(WITHIN_S)
        finally:
            process.kill()


def answers(hub: Hub) -> bool:
    try:
        return bool(hub.ask("hub/api/"))
    except HTTPError as error:  # of the proxy, before the hub is there
        error.close()
    except OSError:
        pass
    return False


@pytest.fixture
def window(another: Callable[..., Page], hub: Hub) -> Callable[[str], Page]:
    """A browser of that user's own, logged in."""

    def log_in(user: str) -> Page:
        page = another()
        page.goto(f"{hub.address}/hub/login?next=/hub/home")
        page.get_by_label("Username").fill(user)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/hub/home")
        return page

    return log_in


def test_a_class_reads_the_book_and_the_hub_ends_what_nobody_uses(
    hub: Hub, window: Callable[[str], Page]
) -> None:
    """Two at once, whose names are no plain words, and one of whom has a notebook open."""
    anna, zoe = USERS
    pages = {user: window(user) for user in USERS}
    for user in USERS:
        hub.ask(f"hub/api/users/{user}/server", "POST")
    for user in USERS:
        eventually(lambda user=user: hub.ready(user), WITHIN_S, f"the server of {user}")
        assert hub.kernels(user) == set()  # nobody has asked for the book
    own = hub.ask(f"user/{anna}/api/kernels", "POST", {"name": "python3"})["id"]

    for user, page in pages.items():
        page.goto(f"{hub.address}/hub/user-redirect/book/chapter/lab.html")
        assert f"/user/{quote(user)}/book/chapter/lab.html" in page.url
        works(page)
    assert own in hub.kernels(anna) and not hub.kernels(anna) & hub.kernels(zoe)
    refused = pages[zoe].request.get(f"{hub.address}/user/{quote(anna)}/book/", max_redirects=9)
    assert refused.status == 403
    with urlopen(f"{hub.address}/user/{quote(anna)}/book/", timeout=WITHIN_S) as answer:
        assert "/hub/login" in answer.url  # who is not logged in gets that instead

    for page in pages.values():  # both stay open, and nobody touches them
        state(page, "lost", within_ms=WITHIN_S * 1000)
        expect(page.locator(".wt-status")).to_contain_text("Nothing has happened here for long")
    sessions = hub.ask(f"user/{anna}/api/sessions?no_track_activity=1")
    assert sessions == [] and own in hub.kernels(anna)
    for user in USERS:
        eventually(lambda user=user: not hub.ready(user), CULL_S + WITHIN_S, f"the end of {user}")
    culled = re.findall(r"Culling server.*", hub.log.read_text())
    assert culled, "the servers ended, but not by the hub's culler"
