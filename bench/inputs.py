"""Is every bad input refused, in a sentence, before anything is started?

    python -m bench.inputs [--seed 1] [--said] [SURFACE ...]

What can never be meant is given to the command line, to cells, to a panel's fields, to exercises,
and as recordings, progress files and a class's CSV files: from tables, and by a seeded generator
(bench/ruined.py). Each has to be refused with words of its own. Prints for each surface how many
were given, refused, accepted in silence, and how many crashed: an error that is none of ours.
Nothing is started: what would be counts as accepted. Exits with 1 if any was not refused, or if all
surfaces together gave fewer than the goal.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from bench import ruined
from labs import __main__ as command_line
from labs.api import check
from labs.exercises import chapters
from labs.exercises.check import NoSuchExercise
from labs.host import hardware
from labs.kinds.sweep.report import columns
from labs.kinds.sweep.run import SweepLab
from labs.measure import rig
from labs.panel.job import Job
from labs.panel.sweep import SweepPanel
from labs.recordings import store
from labs.records.errors import BadRecording, Unusable
from labs.servers.serve import available
from labs.site import serve

GOAL = 500
REFUSED, ACCEPTED, CRASHED, SLOW = OUTCOMES = ("refused", "accepted", "crashed", "slow")
OURS = (Unusable, BadRecording, NoSuchExercise)  # whose words are for the reader
LEAST_LETTERS = 12  # of a sentence that helps anybody
LONGEST_S = 20.0  # for an answer, on a busy machine
MORE_DIGITS_THAN_PYTHON_READS = "9" * 5000


class Started(BaseException):
    """Something would have been started."""


@dataclass(frozen=True, slots=True)
class Input:
    """One bad input. `give` returns what was said to it, "" where it was taken for good."""

    surface: str
    name: str
    give: Callable[[], str]


def outcome(given: Input) -> tuple[str, str]:
    """What came of it, and the words that were said, or the crash."""
    begin = time.monotonic()
    try:
        said = given.give()
    except OURS as refusal:
        said = str(refusal)
    except Started as started:
        return ACCEPTED, f"would have started {started}"
    except Exception:
        return CRASHED, traceback.format_exc()
    if time.monotonic() - begin > LONGEST_S:
        return SLOW, said
    if "Traceback (most recent call last)" in said:
        return CRASHED, said
    return (REFUSED if len(said.strip()) >= LEAST_LETTERS else ACCEPTED), said


# ---- the command line ----------------------------------------------------------------------------

NO_NUMBER = (
    "",
    " ",
    "abc",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1,5",
    "--",
    "½",
    "\0",
    "\udc80",
)
NO_WHOLE = (*NO_NUMBER, "-1", "0", "1.5", "1e3", MORE_DIGITS_THAN_PYTHON_READS)
NO_REAL = (*NO_NUMBER, "-1", "-0.001", "1e9", MORE_DIGITS_THAN_PYTHON_READS)
NO_CHOICE = ("", " ", "nope", "PREFORK", "sleep ", "../sleep", "\0")
PREDICT = ("predict", "--server", "prefork", "--users", "1,2")
OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("processes", "threads", "backlog", "cores", "start"), NO_WHOLE),
    **dict.fromkeys(("cpu", "wait", "think", "cpu-cv", "wait-cv"), NO_REAL),
    "seconds": (*NO_REAL, "0"),
    **dict.fromkeys(("cpu-by", "wait-by", "page", "server"), NO_CHOICE),
    "by": NO_CHOICE[1:],
    "users": (
        *(each for each in NO_WHOLE if each != "1,5"),
        "1,1",
        "2,1",
        "1,,2",
        "1;2",
        ",",
        "1,2,4,5000",
        "1," * 20 + "99",
    ),
    "json": ("", "/", "/no/such/folder/file.json", "/dev/null/file", "\0"),
}
COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("",),
    ("nope",),
    ("predict",),
    ("run",),
    ("machine", "more"),
    ("predict", "--users", "1"),
    ("predict", "--server", "prefork"),
    (*PREDICT, "--nope"),
    (*PREDICT, "more"),
    (*PREDICT, "--by", "apache", "--cpu-by", "hashing"),
    (*PREDICT, "--page", "file", "--cpu", "0.1"),
    (*PREDICT, "--threads", "4"),
    (*PREDICT, "--cores", "4000"),
    (*PREDICT, "--start", "2"),
    *(("record", name) for name in ("nope", "", "../one-core", "classics-s1")),
    *(("classics", name) for name in ("s9", "", "s1 ")),
    *(("class", name) for name in ("", "/no/such", "/dev/zero", "/proc", "README.md", "\0")),
    ("class", "README.md", "-o", "students.csv"),
    *(("read", "--port", port) for port in (*NO_WHOLE[3:], "65536", "80.0") if port != "0"),
    *(("read", "--origin", origin) for origin in ("nope", "ftp://host", "https://", "https://a b")),
    *(("read", "--base-url", path) for path in ("a b", "../..", "https://host/", "/a?b", "\0")),
)


def on_the_command_line() -> Iterator[Input]:
    asked = [(*PREDICT, f"--{name}={bad}") for name, bads in OPTIONS.items() for bad in bads]
    asked += [("run", *PREDICT[1:], f"--{name}={OPTIONS[name][2]}") for name in OPTIONS]
    for words in (*COMMANDS, *asked):
        shown = [word if len(word) < 40 else f"{word[:40]}…" for word in words]
        yield Input("command line", ascii(shown), partial(_commanded, words))


def _commanded(words: Sequence[str]) -> str:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command_line.main(list(words))
        out.flush()
    err.seek(0)
    return err.read() if code == command_line.UNUSABLE else ""


# ---- cells ---------------------------------------------------------------------------------------

WHOLES = ("None", "''", "'8'", "True", "-1", "0", "1.5", "float('nan')", "10**30", "[]", "{}")
REALS = ("None", "''", "'0.05'", "True", "-1", "float('nan')", "float('-inf')", "1e9", "[]", "1j")
WORDS = ("None", "'nope'", "5", "[]", "{}", "'PREFORK'", "b'sleep'", "True")
FLAGS = ("None", "'yes'", "2", "[]", "0.5")
EXPERIMENT = "Experiment(Server('prefork'), Workload(cpu_s=0.01), Load([1, 2]))"
FIELDS = {  # a call with a place for a value, and what can never stand there
    "Server('prefork', processes={})": WHOLES,
    "Server('threaded', threads={})": WHOLES,
    "Server('prefork', backlog={})": WHOLES,
    "Server('prefork', cores={})": WHOLES[1:],
    "Server('prefork', processes=4, start={})": WHOLES[1:],
    "Server('prefork', keep_alive={})": FLAGS,
    "Server({})": WORDS,
    "Server('prefork', by={})": WORDS[2:5],
    "Workload(cpu_s={})": REALS,
    "Workload(wait_s={})": REALS,
    "Workload(cpu_cv={})": REALS,
    "Workload(wait_cv={})": REALS,
    "Workload(cpu_by={})": WORDS,
    "Workload(wait_by={})": WORDS,
    "Workload(page={})": WORDS,
    "Load({})": ("None", "5", "''", "'1, 2'", "[]", "{}", "[None]", "[0]", "[1, 1]", "[2, 1]"),
    "Load([1], think_time_s={})": REALS,
    "Load([1], seconds={})": REALS,
    "Load([1], script_s={})": REALS,
    "Load([1], generators={})": WHOLES,
    "Load([1], keep_alive={})": FLAGS,
    "Step(seconds={}, users=1)": REALS,
    "Step(seconds=1, users={})": WHOLES,
    "Step(seconds=1, rate={})": REALS,
    "Step(seconds=1, users=1, do={})": ("None", "'nope'", "'raise the pool to 0'", "5", "[]"),
    "Experiment({}, Workload(), Load([1]))": ("None", "'prefork'", "5"),
    "Experiment(Server('prefork'), {}, Load([1]))": ("None", "'work'", "5"),
    "Experiment(Server('prefork'), Workload(), {})": ("None", "[1, 2]", "5"),
    "sweep({}, " + EXPERIMENT + ")": ("None", "5", "''", "'../x'", "'a/b'", "[]"),
    "sweep('mine', {})": ("None", "5", "Server('prefork')", "'many-cores'"),
    "sweep('mine', " + EXPERIMENT + ", ask={})": ("None", "'speed'", "5"),
    "sweep('mine', " + EXPERIMENT + ", about={})": ("'users'", "['nope']", "5", "[5]", "[None]"),
    "sweep('mine', " + EXPERIMENT + ", {})": ("nope=1", "5", "experiment=5"),
    "compare('mine', {})": ("None", "{}", "[1]", "'a'", "{'a': 1, 'b': 2}", "{'a': None}"),
    "timeline('mine', Server('prefork'), Workload(cpu_s=0.01), {})": (
        "None",
        "[]",
        "[5]",
        "'kill'",
    ),
    "timeline('mine', {}, Workload(cpu_s=0.01), [Step(seconds=1, users=1)])": ("None", "'prefork'"),
    "timeline('mine', Server('prefork'), {}, [Step(seconds=1, users=1)])": ("None", "0.01"),
    "memory('mine', {})": ("5", "'process'", "{'process': []}", "{'nope': [1]}", "{'process': 5}"),
    "race('mine', {})": ("5", "'x'", "[5]", "[]"),
    "race('mine', seconds={})": REALS[:6],
    "clocks('mine', {})": ("5", "'page'", "{'a': 5}", "[1]"),
    "clocks('mine', server={})": ("'prefork'", "5"),
    "generators('mine', {})": ("5", "'prefork'"),
    "generators('mine', users={})": WHOLES[1:5],
    "generators('mine', seconds={})": REALS[:6],
    "mystery('mine', seed={})": WHOLES,
    "mystery('mine', users={})": ("5", "'1'", "[]", "[0]", "[2, 1]"),
    "classic({})": ("None", "'s9'", "5", "''"),
}


def in_cells() -> Iterator[Input]:
    for call, values in FIELDS.items():
        for value in values:
            cell = call.replace("{}", value, 1)
            yield Input("cells", cell, partial(_run, cell))


def _run(cell: str) -> str:
    names: dict[str, Any] = {}
    exec("from labs import *", names)
    made = eval(cell, names)
    with contextlib.suppress(AttributeError):
        made.shut()
    return ""


# ---- a panel -------------------------------------------------------------------------------------

NO_LEVELS = (
    *(
        "",
        " ",
        "abc",
        "0",
        "-1",
        "1.5",
        "1, 1",
        "2, 1",
        "1 2 a",
        "nan",
        "inf",
        "1e3",
        "½",
        "[",
        "()",
    ),
    *("99999", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "<b>1</b>", "1\0", "1/2", "None"),
)
NO_PREDICTION = (
    *("", " ", "abc", "nan", "inf", "-5", "0", "1.2.3", "1,2,3", "--5", "5 km", "½", "1/2", "\0"),
    *("1e999", "12 ms", "85 %", "<script>alert(1)</script>", "None", "5 5", "0x10", "10⁶"),
)
NO_TEXT: tuple[object, ...] = (5, None, [], {}, True)
NO_STATE: tuple[object, ...] = (-1, 999, "x", 1.5, [], {}, float("nan"), 10**30)  # of a choice


def in_a_panel() -> Iterator[Input]:
    panel = _panel()
    fields = panel._settings.controls if panel._settings else {}
    for text in NO_LEVELS:
        yield Input("panel", f"users: {text!r}", partial(_set_users, panel, text))
    fields["users"].value = "1, 2"
    for text in NO_PREDICTION:
        yield Input("panel", f"prediction: {text!r}", partial(_predicted, panel, text))
    for name, field in fields.items():
        if name == "users":
            for state in NO_TEXT:
                yield Input("panel", f"{name} of {state!r}", _state(field, "value", state))
        else:
            for state in NO_STATE:
                yield Input("panel", f"{name} at {state!r}", _state(field, "index", state))
    yield Input("panel", "Run before a prediction", partial(_pressed, panel))
    panel.shut()


def _panel() -> SweepPanel:
    recorded: Any = store.recording("many-cores")
    found = recorded.run.calibration
    panel = SweepPanel("many-cores", SweepLab(recorded.experiment), calibration=lambda *_: found)
    until = time.monotonic() + LONGEST_S
    while panel._plan is None and time.monotonic() < until:
        time.sleep(0.02)
    return panel


def _set_users(panel: SweepPanel, text: str) -> str:
    assert panel._settings is not None
    panel._settings.controls["users"].value = text
    return "" if panel._bar.offers_run else str(panel._problem.value)


def _predicted(panel: SweepPanel, text: str) -> str:
    panel._prompt._question.value = ""
    panel._prompt._number.value = text
    panel._prompt._commit.click()
    kept = panel._prompt.guess is not None
    return "" if kept or "wt-problem" not in (said := panel._prompt._question.value) else said


def _state(field: Any, name: str, value: object) -> Callable[[], str]:
    """As a page would send it: a slider takes no place that it has not, and stays as it was."""

    def give() -> str:
        before = getattr(field, name)
        with contextlib.suppress(Exception):  # ipywidgets' own; a kernel logs it and goes on
            field.set_state({name: value})
        return f"It stays at {before!r}." if getattr(field, name) == before else ""

    return give


def _pressed(panel: SweepPanel) -> str:
    panel._bar._run.click()
    return "First commit to a number, or skip."


# ---- exercises -----------------------------------------------------------------------------------


class Broken:
    """A number that is none."""

    def __float__(self) -> float:
        raise ZeroDivisionError


NO_ANSWER: tuple[object, ...] = (
    *("", " ", "abc", "12 apples", "1/0", "nan", "inf", "-inf", "1e999", "1.2.3", "--5", "5 5"),
    *("0x10", "½", "\0", "5\n6", "<b>5</b>", "5 km", MORE_DIGITS_THAN_PYTHON_READS, "1,2,3"),
    *(True, False, [1], {1}, {"a": 1}, b"5", object(), len, 1j, float("nan"), float("inf")),
    *(10**400, Decimal("NaN"), Decimal("Infinity"), range(3), Broken(), type),
)
EACH = 6  # exercises that get each of them
NO_ID: tuple[Any, ...] = (
    *("", "0", "99.9", 1.1, None, "1.1 "),
    *("1,1", "../1", "1.1\0", [], {}, b"1.1"),
)
NO_SEED: tuple[Any, ...] = (5, 1.5, True, b"a", [], {}, object(), "a" * 10_000, ("a",))


def in_exercises(seed: int) -> Iterator[Input]:
    asked = ruined.dice(seed, "exercises")
    fixed = [row.id for row in chapters.EXERCISES if row.fixed]
    for value in NO_ANSWER:
        for id in asked.sample(fixed, EACH):
            yield Input("exercises", f"{id}: {_short(value)}", partial(_answer, id, value))
        yield Input("exercises", f"two: {_short(value)}", partial(_answer, fixed[0], 1, value))
    for id in NO_ID:
        yield Input("exercises", f"id {id!r}", partial(_answer, id, 5))
    for text in NO_SEED:
        give = partial(_answer, fixed[0], 5, seed=text)
        yield Input("exercises", f"seed {_short(text)}", give)


def _answer(id: Any, *value: object, seed: Any = None) -> str:
    reply = check(id, *value, seed=seed)
    reply._repr_html_()
    return "" if reply.value is not None else reply.sentence


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) < 40 else f"{said[:40]}…"


# ---- all of it -----------------------------------------------------------------------------------


def inputs(seed: int, folder: Path) -> Iterator[Input]:
    """All of them. Files are written in that folder, when their turn comes."""
    yield from on_the_command_line()
    yield from in_cells()
    yield from in_a_panel()
    yield from in_exercises(seed)
    for surface, made in ruined.SURFACES.items():
        for name, give in made(seed, folder):
            yield Input(surface, name, give)


@contextlib.contextmanager
def starting_nothing(folder: Path) -> Iterator[None]:
    """Whatever would start a process, a server or a run says so instead, and a reader's own files
    are others."""

    def started(*what: Any, **_: object) -> None:
        if isinstance(what[0], list) and "pandoc" in what[0]:  # whom jupytext looks for
            raise FileNotFoundError
        raise Started(type(what[0]).__name__)

    hardware.fingerprint()  # what is known of machine and programs is asked only once
    available()
    own = {"LABS_MODE": "live", "WALL_TIME_PROGRESS": str(folder / "kept.json"), "NO_BROWSER": "1"}
    places: tuple[tuple[Any, str, Any], ...] = (
        (subprocess.Popen, "__init__", lambda self, *what, **_: started(*what)),
        (Job, "start", started),
        (serve, "_serve", started),
        (rig, "turn", started),
    )
    before = [getattr(where, name) for where, name, _ in places]
    theirs = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    for where, name, instead in places:
        setattr(where, name, instead)
    try:
        yield
    finally:
        for (where, name, _), was in zip(places, before, strict=True):
            setattr(where, name, was)
        for name, value in theirs.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def table(found: Sequence[tuple[Input, str]]) -> list[list[str]]:
    """For each surface how many were given, and what came of them."""
    count = Counter((given.surface, what) for given, what in found)
    surfaces = list(dict.fromkeys(given.surface for given, _ in found))
    rows = [[surface, *(str(count[surface, what]) for what in OUTCOMES)] for surface in surfaces]
    return [[surface, str(sum(map(int, numbers))), *numbers] for surface, *numbers in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--said", action="store_true", help="print what was said to each")
    parser.add_argument("only", nargs="*", help="surfaces", metavar="SURFACE")
    asked = parser.parse_args()
    found: list[tuple[Input, str]] = []
    with tempfile.TemporaryDirectory(prefix="wall-time-inputs-") as made:
        folder = Path(made)
        with starting_nothing(folder):
            for given in inputs(asked.seed, folder):
                if asked.only and given.surface not in asked.only:
                    continue
                what, said = outcome(given)
                found.append((given, what))
                if what != REFUSED or asked.said:
                    print(f"{what}: {given.surface}: {given.name}\n    {said.strip()[-600:]}")
    head = ["surface", "given", *OUTCOMES]
    print(columns([head, *table(found)]))
    bad = sum(what != REFUSED for _, what in found)
    print(f"{len(found)} bad inputs (goal: {GOAL} or more), {bad} of them not refused (goal: 0)")
    return 0 if not bad and (asked.only or len(found) >= GOAL) else 1


if __name__ == "__main__":
    sys.exit(main())
