from __future__ import annotations

import math
from dataclasses import replace

import examples
import pytest
from msgspec import structs

from labs.exercises import exercise as exercise_rows
from labs.exercises import latest
from labs.exercises.check import CLOSE, Exercise, NoSuchExercise, check
from labs.exercises.exercise import QUESTIONS
from labs.kinds.comparison.record import Comparison
from labs.kinds.generators.record import GeneratorResult, Generators, GeneratorsRun
from labs.kinds.memory.record import Memory, MemoryCurve, MemoryRun
from labs.kinds.mystery.record import Mystery
from labs.kinds.race.record import Count, Race, RaceRun
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.record import StepResult, Timeline, TimelineRun
from labs.records.experiment import Server, Workload
from labs.records.processes import Process
from labs.records.steps import Step

SEEDS = (None, "ann", "ben", "cleo", "dora")


def compared(factors: dict[str, float]) -> Comparison:
    """Parts that did so many times what the law says; a quarter of each response was work."""
    parts = {label: served(examples.recording(factor)) for label, factor in factors.items()}
    return Comparison(machine=examples.MACHINE, over="users", parts=parts)


def mixed(comparison: Comparison, wait_s: float) -> Comparison:
    """The same, of pages that wait as well."""
    parts = {}
    for label, part in comparison.parts.items():
        experiment = part.experiment
        workload = replace(experiment.workload, wait_s=wait_s)
        parts[label] = structs.replace(part, experiment=replace(experiment, workload=workload))
    return structs.replace(comparison, parts=parts)


def served(recording: Recording) -> Recording:
    (run,) = recording.runs
    points = tuple(replace(p, service_time_s=p.mean_response_time_s / 4) for p in run.points)
    return structs.replace(recording, runs=(replace(run, points=points),))


def weighed() -> Memory:
    """Processes of 5 MiB each, beside the 20 that they share."""
    sizes, mib = (1, 2, 4), 2**20
    growth = MemoryCurve(
        kind="process",
        sizes=sizes,
        pss_bytes=tuple((20 + 5 * size) * mib for size in sizes),
        rss_bytes=tuple(25 * size * mib for size in sizes),
    )
    run = MemoryRun(recorded_at=examples.WHEN, taken_bytes=2**30, growths=(growth,))
    waiters = {"process": Server("prefork", processes=4)}
    return Memory(waiters=waiters, machine=examples.MACHINE, runs=(run,))


def walked(*users: int) -> Timeline:
    """A step of 4 s for each number of users, who got what the law says."""
    points = [examples.point(each) for each in users]
    stretches = tuple(
        StepResult(
            seconds=4.0,
            begun=round(4 * point.throughput_rps),
            completed=4 * point.throughput_rps,
            failed=0,
            missed=0,
            throughput_rps=point.throughput_rps,
            throughput_ci_rps=point.throughput_ci_rps,
            mean_response_time_s=point.mean_response_time_s,
            workers=8,
            in_flight=point.users,
            server_cpu=point.server_cpu,
            generator_cpu=0.01,
            others_cpu=0.02,
            cores=(0.5, 0.5),
        )
        for point in points
    )
    run = TimelineRun(
        recorded_at=examples.WHEN,
        calibration=examples.CALIBRATION,
        forecast=(),
        stretches=stretches,
    )
    return Timeline(
        server=examples.EXPERIMENT.server,
        workload=examples.EXPERIMENT.workload,
        steps=tuple(Step(seconds=4, users=each) for each in users),
        machine=examples.MACHINE,
        runs=(run,),
    )


def with_processes(timeline: Timeline) -> Timeline:
    """A master and two workers, who spend three tenths of their CPU time in their own code."""
    (run,) = timeline.runs
    tree = tuple(
        Process(
            who="server",
            pid=pid,
            parent=0 if pid == 1 else 1,
            began_s=0.0,
            lived_s=4.0,
            user_s=0.3 * busy_s,
            system_s=0.7 * busy_s,
            minor_faults=3,
            major_faults=0,
        )
        for pid, busy_s in ((1, 0.1), (2, 2.0), (3, 1.0))
    )
    return structs.replace(timeline, runs=(replace(run, processes=tree),))


