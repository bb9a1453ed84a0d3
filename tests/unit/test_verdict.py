from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
import pytest
from markup import seen
from msgspec import structs

from labs.analysis.causes import Cause
from labs.analysis.checks import STARVED
from labs.kinds.comparison import verdict
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep import report
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import Ask, SweepLab
from labs.kinds.sweep.show import show
from labs.present import reasons
from labs.present import verdict as telling
from labs.present.bet import on_answer
from labs.present.tables import assumptions
from labs.present.verdict import ASSUMES
from labs.recordings import store
from labs.recordings.replay import page
from labs.records.experiment import WAIT_BY, Experiment, Load, Server, WaitBy, Workload
from labs.records.results import Check, Point
from labs.theory.forecast import forecast

FORECAST = examples.prediction()


def say(*sentences: str) -> str:
    return " ".join(sentences).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("server", "workload", "users", "words"),
    [
        (
            Server("prefork", processes=8),
            Workload(cpu_s=0.05),
            (1, 2, 4),
            "A prefork server (8 processes run by gunicorn, on all cores) answers requests that "
            "need 50 ms of CPU, while 1, 2 and 4 users ask, one request at a time each.",
        ),
        (
            Server("threaded", processes=2, threads=16, cores=1),
            Workload(cpu_s=0.02, wait_s=0.18),
            (1,),
            "A threaded server (2 processes with 16 threads each run by gunicorn, on one core) "
            "answers requests that need 20 ms of CPU and wait for 180 ms, while 1 user asks",
        ),
        (
            Server("event-loop", by="scratch", cores=2),
            Workload(),
            (3, 5),
            "An event-loop server (1 event loop run by our own code, on 2 cores) answers requests "
            "that need next to nothing, while 3 and 5 users ask",
        ),
        (
            Server("prefork", by="spare", processes=10),
            Workload(wait_s=0.2),
            (1,),
            "(up to 10 processes run by our own code that keeps spare workers, on all cores)",
        ),
        (
            Server("threaded", threads=4),
            Workload(cpu_s=0.05, wait_s=0.2, cpu_by="hashing", wait_by="backend"),
            (1,),
            "that need 50 ms of CPU for hashing and wait 200 ms for a backend, while",
        ),
        (
            Server("event-loop"),
            Workload(wait_s=0.2, wait_by="blocking"),
            (1,),
            "answers requests that wait for 200 ms in a call that blocks, while",
        ),
    ],
)
def test_what_is_about_to_be_tested(
    server: Server, workload: Workload, users: tuple[int, ...], words: str
) -> None:
    assert words in say(telling.about(Experiment(server, workload, Load(users))))


@pytest.mark.parametrize("kind", WAIT_BY)
def test_every_kind_of_wait_is_told_in_words_of_its_own(kind: WaitBy) -> None:
    waits = Workload(cpu_s=0.01, wait_s=0.02, wait_by=kind)
    said = say(telling.about(Experiment(Server("prefork"), waits, Load((1, 8)))))
    assert re.search(r"requests that need 10 ms of CPU and w\w+ .*20 ms.*, while 1 and 8", said)
    others = {telling.need(replace(waits, wait_by=other)) for other in WAIT_BY if other != kind}
    assert len(others) == len(WAIT_BY) - 1 and telling.need(waits) not in others


def test_a_forecast_that_held() -> None:
    said = say(report.text(examples.recording(1.0)))
    assert (
        "At 8 users the CPU is the limit: at 50.1 ms of CPU a request, the load generator's "
        "included, 2 cores can do 40 req/s and no more. More users only wait longer. 100 % of the "
        "cores' time was used. The forecast, made before the load began, met all 4 points, the "
        "largest miss 1 %, where the measurement itself is known to ± 2 %."
    ) in " ".join(said.split())
    assert said.endswith("Measured on: 2 cores, Example CPU, 8 GiB, Linux 6.18, CPython 3.11.7.")


def test_cores_that_others_had_are_not_said_to_have_been_idle() -> None:
    """“Only 47 % of the cores' time was used”, below a strip of full cores."""
    found = examples.recording(1.0)
    half = replace(found.points[-1], server_cpu=0.9, generator_cpu=0.04, others_cpu=1.0)

    def told(point: Point) -> str:
        return say(reasons.limit(found.experiment, found.machine, found.run, point))

    used = "But server and load generator used only 47 % of the cores' time"
    assert told(half).endswith(f"{used}, and other programs 50 %.")
    assert told(replace(half, others_cpu=0.02)).endswith(f"{used}.")


COINS = "Users are taken to fall like coins."
QUEUE = "10 users are more than <4> workers & 2 places."


def with_notes(*notes: str) -> Recording:
    run = examples.run()
    run = replace(run, forecast=replace(run.forecast, notes=notes))
    return structs.replace(examples.recording(), runs=(run,))


