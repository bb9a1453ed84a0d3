"""What can never be meant is refused in a sentence, before anything is started."""

import contextlib
import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from labs import __main__ as command_line
from labs.exercises.key import exercise
from labs.host import hardware
from labs.measure import rig
from labs.panel.controls import read_users
from labs.panel.job import Job
from labs.records.errors import Unusable
from labs.records.experiment import Load
from labs.servers.serve import available
from labs.site.live import serve

LEAST_LETTERS = 12  # of a sentence that helps anybody


class Started(BaseException):
    """Something would have been started."""


@pytest.fixture(autouse=True)
def _nothing_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever would start a process, a server or a run says so instead; a reader's own files are
    others."""

    def started(*what: Any, **_: object) -> None:
        if isinstance(what[-1], list) and "pandoc" in what[-1]:  # whom jupytext looks for
            raise FileNotFoundError
        raise Started(str(what[-1:]))

    hardware.fingerprint()  # what is known of machine and programs is asked only once
    available()
    monkeypatch.setenv("LABS_MODE", "live")
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(tmp_path / "progress.json"))
    for where, name in ((subprocess.Popen, "__init__"), (Job, "start"), (rig, "turn")):
        monkeypatch.setattr(where, name, started)
    monkeypatch.setattr(serve, "_serve", started)


def refusal(what: str, give: Callable[..., str | None], *given: object) -> str:
    """What is said to a bad input, by an error of ours or an answer; AssertionError for nothing."""
    try:
        said = give(*given) or ""
    except Unusable as error:
        said = str(error)
    except Started as error:
        pytest.fail(f"{what}: would have started {error}")
    assert "Traceback" not in said and len(said) >= LEAST_LETTERS, f"{what}: {said!r}"
    return said


NO_NUMBER = (
    *("", " ", "abc", "nan", "inf", "-inf", "1e999", "0x10", "1,5", "--", "½", "\0", "\udc80"),
    *("-1", "9" * 5000),  # more digits than Python reads
)
NO_WHOLE = (*NO_NUMBER, "0", "1.5", "1e3")
NO_REAL = (*NO_NUMBER, "-0.001", "1e9")
NO_CHOICE = ("", " ", "nope", "PREFORK", "sleep ", "../sleep", "\0")
TOO_MANY = "1," * 20 + "99"
NO_LEVELS = ("1,1", "2,1", "1,,2", "1;2", ",", "1,2,4,5000", TOO_MANY)
PREDICT = ("predict", "--server", "prefork", "--users", "1,2")
OPTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("processes", "threads", "backlog", "cores", "start"), NO_WHOLE),
    "generators": (*NO_WHOLE, "99"),
    **dict.fromkeys(("cpu", "wait", "think", "cpu-cv", "wait-cv"), NO_REAL),
    "seconds": (*NO_REAL, "0"),
    **dict.fromkeys(("cpu-by", "wait-by", "page", "server"), NO_CHOICE),
    "by": NO_CHOICE[1:],
    "users": (*(each for each in NO_WHOLE if each != "1,5"), *NO_LEVELS),
    "json": ("", "/", "/no/such/folder/file.json", "/dev/null/file", "\0"),
}
COMMANDS: tuple[tuple[str, ...], ...] = (
    *((), ("",), ("machine", "more"), ("predict", "--server", "prefork")),
    *((*PREDICT, more) for more in ("--nope", "more")),
    (*PREDICT, "--by", "apache", "--cpu-by", "hashing"),
    (*PREDICT, "--page", "file", "--cpu", "0.1"),
    *((*PREDICT, *each) for each in (("--cores", "4000"), ("--start", "2"))),
    *(("dance",), ("record", "../one-core"), ("classics", "s9")),
    *(("class", name) for name in ("", "/no/such", "/proc", "README.md", "\0")),
    *(("read", "--port", port) for port in (*NO_NUMBER[3:], "65536", "80.0")),
)


def commanded(*words: str) -> str | None:
    """What the command line says of an error of whoever typed it; None where it is content."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command_line.main(list(words))
    for written in (out, err):
        written.seek(0)
    assert code != command_line.UNUSABLE or out.read() == ""
    return err.read() if code == command_line.UNUSABLE else None


@pytest.mark.parametrize("words", COMMANDS, ids=ascii)
def test_a_command_refuses_words_that_cannot_be_meant(words: tuple[str, ...]) -> None:
    said = refusal(ascii(words)[:200], commanded, *words)
    assert words[:1] == ("class",) or said.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "--server", "prefork"),
        (*PREDICT, "--page", "file", "--cpu", "0.1"),
        ("record", "--tries", "0", "many-cores"),
        ("attach", ""),
        ("read", "--port", "http"),
    ],
    ids=" ".join,
)
def test_a_command_says_what_was_wrong(words: tuple[str, ...], snapshot: SnapshotAssertion) -> None:
    assert refusal(ascii(words), commanded, *words) == snapshot