def gauged() -> Generators:
    """One Locust, whose core is full at 1500 requests a second."""
    gauge = GeneratorResult(
        name="locust",
        program="Locust",
        command="locust",
        throughput_rps=1200.0,
        generator_cpu=0.8,
        server_cpu=0.3,
    )
    run = GeneratorsRun(recorded_at=examples.WHEN, gauges=(gauge,))
    return Generators(
        server=Server("event-loop", by="nginx"),
        workload=Workload(page="file"),
        connections=16,
        machine=examples.MACHINE,
        runs=(run,),
    )


def raced() -> Race:
    """Of each eight additions one arrived."""
    count = Count(
        name="without a lock",
        workload=examples.EXPERIMENT.workload,
        asked=400,
        counted=50,
        throughput_rps=100.0,
        mean_response_time_s=0.08,
    )
    run = RaceRun(recorded_at=examples.WHEN, counts=(count,))
    return Race(racers=8, machine=examples.MACHINE, runs=(run,))


MEASURED = {
    "your-machine": examples.checkup(),
    "wall-time": examples.clocks(),
    "one-core": examples.recording(),
    "many-cores": examples.recording(),
    "past-the-plateau": examples.recording(),
    "watching": walked(1, 2, 8),
    "how-many-workers": compared({"1 worker": 0.5, "2 workers": 1, "16 workers": 1}),
    "threads-and-cores": compared({"16 threads": 0.5, "16 threads, hashing": 1}),
    "waiting-is-cheap": examples.recording(),
    "the-pool": examples.recording(),
    "prefork": structs.replace(walked(1, 2, 8), workload=Workload(wait_s=0.2)),
    "memory-per-worker": weighed(),
    "threads": compared({"1 × 64": 1, "4 × 16": 0.9}),
    "a-shared-counter": raced(),
    "event-loop": examples.recording(),
    "one-blocking-call": compared({"awaits": 1, "blocks": 0.25, "computes": 0.2}),
    "the-launch": compared({"25 threads": 0.5, "100 threads": 1}),
    "both-at-once": mixed(compared({"20 workers": 0.9, "60 workers": 1}), wait_s=0.45),
    "a-small-file": compared({"prefork": 1, "worker": 0.9, "event": 1, "nginx": 1}),
    "a-process-tree": with_processes(walked(8)),
    "whom-are-you-measuring": gauged(),
    "which-limit": Mystery(
        seed=1, limit="cpu", machine=examples.MACHINE, variants={"before": examples.recording()}
    ),
}
asked = pytest.mark.parametrize("exercise", QUESTIONS, ids=lambda exercise: exercise.id)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest, "_latest", dict(MEASURED))


@asked
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("measured")
def test_the_answer_is_right_and_every_slip_is_met_with_a_hint(
    exercise: Exercise, seed: str | None
) -> None:
    given = exercise.numbers(seed)
    assert given is not None
    if exercise.answer is None:
        assert check(exercise.id, 1, seed=seed).kind == "open"
        return
    truth = exercise.answer(given)
    assert check(exercise.id, truth, seed=seed).right
    assert check(exercise.id, float(f"{truth:.3g}"), seed=seed).right
    for slip in exercise.slips:
        wrong = slip.leads_to(given)
        if not math.isclose(wrong, truth, rel_tol=exercise.tolerance(given)):
            reply = check(exercise.id, wrong, seed=seed)
            assert reply.kind == "wrong"
            assert reply.sentence.startswith("Not quite.")
    assert check(exercise.id, truth * 1.5, seed=seed).kind == "wrong"


@asked
def test_a_question_about_the_own_machine_waits_for_the_measurement(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latest, "_latest", {})
    reply = check(exercise.id)
    if exercise.lab:
        assert reply.kind == "later" and f"“{exercise.lab}”" in reply.sentence
    else:
        assert "{" not in reply.sentence and "First" not in reply.sentence


@pytest.mark.parametrize("chapter", sorted({row.id.split(".")[0] for row in QUESTIONS}))
def test_a_chapter_has_a_fixed_an_own_and_an_open_question(chapter: str) -> None:
    rows = [row for row in QUESTIONS if row.id.split(".")[0] == chapter]
    assert any(row.answer and not row.lab for row in rows)
    assert any(row.answer and row.lab for row in rows)
    assert any(row.answer is None for row in rows)


