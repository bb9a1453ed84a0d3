"""Records made by hand, for tests of what is drawn and said: no load, no processes."""

from collections.abc import Callable
from dataclasses import replace
from math import nan
from typing import Any

from msgspec import structs

from labs.kinds.checkup.record import Checkup
from labs.kinds.clocks.record import ClientClock, Clocks, ClocksRun, PageClock
from labs.kinds.generators.record import GeneratorResult, Generators, GeneratorsRun
from labs.kinds.memory.record import Memory, MemoryCurve, MemoryRun
from labs.kinds.race.record import Count, Race, RaceRun
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.record import Event, Expected, StepResult, TimeBin, Timeline, TimelineRun
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.histogram import histogram
from labs.records.processes import Process, Who
from labs.records.results import (
    Calibration,
    Check,
    Machine,
    Point,
    PredictedLevel,
    Prediction,
    Run,
    Sample,
)
from labs.records.snapshot import Snapshot
from labs.records.steps import Step
from labs.theory.forecast import forecast
from labs.theory.server_model import ServerModel

USERS = (1, 2, 4, 8)
DEMAND_S = 0.05
CORES = 2
WHEN = "2026-11-20T15:00:00+00:00"

EXPERIMENT = Experiment(Server("prefork", processes=8), Workload(cpu_s=DEMAND_S), Load(USERS))
MACHINE = Machine(
    system="Linux 6.18",
    processor="Example CPU",
    cores=CORES,
    logical_cores=4,
    physical_cores=2,
    quota_cores=2.0,
    memory_bytes=8 * 2**30,
    python="CPython 3.11.7",
    gil=True,
    versions={"gunicorn": "27.0"},
)
CALIBRATION = Calibration(
    loops_per_s=(20e6, 39e6),
    noise_fraction=0.02,
    overhead_s=0.0005,
    generator_s=0.0001,
    timer_s=0.00006,
)
UNFIT = Check(name="interval", unfit=True, sentence="Too noisy: the interval is ± 14 %.")
TOLD = Check(name="others", unfit=False, sentence="Others used 12 % of the machine.")


def record(
    kind: int,
    user: int,
    start: float,
    end: float,
    *,
    process: int = 0,
    service: tuple[float, float, float, float] = (nan, nan, nan, nan),
) -> tuple[float, ...]:
    """A row of `records.requests.RECORD`; service: its start and end, CPU time, wait asked for."""
    return kind, user, process, start, end, *service


def law_rps(users: int) -> float:
    return min(users, CORES) / DEMAND_S


def point(users: int, *, factor: float = 1.0, checks: tuple[Check, ...] = ()) -> Point:
    """A point that lies `factor` times the law, with an interval of ± 2 %."""
    rate = law_rps(users) * factor
    response_s = users / rate
    return Point(
        users=users,
        seconds=2.0,
        completed=rate * 2,
        failed=0,
        never_served=0,
        throughput_rps=rate,
        throughput_ci_rps=(rate * 0.98, rate * 1.02),
        halves_rps=(rate, rate),
        mean_response_time_s=response_s,
        histogram=histogram([response_s] * 400),
        demand_s=DEMAND_S / factor,
        server_cpu=min(users, CORES),
        generator_cpu=0.01,
        others_cpu=0.02,
        littles_law=1.0,
        voluntary_switches=2.0,
        involuntary_switches=0.4,
        workers=8,
        checks=checks,
    )


def prediction(users: tuple[int, ...] = USERS) -> Prediction:
    levels = tuple(
        PredictedLevel(
            users=each,
            bound_rps=law_rps(each),
            model_rps=law_rps(each) * 0.99,
            model_response_time_s=each / (law_rps(each) * 0.99),
            limit="users" if each < CORES else "cpu",
            demand_s=DEMAND_S,
        )
        for each in users
    )
    return Prediction(demand_s=DEMAND_S, wait_s=0.0, levels=levels)


def run(*, factor: float = 1.0, unfit: int | None = None) -> Run:
    points = tuple(
        point(users, factor=factor, checks=(UNFIT,) if users == unfit else ()) for users in USERS
    )
    return Run(
        recorded_at=WHEN,
        calibration=CALIBRATION,
        forecast=prediction(),
        points=points,
    )


def modelled(experiment: Experiment, machine: Machine, run: Run) -> tuple[ServerModel, Run]:
    """The model that forecast a run, and that run."""
    return ServerModel(experiment, run.calibration, machine), run


def sample(at_s: float) -> Sample:
    return Sample(
        at_s=at_s,
        users=USERS[min(int(at_s), 3)],
        cores=((0.7, 0.1, 0.0, 0.2), (0.5, 0.1, 0.1, 0.3)),
        workers=8,
        server_cpu=1.2,
        generator_cpu=0.02,
    )


