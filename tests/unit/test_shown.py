"""What a kind shows of a recording made by hand: its figure in words, its verdict, its table, and
what prose may quote of it or is told instead."""

import json
from dataclasses import replace

import examples
import plotly.graph_objects as go
import pytest
from bs4 import BeautifulSoup
from examples import gauge
from kinds.test_classics import lacking, replication
from kinds.test_comparison import FEW, MANY, PARTS, POOLS, comparison, planned, with_point
from kinds.test_generators import REMEDY, gauges
from kinds.test_generators import run as gauges_run
from kinds.test_memory import memory
from kinds.test_memory import run as memory_run
from kinds.test_mystery import example as mystery
from kinds.test_mystery import seed_of
from kinds.test_race import race
from kinds.test_race import run as race_run
from kinds.test_timeline import NO_STEP, UNFIT_STEP, timeline
from markup import plain, sheet
from msgspec import structs
from syrupy.assertion import SnapshotAssertion
from test_quotes import starved

from labs.kinds.comparison.record import Comparison
from labs.kinds.race.record import Race
from labs.kinds.registry import showing
from labs.kinds.sweep.record import Recording
from labs.kinds.timeline.record import TimeBin
from labs.present.blocks import html
from labs.present.quantities import NoSuchNumber
from labs.recordings import replay
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Result


def race_at(rps: float) -> Race:
    """With that throughput where the work is outside the lock."""
    bare, write, locked, outside, only = race_run()
    return examples.race((bare, write, locked, replace(outside, throughput_rps=rps), only))


def crowd(until_s: float) -> tuple[TimeBin, ...]:
    """One more under way than there are workers, until then."""
    bins = examples.timeline_run().time_bins
    return tuple(replace(each, in_flight=12 + (each.at_s < until_s)) for each in bins)


def silent(found: Recording) -> Recording:
    """As if nothing had been answered."""
    points = tuple(replace(each, throughput_rps=0.0) for each in found.run.points)
    return structs.replace(found, runs=(replace(found.run, points=points),))