def test_ids_are_given_once() -> None:
    ids = [row.id for row in QUESTIONS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("id", "value", "words"),
    [
        ("1.1", 100, "Right: 100 ms"),
        ("1.2", 0.167, "Right: 0.167."),
        ("1.2", 16.7, "percentage"),
        ("2.1", 50, "Right: 50 req/s"),
        ("2.1", 0.05, "Milliseconds for seconds"),
        ("2.1", 0.02, "Upside down"),
        ("2.2", 160, "Right"),
        ("2.2", 0.16, "in seconds; this asks for milliseconds"),
        ("3.1", 80, "Right"),
        ("3.1", 20, "one core; there are 4"),
        ("3.2", 200, "Right"),
        ("3.3", 20, "Right"),
        ("5.1", 100, "in per cent of a core"),
        ("5.2", 1.5, "many cores are at work"),
        ("5.3", 3.23, "That is On_Core"),
        ("5.4", 9, "grep itself"),
        ("6.1", 80, "There are only 2 workers"),
        ("6.2", 80, "one lock in a process"),
        ("6.3", 441, "difference of two single requests"),
        ("6.3", 101, "first mean alone"),
        ("11.1", 1996, "one thread on one core"),
        ("11.3", 250, "keeps the loop"),
        ("12.1", 0.5, "what the application sees"),
        ("12.2", 2, "all of the response time"),
        ("12.3", 50, "60 of them"),
        ("12.4", 50, "That was before"),
        ("13.1", 4, "One for each core"),
        ("13.1", 9, "2 x cores + 1"),
        ("13.2", 200, "So much the cores could do"),
        ("13.2", 20, "cores / response time"),
        ("13.3", 24, "don't count it twice"),
        ("14.1", 8, "what a request costs now"),
        ("14.2", 1000, "aren't requests at once"),
        ("14.3", 250, "the database would allow"),
        ("14.4", 40, "wait for something behind the pool"),
        ("15.1", 0.1376, "in milliseconds"),
        ("15.2", 7267, "That is one core"),
        ("15.3", 2469, "That is what the lone user gets"),
        ("16.1", 8, "Leave each a fifth"),
        ("16.2", 0.119, "of the whole machine"),
        ("16.3", 3770, "in microseconds"),
        ("16.4", 5000, "without thinking"),
        ("2.1", 49.5, "Right"),
        ("2.1", 48, "too small"),
        ("2.1", "50 req/s", "not an ordinary number"),
        ("2.1", float("nan"), "not an ordinary number"),
        ("2.1", True, "not an ordinary number"),
    ],
)
def test_replies(id: str, value: object, words: str) -> None:
    assert words in check(id, value).sentence


@pytest.mark.usefixtures("measured")
def test_the_tolerance_of_an_own_answer_follows_the_interval() -> None:
    point = examples.recording().runs[-1].points[-1]
    exact = 32 / point.throughput_rps * 1000
    assert check("2.3", exact * 1.06).right  # 5 % and the interval of 2 %
    assert not check("2.3", exact * 1.09).right


def test_a_seed_draws_other_numbers_and_always_the_same() -> None:
    questions = {seed: check("3.1", seed=seed).sentence for seed in ("a", "b", "c", "d", "e")}
    assert len(set(questions.values())) > 1
    assert check("3.1", seed="a").sentence == questions["a"]
    assert CLOSE < 0.05


def test_an_unknown_id_names_the_known_ones() -> None:
    with pytest.raises(NoSuchExercise, match=r"id='9\.9': no such exercise\. Choose one of 0\.1, "):
        check("9.9", 1)


def test_a_reply_shows_as_words_and_as_escaped_html() -> None:
    reply = check("2.1", "<b>")
    assert "&lt;b&gt;" in reply._repr_html_() and "<b>" not in reply._repr_html_()
    assert repr(reply) == reply.sentence


def test_given_numbers_stand_as_they_are_and_measured_ones_are_rounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = {"users": 1024.0, "wait_s": 0.12345, "many": 1234567.0}
    text = "{users} users, {wait_s} s, {many} bytes"
    chosen = Exercise(id="x", question=text, given={name: (given[name],) for name in given})
    read = Exercise(id="y", question=text, lab="x", read=lambda result: given)
    monkeypatch.setattr(exercise_rows, "QUESTIONS", (chosen, read))
    monkeypatch.setattr(latest, "_latest", dict(MEASURED) | {"x": MEASURED["one-core"]})
    assert check("x").sentence.startswith("1024 users, 0.12345 s, 1234567 bytes")
    assert check("y").sentence.startswith("1024 users, 0.123 s, 1234567 bytes")
