"""What every test is held to: nothing it started stays, and none is skipped unseen."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path

import examples
import psutil
import pytest
from brief import BRIEF
from hypothesis import settings
from waiting import eventually
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from labs.exercises import catalogue
from labs.host import lock
from labs.host.process_tree import MARK as TREE_MARK
from labs.recordings import store
from labs.servers import postgresql
from labs.servers.storage import CHOICE

PROJECT = Path(__file__).parent.parent
SESSION_MARK = "WALL_TIME_TEST_SESSION"  # in the environment of all that these tests start
BUILD_S = 400  # the first test that looks at the book builds it, and gives way meanwhile
AGAIN = 2  # whoever shares the machine may spoil a test that judges what it measured, not thrice
MOST_AGAIN = 12  # such repeats in all: more say that the tests are at fault, or the machine
CALM_S = float(os.environ.get("WALL_TIME_CALM_S", 10))  # before each: who spoiled it may be gone
NICE = 10  # of a process whose tests do not measure
PR_CAPBSET_DROP, CAP_SYS_NICE = 24, 23  # Linux's numbers
GONE_S = float(os.environ.get("WALL_TIME_GONE_S", 3))  # for what a test has told to end
MEASURES = "measures"  # the mark of tests that take this machine's turn
PERFORMANCE = "performance"  # of those among them that may be repeated
REPEATS = "WALL_TIME_TEST_REPEATS"  # a file that all processes of these tests count them in
BROWSER = "browser"  # of tests that drive one, and their room
TRIALS = "trials"  # of tests that ask nothing of each other, and are shared one by one
MEASURING = ("live", "kinds")  # rooms that take this machine's turn, one test after another
THINKING = ("unit", "book")  # rooms that start nothing but a build
ORDER = (*MEASURING, BROWSER, "processes", TRIALS, *THINKING)
NOT_INSTALLED = "Install it with: apt-get install"  # as `labs.host.programs.lacking` says
STARTING = ("live", MEASURES, BROWSER)  # marks of tests that start something
LASTING = ("multiprocessing.resource_tracker", "chrome_crashpad")  # end with whoever started them

# No example has to be done in so many milliseconds: another process may have the core.
settings.register_profile("wall-time", deadline=None)
settings.load_profile("wall-time")

Who = tuple[int, float]  # a process: its id and when it was started
held: dict[str, set[Who]] = defaultdict(set)  # by fixtures that outlive a test, by their scope


catalogue.BUILT = Path("nowhere")  # exercises are those of the pages, built or not


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test has failed")


def pytest_configure(config: pytest.Config) -> None:
    os.environ[SESSION_MARK] = str(os.getpid())
    folder = tempfile.mkdtemp(prefix="wall-time-progress-")  # never the user's own record
    os.environ["WALL_TIME_PROGRESS"] = str(Path(folder) / "progress.json")
    if not hasattr(config, "workerinput"):
        os.environ[REPEATS] = str(Path(folder) / "repeats")
        Path(os.environ[REPEATS]).touch()
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    config.pluginmanager.register(HeldByFixtures())


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker(PERFORMANCE):
        item.add_marker(MEASURES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if room(item.path) == BROWSER:
            item.add_marker(BROWSER)
        if "book" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(BUILD_S))
    items.sort(key=_when)


def _when(item: pytest.Item) -> tuple[int, int]:
    """Its place among the rooms. What is shared out file by file begins with the largest."""
    where = room(item.path)
    return ORDER.index(where), -item.path.stat().st_size if where in THINKING else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Of three processes (`-n 3`) one has the rooms that measure, one test after another, one the
    browser, and one the rest, file by file; trials are shared test by test. (xdist's own groups
    come to nothing with pytest 9.)"""

    class RoomScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            where = room(config.rootpath / file)
            if where in MEASURING:
                return MEASURES
            if where == BROWSER:
                return BROWSER
            return nodeid if where == TRIALS else file

    return RoomScheduling(config, log)


