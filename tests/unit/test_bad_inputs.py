"""What can never be meant is refused in a sentence; and what the bench of bad inputs says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import inputs, ruined
from bench.inputs import ACCEPTED, CRASHED, REFUSED, SLOW, Input, outcome
from labs import __main__ as command_line
from labs import progress_log
from labs.exercises.check import check
from labs.recordings import store
from labs.records.errors import BadRecording, Unusable

EXPERIMENT = inputs.EXPERIMENT


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("Server('prefork', keep_alive='yes')", "keep_alive='yes': must be True or False"),
        ("Load([1], keep_alive=None)", "keep_alive=None: must be True or False"),
        ("Workload(cpu_s=0.1, cpu_cv=1e-200)", "cpu_cv=1e-200: must be 0, or 0.001 to 1"),
        ("Server('prefork', by=5)", "by=5: cannot be used here. Give the name of a program"),
        ("Experiment(Server('prefork'), None, Load([1]))", r"workload=None: .* a Workload"),
        ("Step(seconds=1, users=1, do=5)", "do=5: cannot be used"),
        ("sweep('mine', None)", "experiment=None: .* Give an Experiment"),
        (f"sweep('../x', {EXPERIMENT})", "name='../x': not a lab's name"),
        (f"sweep(5, {EXPERIMENT})", "name=5: not a lab's name"),
        (
            f"sweep('mine', {EXPERIMENT}, nope=1)",
            r"keyword argument 'nope'\. Write sweep",
        ),
        (f"sweep('mine', {EXPERIMENT}, about=5)", "about=5: cannot be used"),
        ("compare('mine', {'a': 1, 'b': 2})", "a=1: cannot be used here. Give a dictionary"),
        ("timeline('mine', Server('prefork'), Workload(), [5])", "steps=5: cannot be used"),
        ("timeline('mine', 'prefork', Workload(), [])", "server='prefork': cannot be used"),
        ("memory('mine', {'nope': [1]})", "sizes='nope': choose one of process"),
        ("memory('mine', {})", r"sizes={}: nothing to weigh\. Give a dictionary such as"),
        ("memory('mine', {'process': []})", "process=.*two sizes or more, from small to large"),
        ("memory('mine', {'process': [4, 1]})", r"process=\[4, 1\]: .*from small to large"),
        ("memory('mine', {'thread': [1, 4, 4]})", r"thread=\[1, 4, 4\]: .*from small to large"),
        ("memory('mine', {'coroutine': [64]})", r"coroutine=\[64\]: .*two sizes or more"),
        ("race('mine', [])", "ways=.*no way to count"),
        ("race('mine', seconds=-1)", "seconds=-1: must be between"),
        ("clocks('mine', {'a': 5})", "a=5: cannot be used here. Give a dictionary"),
        ("generators('mine', 'prefork')", "server='prefork': cannot be used"),
        ("generators('mine', seconds='')", "seconds='': must be an ordinary number"),
        ("generators('mine', users=0)", "users=0: must be between"),
    ],
)
def test_a_cell_that_cannot_be_meant_is_refused(
    cell: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_MODE", "live")
    with pytest.raises(Unusable, match=said):
        inputs._run(cell)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*inputs.PREDICT, "--processes=--"), "--processes=--: no value"),
        ((*inputs.PREDICT, "--json=\0"), "cannot be written"),
        ((*inputs.PREDICT, "--json=/dev/null/file"), "cannot be written"),
        (("class", "\0"), "cannot be read"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.main(list(words)) == command_line.UNUSABLE
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("seed", [5, b"a", ["a"], "a" * 1000])
def test_a_seed_that_is_no_text_spoils_no_record(
    seed: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WALL_TIME_PROGRESS", str(tmp_path / "progress.json"))
    with pytest.raises(Unusable, match=r"^seed"):
        check("3.1", 5, seed=seed)  # type: ignore[arg-type]
    assert progress_log.read()[0].empty


def test_a_number_that_breaks_when_it_is_read_is_none() -> None:
    assert check("3.1", inputs.Broken()).value is None


@pytest.mark.parametrize(
    ("lab", "path"),
    [
        ("your-machine", ("machine", "cores")),
        ("your-machine", ("calibrations", 0, "crowd_cores")),
        ("many-cores", ("runs", 0, "samples", 3, "users")),
        ("the-launch", ("parts", "25 threads", "runs", 0, "forecast", "levels", 3, "users")),
        ("classics-s2", ("runs", 0, "tries", 0, "users")),
        ("prefork", ("runs", 0, "time_bins", 1, "failed")),
    ],
)
def test_what_is_never_below_zero_is_refused_there(
    lab: str, path: tuple[str | int, ...], tmp_path: Path
) -> None:
    whole, file = store.paths(lab)[0].read_bytes(), tmp_path / "2-cores.json"
    file.write_bytes(ruined.instead(whole, path, "-7"))
    with pytest.raises(BadRecording, match=r"Expected `int` >= .*make record"):
        store.read(file)


def test_what_came_of_an_input_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> str:
        raise Unusable("5: too many. Give 4.")

    def started() -> str:
        raise inputs.Started("a server")

    gives = {REFUSED: refused, ACCEPTED: str, CRASHED: lambda: str(1 / 0)}
    given = [Input("cells", what, give) for what, give in gives.items()]
    found = [(each, outcome(each)[0]) for each in given]
    assert [what for _, what in found] == list(gives)
    assert outcome(Input("panel", "", started)) == (ACCEPTED, "would have started a server")
    assert outcome(Input("panel", "", lambda: "Not so."))[0] == ACCEPTED  # helps nobody
    assert inputs.table(found) == [["cells", "3", "1", "1", "1", "0"]]
    monkeypatch.setattr(inputs, "LONGEST_S", -1.0)
    assert outcome(Input("panel", "", lambda: "First commit to a number."))[0] == SLOW


def test_there_are_enough_of_them_and_a_seed_draws_the_same_again() -> None:
    fixed = [*inputs.on_the_command_line(), *inputs.in_cells()]
    assert len(fixed) > inputs.GOAL
    assert len({(each.surface, each.name) for each in fixed}) == len(fixed)
    whole = store.paths("wall-time")[0].read_bytes()
    once, again = (list(ruined.wrong(whole, ruined.dice(1, "x"), 2)) for _ in range(2))
    assert once == again != list(ruined.wrong(whole, ruined.dice(2, "x"), 2))