def test_what_a_forecast_assumes_is_read_where_the_forecast_is() -> None:
    assumed = with_notes(COINS, QUEUE)
    lines = report.text(assumed).splitlines()
    assert lines[-4:-1] == [f"{ASSUMES}:", f"- {COINS}", f"- {QUEUE}"]
    table = report.forecast_table(assumed.run.forecast)
    assert table.splitlines()[-4:] == ["", f"{ASSUMES}:", f"- {COINS}", f"- {QUEUE}"]
    _, shown = page("many-cores", assumed)
    assert seen(shown).count(ASSUMES) == 1 and seen(shown).count(QUEUE) == 1
    assert shown.index("<figure") < shown.index(ASSUMES) < shown.index("Data: the numbers")
    none = with_notes()
    assert ASSUMES not in report.text(none) + page("many-cores", none)[1]
    assert not report.forecast_table(none.run.forecast).endswith("\n")


def test_several_assumptions_are_folded_and_one_stands_plainly() -> None:
    assert assumptions(()) == ""
    assert "<details" not in assumptions([COINS]) and COINS in assumptions([COINS])
    several = assumptions([COINS, QUEUE])
    assert several.startswith("<details") and several.count("<p>") == 2
    assert "<4>" not in several


def test_what_parts_assume_alike_is_said_once() -> None:
    def compared(**notes: tuple[str, ...]) -> tuple[str, ...]:
        parts = {label: with_notes(*each) for label, each in notes.items()}
        found = Comparison(machine=examples.MACHINE, over="users", parts=parts)
        read = seen(page("compared", found)[1])
        for sentence in verdict.assumed(found):
            assert read.count(sentence) == 1
        return verdict.assumed(found)

    assert compared(a=(COINS,), b=(COINS,)) == (COINS,)
    assert compared(a=(), b=(QUEUE,)) == (f"“b”: {QUEUE}",)
    both = compared(a=(COINS,), b=(QUEUE, COINS), c=())
    assert both == (f"“a” and “b”: {COINS}", f"“b”: {QUEUE}")


def test_a_page_of_the_book_tells_every_assumption_that_was_recorded() -> None:
    told = 0
    for path in sorted(store.folder().glob("*/*.json")):
        found = store.read(path)
        if not isinstance(found, Recording | Comparison):
            continue
        parts = found.parts.values() if isinstance(found, Comparison) else [found]
        read = seen(page(path.parent.name, found)[1])
        notes = {note for part in parts for note in part.run.forecast.notes}
        assert read.count(ASSUMES) == bool(notes)
        assert all(note in read for note in notes)
        told += len(notes)
    assert told > 0


def test_tables_name_the_time_in_service_as_the_glossary_does() -> None:
    glossary = Path(__file__).parents[2] / "book" / "appendix" / "glossary.md"
    called = r"^service time\n.*[Tt]ables say \*([^*]+)\*"
    (name,) = re.findall(called, glossary.read_text("utf-8"), re.MULTILINE)
    recording = examples.recording()
    assert name in report.table(recording).splitlines()[0]
    assert name in " ".join(show.table(recording).head)


def judged(*points: Point) -> str:
    run = replace(examples.run(), points=points)
    return say(*telling.verdict(examples.EXPERIMENT, examples.MACHINE, run))


def test_a_forecast_that_missed_says_what_explains_it() -> None:
    recording = examples.recording(0.8)  # each request took 1 / 0.8 of the calibrated CPU time
    said = say(report.text(recording))
    assert "met 0 of 4 points" in said and "measured 19 % below it, where the measurement" in said
    assert "A request took 62.5 ms instead of 50 ms of CPU, and so at every level" in said
    assert re.search(r"This cause explains (9\d|100) % of the miss\.", said)
    as_calibrated = [replace(each, demand_s=examples.DEMAND_S) for each in recording.points]
    assert telling.UNEXPLAINED in judged(*as_calibrated)
    assert "was used" in judged(*as_calibrated)


def test_the_page_of_differing_numbers_lists_every_cause_the_verdict_can_name() -> None:
    page = (Path(__file__).parents[2] / "book/appendix/if-your-numbers-differ.md").read_text(
        "utf-8"
    )
    quotes = [
        part for row in re.findall(r"^\| (“.*?) \|", page, re.MULTILINE) for part in row.split("“")
    ]
    listed = [re.split(r" ?…,? ?", part.split("”")[0]) for part in quotes if "”" in part]
    for name in reasons.SAID:
        cause = Cause(name=name, measured=2.0, expected=1.0, model_rps=30.0, removed=0.8)
        said = say(
            reasons.explains(cause, examples.EXPERIMENT, examples.MACHINE, examples.point(8))
        )
        told = [each for each in listed if all(part.lower() in said.lower() for part in each)]
        assert told, said
    for sentence in (telling.UNEXPLAINED, telling.NEAR, telling.NEAR_BUT):
        assert [sentence.rstrip(".").lower()] in listed