@pytest.fixture
def choice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The database that requests ask; a test of one that is not here is skipped."""
    if request.param == "postgresql" and (remedy := postgresql.missing()):
        pytest.skip(remedy)
    monkeypatch.setenv(CHOICE, request.param)
    return str(request.param)


@pytest.fixture(autouse=True, scope="module")
def _gives_way(request: pytest.FixtureRequest) -> None:
    """What does not measure, and all that it starts, gives way to what does."""
    apart = room(request.path) not in MEASURING
    if "PYTEST_XDIST_WORKER" in os.environ and apart and os.nice(0) == 0:
        give_way()


def give_way() -> None:
    """For good: a Chromium that root starts would put itself before all others, at -8."""
    os.nice(NICE)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0)


def room(file: Path) -> str:
    """The folder of these tests that a file is in."""
    here = Path(__file__).parent
    return file.relative_to(here).parts[0] if file.is_relative_to(here) else "unit"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Only what asserts a performance may be repeated, while there is some of the budget left."""
    if item.get_closest_marker(PERFORMANCE):
        repeats = min(AGAIN, MOST_AGAIN - Path(os.environ[REPEATS]).stat().st_size)
        item.add_marker(pytest.mark.flaky(reruns=max(0, repeats), reruns_delay=CALM_S))
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.outcome == "rerun" and not hasattr(report, "node"):  # another process's has one
        with Path(os.environ[REPEATS]).open("a") as count:
            count.write(".")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was wrong with each test that had to be repeated: its second try hides it otherwise."""
    again = terminalreporter.stats.get("rerun", ())
    if again:
        terminalreporter.write_line(f"{len(again)} of at most {MOST_AGAIN} repeats.")
    for report in again:
        terminalreporter.section(f"repeated: {report.nodeid}", sep="_")
        terminalreporter.write_line(str(report.longrepr))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, object]:
    return _unskipped((yield), item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, object]:
    return _unskipped((yield), collector.config)


def _unskipped(
    report: pytest.TestReport | pytest.CollectReport, config: pytest.Config
) -> pytest.TestReport | pytest.CollectReport:
    if report.skipped and not hasattr(report, "wasxfail") and config.getoption("--no-skips"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if NOT_INSTALLED in str(reason) and not os.environ.get("CI"):
            return report  # of a server that whoever is not root cannot just have
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was not run ({reason}) and --no-skips asks for all."
    return report


class HeldByFixtures:
    """What a module's or the session's fixture starts may stay as long as the fixture does. A
    plugin of its own: pytest asks no folder's conftest about the fixtures of the whole session."""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        if fixturedef.scope == "function":
            return (yield)
        before = set(running())
        try:
            return (yield)
        finally:
            held[fixturedef.scope] |= set(running()) - before


@pytest.fixture(scope="session")
def book() -> Path:
    """The site of the book itself, as `make read` opens it; built if it is not there yet."""
    command = [sys.executable, str(PROJECT / "setup/book.py")]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        pytest.fail(built.stderr, pytrace=False)
    return PROJECT / "_build/html"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the recordings of `examples.SHELF`, in the place of the book's."""
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path / "recordings"))
    for lab, result in examples.SHELF.items():
        store.save(result, store.path(lab, result.machine))
    return tmp_path / "recordings"


@pytest.fixture
def calibrated_in_passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second less of every run, for tests that are not about the machine's speed."""
    for module, name, seconds in BRIEF:
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
def calibrated_in_full(calibrated_in_passing: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """That taken back, for a test in such a module that is about the speed."""
    monkeypatch.undo()


@pytest.fixture(autouse=True)
def _own_turn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """What measures nothing on this machine waits for nobody who does."""
    with pytest.MonkeyPatch.context() as patch:
        if not any(request.node.get_closest_marker(name) for name in STARTING):
            patch.setattr(lock, "LOCK", tmp_path_factory.getbasetemp() / "wall-time.lock")
        yield


@pytest.fixture(autouse=True)
def _nothing_left_by_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Looked at after each test that starts something; the module's own look covers the rest."""
    live = any(request.node.get_closest_marker(name) for name in STARTING)
    before = set(running()) if live else set()
    yield
    if live:
        nothing_left(before, *held.values())


@pytest.fixture(autouse=True, scope="module")
def _nothing_left_by_the_module() -> Iterator[None]:
    before = set(running())
    yield
    nothing_left(before, held["session"], held["package"])


@pytest.fixture(autouse=True, scope="session")
def _nothing_left_at_all() -> Iterator[None]:
    before = set(running())
    yield
    nothing_left(before)


def nothing_left(*allowed: set[Who]) -> None:
    """AssertionError naming what still runs, after ending it so that the next test is alone.

    What hangs below an allowed process may stay too, unless a lab started it: a Jupyter server
    may keep a kernel warm, but no server under test outlives its test.
    """
    may_stay = set().union(*allowed)

    def left() -> dict[Who, psutil.Process]:
        found = running()
        return {who: each for who, each in found.items() if not _may_stay(each, who, may_stay)}

    with contextlib.suppress(AssertionError):
        eventually(lambda: not left(), within_s=GONE_S)
    if words := [_end(process) for process in left().values()]:
        pytest.fail("left running:\n  " + "\n  ".join(words), pytrace=False)


def running() -> dict[Who, psutil.Process]:
    """Live processes that come from these tests: below this one, or with its mark."""
    below = {child.pid for child in psutil.Process().children(recursive=True)}
    mark, found = os.environ[SESSION_MARK], {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            ours = process.pid in below or process.environ().get(SESSION_MARK) == mark
            if ours and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found[process.pid, process.create_time()] = process
    return found


def _may_stay(process: psutil.Process, who: Who, allowed: set[Who]) -> bool:
    with contextlib.suppress(psutil.Error):
        if who in allowed or any(each in " ".join(process.cmdline()) for each in LASTING):
            return True
        if TREE_MARK in process.environ():
            return False
        return any((above.pid, above.create_time()) in allowed for above in process.parents())
    return True  # it ended while we looked


def _end(process: psutil.Process) -> str:
    words = f"{process.pid}"
    with contextlib.suppress(psutil.Error):
        words = f"{process.pid}: {' '.join(process.cmdline())[:200]}"
        process.kill()
    return words