@pytest.mark.parametrize("option", OPTIONS)
def test_labs_predict_refuses_a_value_that_cannot_be_meant(
    option: str, snapshot: SnapshotAssertion
) -> None:
    asked = [(*PREDICT, f"--{option}={bad}") for bad in OPTIONS[option]]
    said = [refusal(ascii(words)[:200], commanded, *words) for words in asked]
    assert all(each.count("\n") == 1 for each in said)
    assert said[0] == snapshot


WHOLES = ("None", "''", "'8'", "True", "-1", "0", "1.5", "float('nan')", "10**30", "[]", "{}")
REALS = ("None", "''", "'0.05'", "True", "-1", "float('nan')", "float('-inf')", "1e9", "[]", "1j")
WORDS = ("None", "'nope'", "5", "[]", "{}", "'PREFORK'", "b'sleep'", "True")
FLAGS = ("None", "'yes'", "2", "[]", "0.5")
EXPERIMENT = "Experiment(Server('prefork'), Workload(cpu_s=0.01), Load([1, 2]))"
FIELDS = {  # a call with a place for a value, and what can never stand there
    "Server('prefork', processes={})": WHOLES,
    "Server('threaded', threads={})": WHOLES,
    "Server('prefork', threads={})": ("4",),
    "Server('prefork', backlog={})": WHOLES,
    "Server('prefork', cores={})": WHOLES[1:],
    "Server('prefork', processes=4, start={})": WHOLES[1:],
    "Server('prefork', keep_alive={})": ("None", "'yes'", "[]", "0.0", "61"),
    "Server({})": WORDS,
    "Server('prefork', by={})": WORDS[2:5],
    "Workload(cpu_s={})": REALS,
    "Workload(wait_s={})": REALS,
    "Workload(cpu_cv={})": REALS,
    "Workload(cpu_s=0.1, cpu_cv={})": ("1e-200",),
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
    "sweep('mine', " + EXPERIMENT + ", about={})": ("'users'", "['nope']", "5", "[5]", "[None]"),
    "sweep('mine', " + EXPERIMENT + ", {})": ("nope=1", "5", "experiment=5"),
    "compare('mine', {})": ("None", "{}", "[1]", "'a'", "{'a': 1, 'b': 2}", "{'a': None}"),
    "timeline('mine', Server('prefork'), Workload(), {})": ("None", "[]", "[5]", "'kill'"),
    "timeline('mine', {}, Workload(cpu_s=0.01), [Step(seconds=1, users=1)])": ("None", "'prefork'"),
    "timeline('mine', Server('prefork'), {}, [Step(seconds=1, users=1)])": ("None", "0.01"),
    "memory('mine', {})": ("5", "{'process': [1, 4]}", "sizes={}"),
    "race('mine', seconds={})": REALS[:6],
    "clocks('mine', {})": ("5", "{}", "server='prefork'"),
    "generators('mine', {})": ("5", "'prefork'"),
    "generators('mine', users={})": WHOLES,
    "generators('mine', seconds={})": REALS[:6],
    "mystery('mine', seed={})": WHOLES,
    "mystery('mine', users={})": ("5", "'1'", "[]", "[0]", "[2, 1]"),
    "classic('mine', {})": ("None", "'s9'", "5", "''"),
}


def in_a_cell(code: str) -> None:
    names: dict[str, Any] = {}
    exec("from labs import *", names)
    eval(code, names)


@pytest.mark.parametrize("call", FIELDS)
def test_a_call_in_a_cell_refuses_a_value_that_cannot_be_meant(
    call: str, snapshot: SnapshotAssertion
) -> None:
    asked = [call.replace("{}", value, 1) for value in FIELDS[call]]
    said = [refusal(code, in_a_cell, code) for code in asked]
    assert said[0] == snapshot


NO_USERS = (
    *("", " ", "abc", "0", "-1", "1.5", "1, 1", "2, 1", "1 2 a", "nan", "inf", "½", "["),
    *("99999", ",".join(map(str, range(1, 18))), "<b>1</b>", "1\0", "1/2", "None", "()"),
)


def test_users_that_cannot_be_meant_are_refused() -> None:
    for text in NO_USERS:
        with pytest.raises(Unusable, match="users"):
            Load(read_users(text))


NO_SEED: tuple[Any, ...] = (5, 1.5, True, b"a", [], {}, object(), "a" * 10_000, ("a",))


def test_exercise_refuses_a_seed_that_is_no_short_text() -> None:
    for seed in NO_SEED:
        with pytest.raises(Unusable, match=r"^seed"):
            exercise("3.1", seed=seed)
