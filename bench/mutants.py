"""How many small faults in what is reckoned does a unit test find?

    python -m bench.mutants [--sample 30] [--seed 12] [--known FILE] [MODULE ...]

Of each module of `labs/theory` and `labs/analysis` and of the store of recordings, so many faults
are drawn (`bench.mutation` has the patterns) and made, one at a time and in memory only. Each is
tried on the unit tests that call the changed function, in a process of its own, forked when the
libraries are there already. FILE keeps from run to run which test calls what. Half an hour.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType

import pytest

from bench.mutation import Fault, faults, made

ROOT = Path(__file__).parent.parent
FILES = [*ROOT.glob("labs/theory/*.py"), *ROOT.glob("labs/analysis/*.py")]
FILES.append(ROOT / "labs/recordings/store.py")
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts): file
    for file in sorted(FILES)
    if file.stem != "__init__"
}
LIBRARIES = ("docutils.core", "hypothesis", "markupsafe", "msgspec", "numpy", "psutil", "simpy")
LIMIT_S = 600  # of CPU, for all tests of one fault: what never ends is found, too
TEST_S = 60  # for one test
MEMORY = 4 << 30  # bytes, of one process
GOAL = 0.9  # of the faults

Calls = dict[str, dict[str, float]]  # by function, as `file:line`: its tests, and their seconds


class Noted:
    """A plugin of pytest: which test calls which function of the modules, and for how long."""

    def __init__(self) -> None:
        self.calls: Calls = defaultdict(dict)
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        seen, files = set(), {str(file) for file in FILES}

        def called(frame: FrameType, event: str, value: object) -> None:
            if frame.f_code.co_filename in files:
                seen.add(f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}")

        began = time.monotonic()
        sys.settrace(called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            for function in seen if item.nodeid not in self.failed else ():
                self.calls[function][item.nodeid] = time.monotonic() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:  # so they fail or are skipped without a fault
            self.failed.add(report.nodeid)


class Chosen:
    """A plugin of pytest: these tests only, with their seconds; the quickest files first."""

    def __init__(self, tests: dict[str, float]) -> None:
        self.failed: set[str] = set()
        took: dict[str, float] = defaultdict(float)
        for test, seconds in tests.items():
            took[test.partition("::")[0]] += seconds
        self.files = sorted(took, key=lambda file: (took[file], file))
        places = {file: place for place, file in enumerate(self.files)}
        self.order = {test: (places[test.partition("::")[0]], tests[test]) for test in tests}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.order]
        items.sort(key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=30, help="faults of each module")
    parser.add_argument("--seed", type=int, default=12, help="of the choice among them")
    parser.add_argument("--known", type=Path, help="file of what test calls what")
    parser.add_argument("modules", nargs="*", help="such as labs.theory.laws", metavar="MODULE")
    asked = parser.parse_args()
    if unknown := [name for name in asked.modules if name not in MODULES]:
        parser.error(f"{unknown[0]}: no such module. Choose from {', '.join(MODULES)}.")
    os.chdir(ROOT)
    sys.path.insert(0, "tests")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WALL_TIME_PROGRESS"] = f"{folder}/progress.json"  # nobody's own
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        for library in LIBRARIES:
            importlib.import_module(library)
        known = asked.known or Path(folder, "calls.json")
        if not known.exists():
            forked(lambda: note(known))
            forked(lambda: sort_out(known))
        calls = json.loads(known.read_text())
        killed, left = Counter[str](), Counter[str]()
        for name in asked.modules or MODULES:
            drawn = list(sample(MODULES[name], asked.sample, asked.seed))
            lived = [each for each in drawn if passed(callers(name, calls, each), name, each)]
            killed[name] = len(drawn) - len(lived)
            left.update(fault.pattern for fault in lived)
            print(f"{name:30} {len(drawn):3} tried  {killed[name]:3} killed", flush=True)
            for fault in lived:
                print(f"    line {fault.line}: {fault.was}  ->  {fault.now}", flush=True)
    tried = killed.total() + left.total()
    print(f"\n{killed.total()} of {tried} killed, {killed.total() / tried:.1%}; of those left:")
    for pattern, number in left.most_common():
        print(f"    {pattern:20} {number}")
    return 0 if killed.total() >= GOAL * tried else 1


def sample(file: Path, size: int, seed: int) -> Iterator[Fault]:
    """So many of a module's faults, or all, in the order of its lines."""
    found = list(faults(file.read_text()))
    chosen = random.Random(f"{seed} {file.name}").sample(found, min(size, len(found)))
    yield from sorted(chosen, key=lambda fault: fault.line)


def callers(name: str, calls: Calls, fault: Fault) -> dict[str, float]:
    """The tests that call the function around the fault, with their seconds; outside of
    functions, all that call one of the module."""
    where = MODULES[name]
    around = [
        min([node.lineno, *(each.lineno for each in node.decorator_list)])
        for node in ast.walk(ast.parse(where.read_text()))
        if isinstance(node, ast.FunctionDef) and node.lineno <= fault.line <= (node.end_lineno or 0)
    ]
    within = [f"{where}:{line}" for line in around[:1]] or [
        function for function in calls if function.startswith(f"{where}:")
    ]
    return {test: took for each in within for test, took in calls.get(each, {}).items()}


def passed(chosen: dict[str, float], name: str, fault: Fault) -> bool:
    """Whether none of these tests fails with the fault in that module."""
    if not chosen:  # pytest would say that it found none, which is no failure
        return True
    trial = Chosen(chosen)
    return forked(lambda: run(["-x", *trial.files], trial, name, fault)) == 0


def note(known: Path) -> int:
    noted = Noted()
    run(["tests/unit"], noted)
    known.write_text(json.dumps(noted.calls))
    return 0


def sort_out(known: Path) -> int:
    """Without a fault no test may fail: which then does, in the order of a trial, is left out."""
    calls: Calls = json.loads(known.read_text())
    trial = Chosen({test: took for each in calls.values() for test, took in each.items()})
    run(trial.files, trial)
    kept = {
        function: {test: took for test, took in each.items() if test not in trial.failed}
        for function, each in calls.items()
    }
    known.write_text(json.dumps(kept))
    return 0


def run(asked: list[str], plugin: object, name: str = "", fault: Fault | None = None) -> int:
    """pytest's answer, in a process that has imported nothing of ours yet."""
    found = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, module: str) -> object:
        if fault is None or module != name:
            return found(loader, module)
        return compile(made(MODULES[name].read_text(), fault), MODULES[name], "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    plain = ["-q", "--noconftest", "-n", "0", "-p", "no:cacheprovider", "-p", "no:rerunfailures"]
    plain += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is there already
    return pytest.main([*plain, "-o", f"timeout={TEST_S}", *asked], [plugin])


def forked(work: Callable[[], int]) -> int:
    """What it returns in a child process, which says nothing; a signal's number if one ended it."""
    child = os.fork()
    if child == 0:
        answer = 1
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with contextlib.suppress(BaseException), open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            answer = int(work())
        os._exit(answer)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    sys.exit(main())
