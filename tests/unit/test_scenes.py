"""What the scenes of the pages are held to by `npm test` in book/web/src, their files in
scenes/agreed, is what `labs.theory` says."""

import gzip
import json
import math
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from labs.analysis.contrast import student_t
from labs.theory import laws, queueing, simulation

WEB = Path(__file__).parents[2] / "book/web"
MOST_BYTES = 31_000  # gzip, of all together
PERIOD_S = 0.1  # of a quota


def agreed(name: str) -> Any:
    return json.loads((WEB / f"src/scenes/agreed/{name}.json").read_text("utf-8"))


def test_scenes_js_has_all_scenes_in_31_kb() -> None:
    size = len(gzip.compress((WEB / "lib/scenes.js").read_bytes(), mtime=0))
    assert size <= MOST_BYTES


@pytest.mark.parametrize("row", agreed("theory"), ids=str)
def test_bound_and_closed_give_the_curves_of_theory_json(row: dict[str, Any]) -> None:
    N, D, V, Z, c, W = (row[letter] for letter in "NDVZcW")
    assert row["bound"] == pytest.approx(laws.bound(N, D, V, Z=Z, c=c, W=W))
    model = queueing.closed(N, D, V, tuple(range(1, c + 1)), W=W, Z=Z)
    assert row["X"] == pytest.approx(model, rel=1e-9)


def test_retry_delay_says_when_the_refused_of_traces_json_come_back() -> None:
    found = 0
    for trace in agreed("traces"):
        for id in range(len(trace["comers"])):
            lost = 0
            for (at, what, _), (then, next_, _) in pairwise(
                event for event in trace["log"] if event[2] == id
            ):
                lost = lost + 1 if what == "refuse" else 0
                if lost:
                    pause = laws.retry_delay(lost) - laws.retry_delay(lost - 1)
                    assert next_ in ("refuse", "queue", "start")
                    assert then - at == 1_000_000 * pause
                    found += 1
    assert found > 5


@pytest.mark.parametrize("row", agreed("little"), ids=lambda row: row["name"])
def test_users_is_the_area_of_little_json(row: dict[str, Any]) -> None:
    bars = list(zip(row["arrive"], row["leave"], strict=True))
    over = row["over"]
    inside = sum(a <= moment < b for moment in range(over) for a, b in bars)
    gone = [b - a for a, b in bars if b <= over]
    assert (inside, sum(gone), len(gone)) == (row["columns"], row["rows"], row["left"])
    if inside == sum(gone) > 0:  # the law holds where what goes in comes out
        X, R = len(gone) / over, sum(gone) / len(gone)
        assert laws.users(X, R) == pytest.approx(inside / over)


@pytest.mark.parametrize("row", agreed("turns")["throughput"], ids=str)
def test_simulate_gives_the_throughput_of_turns_json(row: dict[str, Any]) -> None:
    N, cpu, wait, turn = (row[name] for name in ("N", "cpu", "wait", "turn"))
    interval = turn / 1000 if turn else math.inf
    model = simulation.simulate(N, cpu / 1000, wait / 1000, interval=interval)
    assert row["X"] == pytest.approx(model)
    assert laws.bound(N, cpu / 1000, wait / 1000) >= 0.999 * model


@pytest.mark.parametrize("row", agreed("journey"), ids=lambda row: row["name"])
def test_response_time_laws_give_the_journeys_of_journey_json(row: dict[str, Any]) -> None:
    number, clocks = row["numbers"], row["clocks"]
    cores, W = number["cores"], number["workers"]
    in_service = laws.response_time_bound(number["others"] + 1, number["cpu"], c=cores)
    in_service += number["wait"]
    assert clocks["log"] / 1e6 == pytest.approx(in_service, abs=2e-6)
    # Those ahead, and those in service with it, at the throughput of W busy workers.
    response = (clocks["client"] - row["parts"]["connect"]) / 1e6 - 2 * number["way"]
    busy = number["ahead"] + W
    assert response == pytest.approx(laws.response_time(busy, W / in_service), abs=4e-6)
    assert laws.queued(response, in_service) * 1e6 == pytest.approx(row["parts"]["line"], abs=4)


@pytest.mark.parametrize("row", agreed("deals"), ids=lambda row: "{N} on {P} x {T}".format(**row))
def test_by_coins_gives_the_mean_of_deals_json(row: dict[str, Any]) -> None:
    N, P, T = row["N"], row["P"], row["T"]
    assert row["served"] == pytest.approx(queueing.by_coins(N, P, D=0, V=1, W=T), rel=0.02)


@pytest.mark.parametrize("row", agreed("looks"), ids=str)
def test_looks_gives_the_seconds_of_looks_json(row: dict[str, int]) -> None:
    assert row["looks"] == laws.looks(row["wanted"], row["start"])


def test_workers_in_memory_gives_the_workers_of_pages_json() -> None:
    fit = agreed("pages")["fit"]
    workers = laws.workers_in_memory(memory=fit["memory"], base=fit["base"], each=fit["each"])
    assert workers == fit["workers"]


@pytest.mark.parametrize("row", agreed("ceilings"), ids=lambda row: row["name"])
def test_ceiling_bounds_the_networks_of_ceilings_json(row: dict[str, Any]) -> None:
    things, users = row["things"], row["users"]
    every = [(users, things[0][1]), *things]
    assert row["bound"] == min(laws.ceiling(units, us / 1e6) for units, us in every)
    assert row["roomy"] <= 1.001 * min(laws.ceiling(m, us / 1e6) for m, us in things[1:])


def test_sharing_gives_cores_and_waits_alone_of_ceilings_json() -> None:
    both = next(row for row in agreed("ceilings") if row["name"] == "both")
    cores, cpu, wait = both["things"][1][0], both["things"][1][1] / 1e6, both["things"][2][1] / 1e6
    X = queueing.sharing(20, cpu, wait, tuple(range(1, cores + 1)))
    assert both["roomy"] == pytest.approx(X)


@pytest.mark.parametrize("row", agreed("hopping"), ids=lambda row: f"seed {row['seed']}")
def test_utilisation_is_the_busy_part_of_hopping_json(row: dict[str, Any]) -> None:
    busy = sum(min(until, 50_000) - min(begin, 50_000) for _, _, begin, until in row["stays"])
    assert busy / 50_000 / row["cores"] == laws.utilisation(X=row["threads"], D=1, c=row["cores"])


@pytest.mark.parametrize("row", agreed("quota"), ids=lambda row: f"{row['workers']} workers")
def test_quota_gives_the_throughput_of_quota_json(row: dict[str, Any]) -> None:
    X = (row["done"][-1] - row["done"][0]) / (len(row["done"]) - 1) / PERIOD_S
    # The second halves make each request dearer.
    D = row["cpu"] / 1e6 * (1 if row["pair"] == 2 else 4 / 2.6)
    alone = laws.bound(row["workers"], D, c=row["cores"])
    assert pytest.approx(queueing.quota(D, alone, alone, row["quota"]), rel=0.02) == X


def test_student_t_and_the_normal_give_the_chances_of_samples_json() -> None:
    told = agreed("samples")
    for freedom, t in told["student"]:
        assert student_t(freedom) == pytest.approx(t, abs=0.0006)
    for row in told["rows"]:
        assert row["error"] == pytest.approx((2 * row["deviation"] ** 2 / row["requests"]) ** 0.5)
        assert row["misled"] == pytest.approx(NormalDist().cdf(-row["apart"] / row["error"]))
