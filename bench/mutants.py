"""Mutants: how many small faults in what is reckoned does a unit test find?

    python -m bench.mutants [--sample 30] [--seed 12] [--known FILE] [MODULE ...]

Of each module of `labs/theory` and `labs/analysis` and of the store of recordings, so many faults
are drawn and made, as somebody's slip would be: one at a time, and in memory only. Each is tried on
the unit tests that call the changed function, in a process of its own, forked when the libraries
are there already. FILE keeps from run to run which test calls what. Half an hour.
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
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType

import pytest

from bench import one_of

ROOT = Path(__file__).parent.parent
COPY = ROOT / "_build/mutants"  # of the tree: a fault of the store writes into the book of its tree
FILES = [*ROOT.glob("labs/theory/*.py"), *ROOT.glob("labs/analysis/*.py")]
FILES.append(ROOT / "labs/recordings/store.py")
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts): COPY / file.relative_to(ROOT)
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
        seen, files = set(), {str(file) for file in MODULES.values()}

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=30, help="faults of each module")
    parser.add_argument("--seed", type=int, default=12, help="of the choice among them")
    parser.add_argument("--known", type=Path, help="file of what test calls what")
    parser.add_argument("modules", nargs="*", type=one_of(MODULES), metavar="MODULE")
    asked = parser.parse_args()
    copy(".")
    os.chdir(COPY)
    sys.path[:0] = [str(COPY), str(COPY / "tests")]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WALL_TIME_PROGRESS"] = f"{folder}/progress.json"  # nobody's own
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        for library in LIBRARIES:
            importlib.import_module(library)
        known = ROOT / asked.known if asked.known else Path(folder, "calls.json")
        if not known.exists():
            forked(lambda: note(known))
        calls = json.loads(known.read_text())
        killed, left = Counter[str](), Counter[str]()
        for name in asked.modules or MODULES:
            drawn = list(sample(MODULES[name], asked.sample, asked.seed))
            lived = [each for each in drawn if passed(callers(name, calls, each), name, each)]
            killed[name] = len(drawn) - len(lived)
            left.update(fault.pattern for fault in lived)
            print(f"{name:30} {len(drawn):3} tried  {killed[name]:3} killed", flush=True)
            for fault in lived:
                was, now = ast.unparse(fault.was), ast.unparse(fault.now)
                print(f"    line {fault.line}: {was}  ->  {now}", flush=True)
    tried = killed.total() + left.total()
    print(f"\n{killed.total()} of {tried} killed, {killed.total() / tried:.1%}; of those left:")
    for pattern, number in left.most_common():
        print(f"    {pattern:20} {number}")
    return 0 if killed.total() >= GOAL * tried else 1


def copy(part: str) -> None:
    """Make the copy of a part of the tree anew."""
    shutil.rmtree(COPY / part, ignore_errors=True)
    without = shutil.ignore_patterns(".*", "_build", "node_modules")
    shutil.copytree(ROOT / part, COPY / part, ignore=without)


def sample(file: Path, size: int, seed: int) -> Iterator[Fault]:
    """Choose so many of a module's faults, or all, in the order of its lines."""
    found = list(faults(ast.parse(file.read_text())))
    chosen = random.Random(f"{seed} {file.name}").sample(found, min(size, len(found)))
    yield from sorted(chosen, key=lambda fault: fault.line)


