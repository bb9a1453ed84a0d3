"""A wheel without its clone, as in a hub's image: the home is empty, and nobody is in the clone."""

import json
import os
import re
import shutil
import signal
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import wheels
from surroundings import read_only

import labs

pytestmark = [pytest.mark.live, pytest.mark.extended]

PAGE = "<html><body>A page of the built book</body></html>\n"
WITHIN_S = 60.0
FOUND = """
import json, labs, workloads
from pathlib import Path
from labs.panel import figure_view
from labs.recordings import pages, store
print(json.dumps({
    "labs": labs.__file__,
    "exercise": repr(labs.exercise("3.1", seed="ann")),
    "recordings": [str(path) for path in store.paths("one-core")],
    "shown": repr(store.recording("one-core"))[:9],
    "titles": [chapter.title for chapter in pages.chapters()],
    "plotly": len(figure_view._plotly()),
    "files": [str(path) for it in (labs, workloads) for path in Path(it.__path__[0]).rglob("*")],
}))
"""


@dataclass(frozen=True)
class Installed:
    """Packages other than ours are those of these tests."""

    python: Path
    prefix: Path
    home: Path

    @property
    def outside(self) -> dict[str, str]:
        """The environment of somebody who has nothing in the home."""
        ours = ("JUPYTER", "IPYTHON", "LABS_", "WALL_TIME_PROGRESS", "XDG_")
        rest = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        return rest | {"HOME": str(self.home), "PYTHONPATH": sysconfig.get_path("purelib")}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the home."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.home,
            env=self.outside,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone whose book is not built."""
    return wheels.source(tmp_path_factory.mktemp("a clone"))


@pytest.fixture(scope="module")
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Its wheel, once the book is built, in an environment of its own; the clone is gone."""
    for name in ("index.html", "1-cpu-time/one-core.html", "_static/lib/live.js"):
        file = source / "_build/html" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE)
    made, prefix = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("prefix")
    built = wheels.build(source, made)
    assert built.returncode == 0, built.stderr
    venv.create(prefix, with_pip=False)
    python = prefix / "bin" / "python"
    done = wheels.pip(f"--python={python}", "install", "--no-deps", "--no-index", *made.iterdir())
    assert done.returncode == 0, done.stderr
    shutil.rmtree(source)
    return Installed(python=python, prefix=prefix, home=tmp_path_factory.mktemp("home"))


def test_a_wheel_without_the_built_book_is_refused(source: Path, tmp_path: Path) -> None:
    done = wheels.build(source, tmp_path)
    assert done.returncode != 0
    assert "The wheel carries the built book, and there is none here" in done.stderr + done.stdout


def test_pages_recordings_and_exercises_are_found(installed: Installed) -> None:
    done = installed.run("-c", FOUND)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["labs"]).is_relative_to(installed.prefix)
    assert found["exercise"] == repr(labs.exercise("3.1", seed="ann"))
    assert found["recordings"]
    assert all(Path(each).is_relative_to(installed.prefix) for each in found["recordings"])
    assert found["shown"] == "Recording"
    assert "One core" in found["titles"]
    assert found["plotly"] < 1e6  # the book's small one
    packaged = {Path(each).relative_to(Path(found["labs"]).parents[1]) for each in found["files"]}
    asked = ["git", "ls-files", "--", "labs", "workloads"]
    listed = subprocess.check_output(asked, cwd=wheels.ROOT, text=True).splitlines()
    assert not set(map(Path, listed)) - packaged  # templates and scripts as well as modules


OWN = """
c.ServerApp.base_url = "/elsewhere/"
c.ServerApp.certfile = "/nowhere/at.all"
c.ServerApp.port = 1
c.ServerApp.jpserver_extensions = {"labs.site.live.server": False}
c.ServerApp.kernel_manager_class = "nobody.knows"
c.IdentityProvider.token = "own"
"""


@pytest.mark.parametrize("home", ["empty", "read-only", "configured for servers of another kind"])
def test_the_book_is_served(installed: Installed, home: str) -> None:
    """With a kernel for its pages, and the server ends like any other."""
    before: list[str] = []
    if home == "read-only":
        before = read_only(installed.home)
    elif home != "empty":
        (installed.home / ".jupyter").mkdir(exist_ok=True)
        (installed.home / ".jupyter/jupyter_server_config.py").write_text(OWN)
    with subprocess.Popen(
        [*before, installed.python, "-m", "labs", "read", "--no-browser"],
        cwd=installed.home,
        env=installed.outside,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            address = re.search(r"(http://\S+/book/)(\?token=\w+)", said)
            assert address, said
            # At once: it tells when it listens.
            with urlopen("1-cpu-time/one-core.html".join(address.groups())) as answer:
                assert answer.read().decode() == PAGE
            login = {"Authorization": f"token {address[2].partition('=')[2]}"}
            asking = Request(f"{address[1]}session", method="POST", data=b"{}", headers=login)
            with urlopen(asking, timeout=WITHIN_S) as answer:
                assert answer.status == 201
        finally:
            installed.home.chmod(0o755)
            server.send_signal(signal.SIGINT)
            _, complaints = server.communicate(timeout=WITHIN_S)
        assert (server.returncode, complaints) == (0, "")


@pytest.mark.measures
def test_a_lab_runs(installed: Installed) -> None:
    done = installed.run(
        *("-m", "labs", "run", "--server", "prefork", "--by", "gunicorn", "--processes", "1"),
        *("--cpu", "0.005", "--users", "1,2", "--json", "-"),
    )
    assert done.returncode == 0, done.stderr
    assert [point["users"] for point in json.loads(done.stdout)["points"]] == [1, 2]