def snapshot(at: float, **counted: float) -> Snapshot:
    """Counters that have not risen, but for these."""
    names = ("server_s", "generator_s", "busy_s", "own_s", "throttled_s")
    none = dict.fromkeys((*names, "voluntary", "involuntary", "listen_overflows"), 0)
    return Snapshot(at=at, **none | counted)


def recording(*factors: float) -> Recording:
    """One run for each factor; three that differ by a little when none is given."""
    runs = tuple(run(factor=factor) for factor in factors or (0.97, 0.98, 1.0))
    return Recording(experiment=EXPERIMENT, machine=MACHINE, runs=runs)


def with_levels(found: Recording, change: Callable[[PredictedLevel], PredictedLevel]) -> Recording:
    """The same recording, each level of its forecasts changed."""
    runs = tuple(
        replace(run, forecast=replace(run.forecast, levels=tuple(map(change, run.forecast.levels))))
        for run in found.runs
    )
    return structs.replace(found, runs=runs)


def by_law(
    experiment: Experiment, *factors: float, of: Machine = MACHINE, **more: Any
) -> Recording:
    """A run for each factor: what the forecast says, times that. `more` is of each point."""
    speeds = tuple(20e6 * cores for cores in range(1, of.cores + 1))
    calibration = replace(
        CALIBRATION, loops_per_s=CALIBRATION.loops_per_s if of is MACHINE else speeds
    )
    expected = forecast(experiment, calibration, of)

    def found(level: PredictedLevel, factor: float) -> Point:
        rate = level.model_rps * factor
        return replace(
            point(level.users),
            throughput_rps=rate,
            throughput_ci_rps=(rate * 0.98, rate * 1.02),
            mean_response_time_s=level.users / rate,
            **{"workers": experiment.server.pool, "demand_s": expected.demand_s, **more},
        )

    runs = tuple(
        Run(
            recorded_at=WHEN,
            calibration=calibration,
            forecast=expected,
            points=tuple(found(level, factor) for level in expected.levels),
        )
        for factor in factors or (1.0,)
    )
    return Recording(experiment=experiment, machine=of, runs=runs)


def page(name: str, cpu_s: float, wait_s: float) -> PageClock:
    return PageClock(
        name=name,
        workload=Workload(cpu_s=cpu_s, cpu_cv=0.0, wait_s=wait_s, wait_cv=0.0),
        wall_s=tuple((cpu_s + wait_s) * factor + 0.001 for factor in (0.98, 1.0, 1.03)),
        cpu_s=tuple(cpu_s * factor + 0.0005 for factor in (0.98, 1.0, 1.03)),
        client=ClientClock(
            program="curl", real_s=cpu_s + wait_s + 0.01, user_s=0.004, system_s=0.003
        ),
    )


def clocks() -> Clocks:
    pages = (page("burn", 0.1, 0.0), page("sleep", 0.0, 0.1), page("both", 0.02, 0.1))
    return Clocks(
        server=Server("prefork"), machine=MACHINE, runs=(ClocksRun(recorded_at=WHEN, pages=pages),)
    )


def checkup() -> Checkup:
    return Checkup(
        machine=MACHINE, calibrations=(CALIBRATION,), loopbacks_s=(3e-5,), recorded_at=WHEN
    )


SHELF = {"many-cores": recording(), "wall-time": clocks(), "your-machine": checkup()}
STEPS = (
    Step(seconds=1, users=1),
    Step(seconds=2, users=8, do="kill a worker"),
    Step(seconds=1, rate=30.0),
)


def step_result(number: int, *, factor: float = 1.0, checks: tuple[Check, ...] = ()) -> StepResult:
    """One of those steps, counted from 1."""
    rps = (20.0, 40.0, 30.0)[number - 1] * factor
    return StepResult(
        seconds=STEPS[number - 1].seconds,
        begun=round(rps * STEPS[number - 1].seconds),
        completed=rps * STEPS[number - 1].seconds,
        failed=int(number == 2),
        missed=0,
        throughput_rps=rps,
        throughput_ci_rps=(rps * 0.98, rps * 1.02),
        mean_response_time_s=(0.05, 0.2, 0.1)[number - 1],
        workers=(6, 12, 9)[number - 1],
        in_flight=(1, 8, 4)[number - 1],
        server_cpu=rps * DEMAND_S,
        generator_cpu=0.02,
        others_cpu=0.01,
        cores=(rps / 40, rps / 80),
        checks=checks,
    )