def callers(name: str, calls: Calls, fault: Fault) -> list[str]:
    """Find the tests that call the function around the fault, the quickest first; outside of
    functions, all that call one of the module."""
    where = MODULES[name]
    around = [
        min([node.lineno, *(each.lineno for each in node.decorator_list)])
        for node in ast.walk(fault.tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= fault.line <= (node.end_lineno or 0)
    ]
    within = [f"{where}:{line}" for line in around[:1]] or [
        function for function in calls if function.startswith(f"{where}:")
    ]
    took = {test: took for each in within for test, took in calls.get(each, {}).items()}
    return sorted(took, key=lambda test: took[test])


def passed(tests: list[str], name: str, fault: Fault) -> bool:
    """Whether none of these tests fails with the fault in that module."""
    copy("book/recordings")  # as it was before the fault before
    # Without any pytest would take them all.
    return not tests or forked(lambda: run(["-x", *tests], name=name, fault=fault)) == 0


def note(known: Path) -> int:
    noted = Noted()
    run(["tests/unit"], [noted])
    known.write_text(json.dumps(noted.calls))
    return 0


def run(
    asked: list[str], plugins: Sequence[object] = (), name: str = "", fault: Fault | None = None
) -> int:
    """Run pytest, in a process that has imported nothing of ours yet; return its answer."""
    found = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, module: str) -> object:
        if fault is None or module != name:
            return found(loader, module)
        return compile(made(fault), MODULES[name], "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    plain = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:rerunfailures"]
    plain += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is there already
    return pytest.main([*plain, "-o", f"timeout={TEST_S}", *asked], plugins)


def forked(work: Callable[[], int]) -> int:
    """Work in a child process, which says nothing: its answer, or a signal's number."""
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


# ---- small faults, one pattern each --------------------------------------------------------------

ORDER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITE = {ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OPPOSITE |= {other: each for each, other in OPPOSITE.items()}
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
ARITHMETIC |= {ast.Pow: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv}
NAMES = {"min": "max", "all": "any", "floor": "ceil", "minimum": "maximum"}
NAMES |= {"max": "min", "any": "all", "ceil": "floor", "maximum": "minimum"}

UNRECKONED = ("decorator_list", "annotation", "returns")  # parts of the code


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: a change at one place of a module."""

    tree: ast.Module
    pattern: str
    line: int
    was: ast.AST
    now: ast.AST


def faults(tree: ast.Module) -> Iterator[Fault]:
    """List all faults that there can be, but for annotations and decorators."""
    nodes = list(ast.walk(tree))
    parts = (getattr(node, name, None) or [] for node in nodes for name in UNRECKONED)
    tops = (top for part in parts for top in (part if isinstance(part, list) else [part]))
    unreckoned = {node for top in tops for node in ast.walk(top)}
    for node in nodes:
        if node not in unreckoned:
            for pattern, other in _others(node):
                yield Fault(tree, pattern, getattr(node, "lineno", 0), node, other)


def made(fault: Fault) -> ast.Module:
    """Put the fault into its module, for good."""
    _Swap(fault.was, fault.now).generic_visit(fault.tree)
    return ast.fix_missing_locations(fault.tree)


class _Swap(ast.NodeTransformer):
    """Puts one node in another's place."""

    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.other, node) if node is self.node else super().visit(node)


def _others(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """List what could stand there by mistake, and the name of the mistake."""
    match node:
        case ast.Compare(left=left, ops=[sign, *more], comparators=right):
            for known, name in ((ORDER, "boundary"), (OPPOSITE, "comparison")):
                if type(sign) in known:
                    yield name, ast.Compare(left, [known[type(sign)](), *more], right)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(sign)](), right)
        case ast.AugAssign(target=target, op=sign, value=value) if type(sign) in ARITHMETIC:
            yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(sign)](), value)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield "sign or not", operand
        case ast.BoolOp(op=sign, values=values):
            other = ast.Or() if isinstance(sign, ast.And) else ast.And()
            yield "and, or", ast.BoolOp(other, values)
        case ast.If(test=test, body=body, orelse=orelse):
            yield "condition", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "condition", ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Constant(value=float() as value):
            yield "constant", ast.Constant(value * 2 or 1.0)
            yield "constant", ast.Constant(value / 2 or 0.5)
        case ast.Return(value=ast.expr() as value):
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield "nothing returned", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "left out", ast.Expr(ast.Constant(None))
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield "another function", ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in NAMES:
            yield "another function", ast.Attribute(value, NAMES[name], ast.Load())
        case ast.Break() | ast.Continue():
            yield "loop", ast.Continue() if isinstance(node, ast.Break) else ast.Break()


if __name__ == "__main__":
    sys.exit(main())