DISK = mystery(seed_of("disk"))
DEAD = DISK.with_variant("before", silent(DISK.before))
LONE = replace(DISK.before.run, points=DISK.before.run.points[:1])
ALONE = structs.replace(DISK, variants={"before": structs.replace(DISK.before, runs=(LONE,))})
ONE_CORE = replace(examples.MACHINE, cores=1, logical_cores=1, quota_cores=None)
SLOWER = structs.replace(
    examples.checkup(),
    calibrations=(replace(examples.CALIBRATION, loops_per_s=(20e6, 39e6, 38e6)),),
)
MIXED = structs.replace(
    examples.checkup(),
    calibrations=(replace(examples.CALIBRATION, generator_s=0.0, overhead_s=0.0),),
    machine=replace(examples.MACHINE, core_kinds=(2, 2)),
)
*GROUPS, ARRIVALS = examples.timeline_run().forecast
BAND = replace(
    ARRIVALS,
    throughput_band_rps=(24.0, 36.0),
    in_flight_band=((0.0, 2.0), (1.0, 5.0)),
    response_time_s=0.1,
)
SERVED = {"a": starved(), "b": examples.recording(0.5)}
LOOP = Experiment(Server("event-loop"), Workload(wait_s=0.05), Load((1, 4)))
KINDS = {"waits": LOOP, "computes": replace(LOOP, workload=Workload(cpu_s=0.05))}
CROWDED = {"listen_overflows": 7, "never_served": 1, "service_time_s": None}
AGREED = gauge("locust", 100, 0.02, 0.5, busy=0.95), gauge("ab", 100, 0.02, 0.95)
NO_PSS = examples.memory(tuple(replace(each, pss_bytes=()) for each in memory_run()))  # macOS
SHOWN: dict[str, tuple[Result, str]] = {  # and the numbers asked for, with what they are given
    "clocks": (examples.clocks(), ""),
    "checkup": (examples.checkup(), ""),
    "checkup of three busy processes, which did less than two": (SLOWER, ""),
    "checkup of two kinds of core, without a load generator": (MIXED, ""),
    "sweep": (
        examples.recording(),
        "throughput, 3; throughput; percentile, 8, 99; result; __class__",
    ),
    "sweep with users who were never served": (starved(), "percentile, 8, 99"),
    "race": (
        race(),
        "lost, without a lock; lost, with a lock around all of it; lost, with luck; "
        "throughput, with a lock around all of it",
    ),
    "race, faster outside the lock": (race_at(180.0), ""),
    "race, slower outside the lock": (race_at(60.0), ""),
    "race without a loss": (examples.race(race_run(400)[:1]), ""),
    "memory": (
        memory(),
        "each, process; each, coroutine; each, fibre; rss_each, process; pss, process, 8; "
        "pss, process, 3; machine",
    ),
    "memory without PSS": (NO_PSS, "pss, process, 8"),
    "generators": (
        gauges(),
        "throughput, ab; throughput, hey; locusts, 2; generator_cpu, ab; per_request; "
        "needed, 12000",
    ),
    "generators without wrk": (gauges(gauges_run(missing=REMEDY)), "throughput, wrk"),
    "generators that agree": (gauges(AGREED), ""),
    "one generator": (gauges((gauge("ab", 100, 0.02, 0.5),)), ""),
    "classic S1": (
        replication("s1"),
        "throughput, 4; throughput, 5; law, 4; ratio, 4; in_all, 4; capacity",
    ),
    "classic S1 without a row": (lacking("apache: install it with: x"), "throughput, 4"),
    "classic S2": (
        replication("s2"),
        "throughput, 512, ab, a listen queue of 128; took, 512, ab, a listen queue of 128",
    ),
    "classic S4": (
        replication("s4"),
        "growth, 20, ab, prefork; generator_cpu, 20, ab, prefork; ceiling, 20, ab, prefork; "
        "law, 1, ab, prefork",
    ),
    "comparison": (
        with_point(comparison(PARTS, 0.99, 1.0, 1.01), MANY, 50, **CROWDED),
        "ratio, 50 × 1, 25 threads, 50; ratio, 50 × 1, 25 threads, 3; "
        "change, 25 threads, 50 × 1, 50; "
        "least_change, 25 threads, 50 × 1, 50; throughput, 50; 25 threads: throughput, 50; "
        "50 × 1: overflows, 50; 50 × 1: queued, 50; 75 threads: throughput, 50",
    ),
    "comparison before the first point": (planned(PARTS), ""),
    "comparison with an unfit point and none answered": (
        with_point(comparison(), FEW, 50, checks=(examples.UNFIT,), throughput_rps=0.0),
        "",
    ),
    "comparison over the pool": (comparison(POOLS, over="pool"), ""),
    "comparison over the pool with users who were never served": (
        Comparison(machine=examples.MACHINE, over="pool", parts=SERVED),
        "",
    ),
    "comparison of two kinds of request": (comparison(KINDS), ""),
    "timeline": (
        examples.timeline(1.2, 1.0, 0.9),
        "throughput, 2; throughput, 4; response_time, 2; workers, 2; in_flight, 3; failed, 2; "
        "cores_busy, 1; generator_busy, 1; core, 1, 0; core, 1, 2; forecast, 3; children; faults; "
        "seconds_to, 12; seconds_to, 13; seconds_to, 6; line_gone, 4; on_core, server; "
        "on_core, nobody; on_cpu, server; user_share, generator; cores",
    ),
    "timeline before the first step": (NO_STEP, ""),
    "timeline with an unfit step": (UNFIT_STEP, ""),
    "timeline with a line that goes": (timeline(time_bins=crowd(2.5)), "line_gone, 2"),
    "timeline with a line to the end": (timeline(time_bins=crowd(9.0)), "line_gone, 2"),
    "timeline with the band of its arrivals": (timeline(forecast=(*GROUPS, BAND)), ""),
    "mystery, a pool": (
        mystery(seed_of("pool")),
        "limit; before; wrong; right",
    ),
    "mystery, a lock, as it is": (mystery(seed_of("lock"), variants=("before",)), "right"),
    "mystery, a disk and a user": (ALONE, ""),
    "mystery, a load generator on one core": (
        mystery(seed_of("load generator"), ONE_CORE, ("before",)),
        "",
    ),
    "mystery that nothing answered": (DEAD, "before"),
    "mystery that nothing answered, nor the wrong fix": (
        DEAD.with_variant("wrong", silent(DEAD.variants["wrong"])),
        "wrong",
    ),
}


def quoted(found: Result, asked: str) -> str:
    label, _, asked = asked.rpartition(": ")
    name, *given = asked.split(", ")
    try:
        part = showing(found).part(found, label) if label else found
        values = (int(each) if each.isdecimal() else each for each in given)
        return str(showing(part).quote(part, name, *values))
    except NoSuchNumber as refusal:
        return f"refused: {refusal}"


@pytest.mark.parametrize(("found", "asked"), SHOWN.values(), ids=SHOWN)
def test_shown_words(found: Result, asked: str, snapshot: SnapshotAssertion) -> None:
    show = showing(found)
    shown = show.shown("a-lab", found)
    figure = go.Figure(shown["figure"])
    go.Layout(shown["figure"]["layout"].get("meta", {}).get("narrow"))
    assert len(figure.data) == len(shown["figure"]["data"])
    json.dumps(shown["figure"], allow_nan=False)
    verdict = BeautifulSoup(html(show.verdict(found), replay.plainly), "html.parser")
    said = {"figure": shown["alt"], "caption": shown["caption"]}
    said["verdict"] = verdict.get_text(" ", strip=True)
    rows = [" | ".join(row) for row in (shown["table"]["head"], *shown["table"]["rows"])]
    quotes = {each: quoted(found, each) for each in asked.split("; ") if each}
    assert "\n".join([sheet(said), *map(plain, rows), sheet(quotes)]) == snapshot