def test_how_connections_fell_is_said_whether_it_explains_anything_or_not() -> None:
    server = Server("threaded", processes=2, threads=4)
    experiment = Experiment(server, Workload(wait_s=0.2), Load((8,)))
    fallen = {"service_time_s": 0.2, "connections": {"11": 6, "12": 2}}
    run = examples.by_law(experiment, 0.97, **fallen).run
    said = say(*telling.verdict(experiment, examples.MACHINE, run))
    assert "At 8 users connections stayed where they had fallen: 2 and 6 connections." in said
    worse = examples.by_law(experiment, 0.5, **fallen | {"connections": {"11": 8}}).run
    said = say(*telling.verdict(experiment, examples.MACHINE, worse))
    assert "like coins. They fell as" in said and said.count("0 and 8 connections") == 1


@pytest.mark.parametrize(
    ("server", "counts", "words"),
    [
        (Server("threaded", processes=2, threads=128), (202, 54), "54 and 202 connections"),
        (Server("event-loop", processes=3), (4, 3), "0, 3 and 4 connections"),
        (
            Server("event-loop", processes=8),
            (1, 2, 3, 4, 1, 1, 1, 1),
            "1 to 4 connections on each of 8 processes",
        ),
        (
            Server("event-loop", processes=8),
            (1, 1, 1),
            "at most one connection on each of 8 processes",
        ),
        (Server("threaded", threads=8), (8,), ""),
        (Server("prefork", processes=2), (3, 5), ""),
        (Server("threaded", processes=2, threads=4, keep_alive=False), (3, 5), ""),
    ],
)
def test_how_connections_fell(server: Server, counts: tuple[int, ...], words: str) -> None:
    point = replace(examples.point(8), connections={str(n): c for n, c in enumerate(counts)})
    experiment = Experiment(server, Workload(wait_s=0.2), Load((8,)))
    assert reasons.split(experiment, point) == words


def test_unfit_points_are_named_and_left_out() -> None:
    said = judged(*examples.run(unfit=8).points)
    assert "At 4 users the CPU is the limit" in said and "met all 3 points" in said
    assert "1 of 4 points, at 8 users, is drawn hollow" in said and "Too noisy" in said


def test_where_nothing_is_fit_the_reasons_stand_alone() -> None:
    why = (examples.UNFIT, examples.TOLD)
    points = [replace(each, checks=why) for each in examples.run().points]
    assert judged(*points) == (
        "None of the 4 points can be believed, so all are drawn hollow. Too noisy: the interval "
        "is ± 14 %. Others used 12 % of the machine."
    )
    said = judged(*points[:2], examples.point(8))
    assert "2 of 3 points, at 1 and 2 users, are drawn hollow" in said and "other reasons" in said


def test_where_something_stood_out_it_is_not_said_that_nothing_did() -> None:
    first, *_ = examples.run().points
    low = examples.point(8, factor=0.955)
    assert telling.NEAR in judged(first, low)
    said = judged(first, replace(low, checks=(examples.TOLD,)))
    assert telling.NEAR not in said and telling.NEAR_BUT in said


def test_who_starves_has_been_named_and_is_no_other_reason() -> None:
    first, second, *_, last = examples.run().points

    def starving(point: Point, never_served: int) -> Point:
        sentence = f"{never_served} of {point.users} users were never served."
        fault = Check(name=STARVED, unfit=True, sentence=sentence)
        return replace(point, never_served=never_served, checks=(fault,))

    said = judged(first, starving(second, 1), starving(last, 3))
    assert "2 of 3 points, at 2 and 8 users, are drawn hollow" in said
    assert "other reasons" not in said
    told = starving(last, 3)
    said = judged(first, second, replace(told, checks=(*told.checks, examples.TOLD)))
    assert "drawn hollow" in said and "other reasons" not in said  # for no reason was said here


def test_of_what_makes_points_unfit_the_cause_is_said_before_its_effect() -> None:
    crowded = Check(name="others", unfit=True, sentence="Other programs used 1.20 cores.")
    first, second = examples.run().points[:2]
    points = [replace(first, checks=(examples.UNFIT,)), replace(second, checks=(crowded,))]
    assert "drawn hollow. Other programs used 1.20 cores." in judged(*points)


