"""A kind of lab that is one folder and one line, and a server that is a module and two rows, have
their panel in the page."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chapters import FRONT, ROOT
from conftest import build, servers
from labs_on_page import RUN_MS, button, live
from playwright.sync_api import Page, expect

RECORD = """
import sys
from pathlib import Path
from labs.recordings import recorder
rule = recorder.Rule(runs=1, fit=False, each_s=0)
recorder.record_book(sys.argv[2:], print, rule, book=Path(sys.argv[1]))
"""
NAPS = f"""{FRONT}# Naps

The longest took {{measured}}`slept("0.1")`.

```{{code-cell}} ipython3
:tags: [lab, hide-input]
from labs import naps
naps("naps")
```
"""

MODULE = '''
"""Python's own WSGI server: one connection at a time, for one request."""
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from workloads.app.wsgi import app
from workloads.servers.forking import in_processes
from workloads.servers.start import options

chosen, listener = options("A server of the standard library.")

class Quiet(WSGIRequestHandler):
    def log_message(self, *_): ...

def work():
    server = WSGIServer(listener.getsockname(), Quiet, bind_and_activate=False)
    server.socket, server.server_name, server.server_port = listener, *server.server_address
    server.setup_environ()
    server.set_app(app)
    server.serve_forever()

in_processes(chosen.processes, work)
'''
ROWS = {  # a line before another: of a file, what is added before what
    "labs/servers/catalogue.py": (
        '    _ours("prefork", "wsgiref", "plain", base_mib=12, process_mib=3),\n',
        '    _ours("prefork", "scratch"',
    ),
    "labs/records/server_facts.py": (
        '        "wsgiref": ServerFacts(called="Python itself", hangs_up_at_once=True),\n',
        '        "scratch": ServerFacts(',
    ),
}
PLAIN = f"""{FRONT}# Plain

```{{code-cell}} ipython3
:tags: [lab, hide-input]
from labs import *
server, load = Server("prefork", by="wsgiref", processes=2), Load((1, 2, 4), seconds=1)
sweep("plain", Experiment(server, Workload(wait_s=0.02), load))
```
"""

pytestmark = [pytest.mark.measures, pytest.mark.extended]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tree, which programs take for theirs, without the book."""
    there, without = tmp_path / "tree", shutil.ignore_patterns("__pycache__")
    for name in ("labs", "workloads"):
        shutil.copytree(ROOT / name, there / name, ignore=without)
    (there / "book").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(there))
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path / "recordings"))
    return there


def add(file: Path, line: str, before: str) -> None:
    """Add a line to a file."""
    text = file.read_text("utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, line + before), "utf-8")


def recorded(tree: Path, name: str, page: str) -> Path:
    """Build the book of that one page, with its lab recorded."""
    (tree / f"book/{name}.md").write_text(page)
    (tree / "book/_toc.yml").write_text(f"format: jb-book\nroot: {name}\n")
    subprocess.run([sys.executable, "-c", RECORD, str(tree / "book"), name], cwd=tree, check=True)
    return build(tree / "book", tree.parent)


@pytest.mark.timeout(300)  # it builds a book, and gives way meanwhile
def test_a_new_server_is_recorded_and_run_in_the_page(
    page: Page, tree: Path, tmp_path: Path
) -> None:
    (tree / "workloads/servers/plain.py").write_text(MODULE)
    for file, (line, before) in ROWS.items():
        add(tree / file, line, before)
    site = recorded(tree, "plain", PLAIN)
    assert "run by Python itself" in (site / "plain.html").read_text("utf-8")
    with servers(tmp_path) as start:
        shown = live(page, start(site, root=tree / "book"), "plain")
        button(shown, "Skip").click()
        button(shown, "Run").click()
        expect(shown.get_by_text("Measured here: ")).to_be_visible(timeout=RUN_MS)
        measured_and_recorded = shown.locator(".wt-view .scatterlayer .point")
        expect(measured_and_recorded).to_have_count(2 * 2 * 3)  # in both plots


@pytest.mark.timeout(300)
def test_a_new_kind_is_recorded_shown_and_run_in_the_page(
    page: Page, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A turn of its own: it measures only its sleep.
    monkeypatch.setenv("WALL_TIME_LOCK", str(tmp_path / "lock"))
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tests/new_kind", tree / "labs/kinds/naps", ignore=without)
    add(tree / "labs/kinds/registry.py", '    "naps": "naps.run:NapsLab",\n', '    "race":')
    site = recorded(tree, "naps", NAPS)
    assert "The longest nap took" in (site / "naps.html").read_text("utf-8")
    with servers(tmp_path) as start:
        server = start(site, root=tree / "book")
        shown = live(page, server, "naps")
        assert page.locator(".wt-measured").inner_text().startswith("1")
        expect(shown.locator(".wt-about")).to_have_text("The lab sleeps.")
        button(shown, "Skip").click()
        button(shown, "Run").click()
        expect(shown.get_by_text("Measured here: ")).to_be_visible(timeout=RUN_MS)
        expect(shown.locator(".wt-figure .barlayer .point")).to_have_count(2)
        expect(shown.get_by_text("Sleeps end late.")).to_be_visible()