def time_bin(at_s: float) -> TimeBin:
    users = 1 if at_s <= 1 else 8 if at_s <= 3 else None
    return TimeBin(
        at_s=at_s,
        users=users,
        begun=7 if users is None else 5,
        completed=5,
        failed=int(at_s == 1.25),
        mean_response_time_s=0.05 * (users or 2),
        in_flight=users or 4,
        workers=6 if at_s <= 1 else 12,
        cores=((0.7, 0.1, 0.0, 0.2), (0.5, 0.1, 0.1, 0.3)),
    )


def process(who: Who, pid: int, parent: int, *, lived_s: float = 4.0) -> Process:
    return Process(
        who=who,
        pid=pid,
        parent=parent,
        began_s=4.0 - lived_s,
        lived_s=lived_s,
        user_s=0.3 * lived_s,
        system_s=0.1 * lived_s,
        minor_faults=100,
        major_faults=0,
    )


def timeline_run(*, factor: float = 1.0, unfit: int | None = None) -> TimelineRun:
    expected = ((0.0, 1.0, 20.0, 1.0), (1.0, 3.0, 40.0, 8.0), (3.0, 4.0, 30.0, 3.0))
    return TimelineRun(
        recorded_at=WHEN,
        calibration=CALIBRATION,
        forecast=tuple(
            Expected(from_s=a, to_s=b, throughput_rps=rps, in_flight=(n, n))
            for a, b, rps, n in expected
        ),
        step_results=tuple(
            step_result(number, factor=factor, checks=(UNFIT,) if number == unfit else ())
            for number in (1, 2, 3)
        ),
        time_bins=tuple(time_bin(at / 4) for at in range(1, 17)),
        ramp=((0.0, 6), (1.2, 8), (1.5, 12), (3.25, 9)),
        events=(Event(at_s=1.0, words="Process 101, a worker with a client, was killed."),),
        processes=(
            process("server", 100, 99),
            process("server", 101, 100, lived_s=1.0),
            process("server", 102, 100),
            process("server", 103, 100),
            process("generator", 200, 199),
        ),
    )


def timeline(*factors: float) -> Timeline:
    """One run for each factor; three that differ by a little when none is given."""
    return Timeline(
        server=Server("prefork", by="spare", processes=12),
        workload=Workload(cpu_s=DEMAND_S),
        steps=STEPS,
        machine=MACHINE,
        runs=tuple(timeline_run(factor=factor) for factor in factors or (0.97, 1.0, 1.01)),
    )


def count(name: str, asked: int, counted: int, rps: float) -> Count:
    """A way of the race, by its eight users."""
    wait_s = 0.0 if "computing" in name else 0.032
    return Count(
        name=name,
        workload=Workload(cpu_s=0.008, wait_s=wait_s, wait_cv=0.1),
        asked=asked,
        counted=counted,
        throughput_rps=rps,
        mean_response_time_s=8 / rps,
    )


def race(*runs: tuple[Count, ...]) -> Race:
    """Counts of each run."""
    made = tuple(RaceRun(recorded_at=WHEN, counts=counts) for counts in runs)
    return Race(racers=8, machine=MACHINE, runs=made)


def gauge(name: str, rps: float, own: float, its: float, **more: object) -> GeneratorResult:
    """What it says, and the cores that it and the server used."""
    usual = {
        "program": "Program 1.0",
        "command": f"{name} http://127.0.0.1:8000/file",
        "seconds": 3.0,
        "requests": round(3 * rps),
        "throughput_rps": rps,
        "mean_response_time_s": 16 / rps,
        "generator_cpu": own,
        "generator_fullest": own,
        "server_cpu": its,
        "server_fullest": its,
        "busy": (own + its) / 2,
    }
    return GeneratorResult(name=name, **{**usual, **more})


def gauges(*runs: tuple[GeneratorResult, ...]) -> Generators:
    """Results of each run."""
    return Generators(
        server=Server("event-loop", by="nginx", cores=1),
        workload=Workload(page="file", wait_cv=0.0),
        connections=16,
        machine=MACHINE,
        runs=tuple(GeneratorsRun(recorded_at=WHEN, gauges=results) for results in runs),
    )


def growth(kind: str, sizes: tuple[int, ...], base: int, each: int, shared: int = 0) -> MemoryCurve:
    """On a line, bytes; RSS counts `shared` again for each."""
    pss = tuple(base + each * size for size in sizes)
    rss = tuple(base + (each + shared) * size for size in sizes)
    return MemoryCurve(kind=kind, sizes=sizes, pss_bytes=pss, rss_bytes=rss)


def memory(*runs: tuple[MemoryCurve, ...]) -> Memory:
    """Curves of each run, on a machine of which 1 GiB was taken before."""
    return Memory(
        waiters={"process": Server("prefork", processes=8)},
        machine=MACHINE,
        runs=tuple(MemoryRun(recorded_at=WHEN, growths=curves) for curves in runs),
    )
