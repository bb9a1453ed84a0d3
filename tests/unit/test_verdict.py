"""What is said of a sweep. Its words are kept in `__snapshots__`; that they are true of whatever
is measured, `test_true_verdicts` shows."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import examples
from markup import seen, sheet
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from labs.analysis.causes import Cause
from labs.analysis.checks import BOUND, STARVED
from labs.kinds.comparison import verdict
from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep import report
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.kinds.sweep.show import show
from labs.present import reasons
from labs.present import verdict as telling
from labs.present.bet import on_answer
from labs.present.blocks import html
from labs.present.verdict import ASSUMES, assumptions
from labs.recordings.replay import page
from labs.records.experiment import WAIT_BY, Experiment, Load, Server, Workload
from labs.records.results import Check, Point, told, unfit
from labs.theory.forecast import forecast
from labs.theory.server_model import ServerModel

BOOK = Path(__file__).parents[2] / "book"
SERVERS = {
    "prefork": Server("prefork", processes=8),
    "threaded": Server("threaded", processes=2, threads=16, cores=1),
    "one thread": Server("threaded"),
    "event loop": Server("event-loop", by="scratch", cores=2),
    "spare": Server("prefork", by="spare", processes=10),
}
WORKS = {
    "nothing": Workload(),
    "file": Workload(page="file"),
    "work": Workload(cpu_s=0.05),
    "hashing": Workload(cpu_s=0.05, cpu_by="hashing"),
    **{f"waits, {each}": Workload(cpu_s=0.01, wait_s=0.02, wait_by=each) for each in WAIT_BY},
}
LOADS = {"alone": Load((1,)), "many": Load((1, 2, 4)), "thinking": Load((8,), think_time_s=0.5)}


def test_agreement_names_the_band_of_a_large_miss_inside_it() -> None:
    found = examples.with_levels(
        examples.recording(0.8),
        lambda each: replace(each, band_rps=(0.7 * each.model_rps, 1.1 * each.model_rps)),
    )
    met = telling.agreement(found.model, found.run)[0]
    assert re.search(r"met all .* the largest miss 19\s%, in a band of 13.9 to 21.8 req/s", met)


def test_about_words(snapshot: SnapshotAssertion) -> None:
    said = {name: telling.who(each) for name, each in SERVERS.items()}
    said |= {name: telling.need(each) for name, each in WORKS.items()}
    for name, load in LOADS.items():
        said[name] = telling.about(Experiment(SERVERS["prefork"], WORKS["work"], load))
    assert sheet(said) == snapshot
    assert len({said[name] for name in WORKS}) == len(WORKS)


# -- whether the forecast held ---------------------------------------------------------------

FIRST, SECOND, _, LAST = examples.run().points
CALIBRATION = replace(examples.CALIBRATION, loops_per_s=(20e6, 40e6), overhead_s=0.0)
RUN = replace(examples.run(), calibration=CALIBRATION)  # whose levels follow from it
OTHERS = unfit("others", "Other programs used 1.20 cores.")


def hollow(point: Point, *why: Check) -> Point:
    return replace(point, checks=why or (examples.UNFIT,))


def starving(point: Point, number: int, *more: Check) -> Point:
    why = unfit(STARVED, f"{number} of {point.users} users were never served.")
    return replace(point, never_served=number, checks=(why, *more))


NEAR = examples.point(8, factor=0.955)
DEAR = examples.recording(0.8).points  # each request took 1 / 0.8 of the calibrated CPU time
LOW = replace(examples.point(8, factor=0.5), demand_s=0.05, server_cores=1)
ALONE = examples.point(4)
RUNS: dict[str, tuple[Point, ...]] = {
    "all met": examples.run().points,
    "all missed": DEAR,
    "missed, and nothing explains it": tuple(replace(each, demand_s=0.05) for each in DEAR),
    "missed by little": (FIRST, NEAR),
    "missed by little, and something was told": (FIRST, replace(NEAR, checks=(examples.TOLD,))),
    "one hollow": examples.run(unfit=8).points,
    "hollow for two reasons": (FIRST, hollow(SECOND), hollow(LAST, OTHERS)),
    "an effect before its cause": (hollow(FIRST), hollow(SECOND, OTHERS)),
    "all hollow": tuple(hollow(each, examples.UNFIT, examples.TOLD) for each in (FIRST, LAST)),
    "two starve": (FIRST, starving(SECOND, 1), starving(LAST, 3)),
    "one starves, and something was told": (FIRST, SECOND, starving(LAST, 3, examples.TOLD)),
    "a noisy miss": (FIRST, hollow(LOW)),
    "a miss with errors": (FIRST, hollow(LOW, unfit("errors", "7 requests failed."))),
    "above its bound": (FIRST, replace(LAST, checks=(told(BOUND, "That cannot be."),))),
    "one, missed": (replace(ALONE, throughput_rps=20.0, throughput_ci_rps=(19.8, 20.2)),),
    "one, hollow": (hollow(ALONE),),
    "none": (),
}


def judged(points: tuple[Point, ...]) -> str:
    run = replace(RUN, points=points)
    return " ".join(telling.verdict(*examples.modelled(examples.EXPERIMENT, examples.MACHINE, run)))


def test_verdict_words(snapshot: SnapshotAssertion) -> None:
    assert sheet({name: judged(points) for name, points in RUNS.items()}) == snapshot


def test_report_has_the_verdict_and_the_machine(snapshot: SnapshotAssertion) -> None:
    found = structs.replace(examples.recording(1.0), runs=(RUN,))
    assert report.text(found).replace("\u00a0", " ") == snapshot


# -- what limits, and what explains ----------------------------------------------------------

LOOP = Server("event-loop", by="uvicorn")
BLOCKED = Workload(cpu_s=0.01, wait_s=0.1, wait_by="blocking")
WORK, WAIT = Workload(cpu_s=0.05), Workload(wait_s=0.2)
POOLS = Server("threaded", processes=2, threads=128)
EIGHT = SERVERS["prefork"]
CPU_LEFT = {"server_cpu": 0.9, "generator_cpu": 0.04}
LIMITS: dict[str, tuple[Server, Workload, dict[str, Any]]] = {
    "users": (Server("prefork", processes=16), WAIT, {}),
    "users, as many as places": (EIGHT, WAIT, {}),
    "users at the knee": (Server("prefork", processes=16), replace(WORK, wait_s=0.16), {}),
    "pool": (Server("prefork", processes=4), WAIT, {"service_time_s": 0.2}),
    "pool, of which nothing is seen": (Server("prefork", processes=4), WAIT, {}),
    "pool, half empty": (Server("prefork", processes=1), WORK, {"service_time_s": 0.03}),
    "loop": (LOOP, WORK, {"server_cpu": 0.99}),
    "loop, blocked": (LOOP, BLOCKED, {"service_time_s": 0.11}),
    "two loops, blocked": (replace(LOOP, processes=2), BLOCKED, {"service_time_s": 0.11}),
    "lock": (Server("threaded", threads=8), WORK, {"server_cpu": 0.97}),
    "lock, hashing": (SERVERS["threaded"], WORKS["hashing"], {"server_cpu": 0.97}),
    "generator": (LOOP, Workload(), {"generator_cpu": 0.97}),
    "database": (Server("prefork", processes=16), replace(WAIT, wait_by="database"), {}),
    "cpu": (EIGHT, WORK, {"server_cpu": 1.9}),
    "cpu, left idle": (EIGHT, WORK, CPU_LEFT),
    "cpu, that others had": (EIGHT, WORK, {**CPU_LEFT, "others_cpu": 1.0}),
    "cpu, with a backend": (EIGHT, WORK, {"server_cpu": 0.9, "backend_cpu": 0.2}),
}


def limited(server: Server, work: Workload, seen: dict[str, Any]) -> str:
    experiment = Experiment(server, work, Load((8,)))
    calibration = replace(examples.CALIBRATION, overhead_s=0.00005 if work == Workload() else 5e-4)
    found = examples.by_law(experiment, 1.0, **seen)
    expected = forecast(experiment, calibration, examples.MACHINE)
    point = replace(found.points[0], throughput_rps=expected.levels[0].model_rps)
    run = replace(found.run, calibration=calibration, forecast=expected, points=(point,))
    return reasons.limit(*examples.modelled(experiment, examples.MACHINE, run), point)


def test_limit_words(snapshot: SnapshotAssertion) -> None:
    assert sheet({name: limited(*given) for name, given in LIMITS.items()}) == snapshot


def explained(name: str) -> str:
    cause = Cause(name=name, measured=2.0, expected=1.0, model_rps=30.0, removed=0.8)
    point = replace(examples.point(8), connections={"1": 2, "2": 6})
    experiment = Experiment(POOLS, WAIT, Load((8,)))
    model = ServerModel(experiment, examples.CALIBRATION, examples.MACHINE)
    return reasons.explains(cause, model, point)


def test_cause_words(snapshot: SnapshotAssertion) -> None:
    assert sheet({name: explained(name) for name in reasons.SAID}) == snapshot


def test_page_of_differing_numbers_lists_every_cause() -> None:
    text = (BOOK / "appendix/if-your-numbers-differ.md").read_text("utf-8")
    rows = re.findall(r"^\| (“.*?) \|", text, re.MULTILINE)
    quotes = [part for row in rows for part in row.split("“")]
    listed = [re.split(r" ?…,? ?", part.split("”")[0]) for part in quotes if "”" in part]
    for name in reasons.SAID:
        said = explained(name).replace("\u00a0", " ").lower()
        assert any(all(part.lower() in said for part in each) for each in listed), said
    for sentence in (telling.UNEXPLAINED, telling.NEAR, telling.NEAR_BUT):
        assert [sentence.rstrip(".").lower()] in listed


FALLEN = {
    "two pools": (POOLS, (202, 54)),
    "a loop without any": (Server("event-loop", processes=3), (4, 3)),
    "eight loops": (Server("event-loop", processes=8), (1, 2, 3, 4, 1, 1, 1, 1)),
    "more loops than connections": (Server("event-loop", processes=8), (1, 1, 1)),
    "one pool": (Server("threaded", threads=8), (8,)),
    "no pools": (Server("prefork", processes=2), (3, 5)),
    "closed each time": (replace(POOLS, keep_alive=False), (3, 5)),
}


def test_connections_words(snapshot: SnapshotAssertion) -> None:
    said = {}
    for name, (server, counts) in FALLEN.items():
        point = replace(examples.point(8), connections={str(n): c for n, c in enumerate(counts)})
        said[name] = reasons.split(Experiment(server, WAIT, Load((8,))), point)
    assert sheet(said) == snapshot


def test_verdict_says_once_how_connections_fell() -> None:
    server = Server("threaded", processes=2, threads=4)
    experiment = Experiment(server, WAIT, Load((8,)))
    for factor, counts in ((0.97, {"11": 6, "12": 2}), (0.5, {"11": 8})):
        run = examples.by_law(experiment, factor, service_time_s=0.2, connections=counts).run
        said = " ".join(telling.verdict(*examples.modelled(experiment, examples.MACHINE, run)))
        fallen = reasons.split(experiment, run.points[-1])
        assert said.count(fallen) == 1 and ("stayed where they had fallen" in said) == (
            factor > 0.9
        )


# -- what is assumed -------------------------------------------------------------------------

COINS = "Users are taken to fall like coins."
QUEUE = "10 users are more than <4> workers & 2 places."


def with_notes(*notes: str) -> Recording:
    run = examples.run()
    run = replace(run, forecast=replace(run.forecast, notes=notes))
    return structs.replace(examples.recording(), runs=(run,))


def test_assumptions_stand_where_the_forecast_is() -> None:
    assumed, none = with_notes(COINS, QUEUE), with_notes()
    lines = [f"{ASSUMES}:", f"- {COINS}", f"- {QUEUE}"]
    assert report.text(assumed).splitlines()[-4:-1] == lines
    assert report.forecast_table(assumed.run.forecast).splitlines()[-4:] == ["", *lines]
    shown = page("many-cores", assumed)
    assert seen(shown).count(ASSUMES) == 1 and seen(shown).count(QUEUE) == 1
    assert shown.index("<figure") < shown.index(ASSUMES) < shown.index("Data: the numbers")
    assert ASSUMES not in report.text(none) + page("many-cores", none)
    assert not report.forecast_table(none.run.forecast).endswith("\n")


def test_assumptions_are_folded_where_there_are_several() -> None:
    assert not assumptions(())
    one, several = (html(assumptions(notes)) for notes in ([COINS], [COINS, QUEUE]))
    assert "<details" not in one and COINS in one
    assert several.startswith("<details") and several.count("<p>") == 2
    assert "<4>" not in several


def test_comparison_says_once_what_its_parts_assume_alike() -> None:
    def compared(**notes: tuple[str, ...]) -> tuple[str, ...]:
        parts = {label: with_notes(*each) for label, each in notes.items()}
        found = Comparison(machine=examples.MACHINE, over="users", parts=parts)
        read = seen(page("compared", found))
        for sentence in verdict.assumed(found):
            assert read.count(sentence) == 1
        return verdict.assumed(found)

    assert compared(a=(COINS,), b=(COINS,)) == (COINS,)
    assert compared(a=(), b=(QUEUE,)) == (f"“b”: {QUEUE}",)
    both = compared(a=(COINS,), b=(QUEUE, COINS), c=())
    assert both == (f"“a” and “b”: {COINS}", f"“b”: {QUEUE}")


def test_tables_name_the_time_in_service_as_the_glossary_does() -> None:
    glossary = (BOOK / "appendix/glossary.md").read_text("utf-8")
    called = r"^service time\n.*[Tt]ables say \*([^*]+)\*"
    (name,) = re.findall(called, glossary, re.MULTILINE)
    recording = examples.recording()
    assert name in " ".join(show.table(recording).head)


# -- bets, captions --------------------------------------------------------------------------


def test_bet_words(snapshot: SnapshotAssertion) -> None:
    found, said = examples.recording(1.0), {}
    begun = structs.replace(found, runs=(replace(found.run, points=found.run.points[:2]),))
    lab = SweepLab(examples.EXPERIMENT)
    for value in (160.0, 41.0, 20.0, 1.0):
        said[f"throughput, {value:g}"] = on_answer(lab.question, value, lab.answer(found))
    said["not measured yet"] = on_answer(lab.question, value, lab.answer(begun))
    assert sheet(said) == snapshot


def test_caption_words(snapshot: SnapshotAssertion) -> None:
    said = {
        "one run": telling.caption(examples.MACHINE),
        "three": telling.caption(examples.MACHINE, runs=3, by="throughput"),
    }
    assert sheet(said) == snapshot