def test_a_miss_of_points_that_are_only_noisy_is_explained_too() -> None:
    first, *_, last = examples.run().points
    low = replace(
        examples.point(8, factor=0.5), demand_s=0.05, server_cores=1, checks=(examples.UNFIT,)
    )
    assert "missed by more than that noise. The server's processes were" in judged(first, low)
    crowded = Check(name="errors", unfit=True, sentence="7 requests failed.")
    assert "noise" not in judged(first, replace(low, checks=(crowded,)))
    assert "noise" not in judged(first, replace(last, checks=(examples.UNFIT,)))


def test_of_none_it_says_so_and_of_a_single_point_it_speaks_in_the_singular() -> None:
    assert "Nothing was measured" in judged()
    alone = examples.point(4)
    low = replace(alone, throughput_rps=20.0, throughput_ci_rps=(19.8, 20.2))
    assert "The forecast missed the point at 4 users: measured " in judged(low)
    said = judged(replace(alone, checks=(examples.UNFIT,)))
    assert said.startswith("The point cannot be believed, so it is drawn hollow. Too noisy")


LOOP = Server("event-loop", by="uvicorn")
BLOCKED = Workload(cpu_s=0.01, wait_s=0.1, wait_by="blocking")


@pytest.mark.parametrize(
    ("server", "work", "seen", "words"),
    [
        (Server("prefork", processes=16), Workload(wait_s=0.2), {}, "more users would get more"),
        (
            Server("prefork", processes=4),
            Workload(wait_s=0.2),
            {"service_time_s": 0.2},
            "the pool is the limit: 4 processes at 201 ms a request can do 19.9 req/s, whatever",
        ),
        (
            Server("prefork", processes=4),
            Workload(wait_s=0.2),
            {},
            "the forecast expected the pool to be the limit: 4 processes at 201 ms a request can "
            "do 19.9 req/s, whatever the CPU has left. How much of it was in use, nothing "
            "measured tells.",
        ),
        (
            Server("prefork", processes=1),
            Workload(cpu_s=0.05),
            {"service_time_s": 0.03},
            "1 process can use 1 core, and at 50.5 ms a request that makes 19.8 req/s. But only "
            "59 % of its places were taken.",
        ),
        (LOOP, Workload(cpu_s=0.05), {"server_cpu": 0.99}, "one piece of code at a time, and at 5"),
        (LOOP, BLOCKED, {"service_time_s": 0.11}, "a wait of 100 ms that blocks it holds up every"),
        (
            Server("threaded", threads=8),
            Workload(cpu_s=0.05),
            {"server_cpu": 0.97},
            "Python's lock is the limit: of each process one thread computes at a time, and at",
        ),
        (LOOP, Workload(), {"generator_cpu": 0.97}, "which makes 10,000 req/s: this measures Loc"),
        (
            Server("prefork", processes=16),
            Workload(wait_s=0.2, wait_by="database"),
            {},
            "the database is the limit: one request at a time has it, and at 200 ms a request",
        ),
    ],
)
def test_every_limit_has_its_words(
    server: Server, work: Workload, seen: dict[str, Any], words: str
) -> None:
    experiment = Experiment(server, work, Load((8,)))
    calibration = replace(examples.CALIBRATION, overhead_s=0.00005 if work == Workload() else 5e-4)
    found = examples.by_law(experiment, 1.0, **seen)
    expected = forecast(experiment, calibration, examples.MACHINE)
    point = replace(found.points[0], throughput_rps=expected.levels[0].model_rps)
    run = replace(found.run, calibration=calibration, forecast=expected, points=(point,))
    assert words in say(reasons.limit(experiment, examples.MACHINE, run, point))


@pytest.mark.parametrize(
    ("quantity", "value", "words"),
    [
        ("throughput", 160.0, "yours was 4 times as much"),
        ("throughput", 41.0, "Well predicted!"),
        ("throughput", 20.0, "yours was 50 % too low"),
        ("response time", 0.05, "yours was 75 % too low"),
        ("response time", 0.2, "You said 200 ms at 8 users, the model 202 ms, and it was 200 ms."),
    ],
)
def test_the_guess_is_shown_beside_model_and_measurement(
    quantity: Ask, value: float, words: str
) -> None:
    lab, found = SweepLab(examples.EXPERIMENT, ask=quantity), examples.recording(1.0)
    (run,) = found.runs
    begun = structs.replace(found, runs=(replace(run, points=run.points[:2]),))
    assert words in say(on_answer(lab.question, value, *lab.answer(found)))
    assert "that was not measured" in on_answer(lab.question, value, *lab.answer(begun))


def test_a_caption_names_the_machine_and_asks_nothing_of_its_reader() -> None:
    said = telling.caption(examples.MACHINE, runs=3, by="throughput")
    assert "Recorded on: 2 cores, Example CPU" in said
    assert "middle of 3 runs by throughput" in said and "make" not in said
    assert "runs" not in telling.caption(examples.MACHINE)
