"""The scenes of the pages and the laws of the labs: what both are held to stands in one folder,
book/web/src/scenes/agreed, and `npm test` there reads the same files."""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import lanes_reference
import pytest
import scene_models
import shop_reference

from labs.analysis.contrast import student_t
from labs.site import (
    curves_picture,
    journey_picture,
    lanes_picture,
    little_picture,
    shop_picture,
    small_pictures,
)
from labs.site.scene_faces import FACES, face
from labs.site.scene_goals import GOALS
from labs.site.scene_kinds import KINDS
from labs.site.scene_numbers import NUMBERS, numbers
from labs.theory import laws, queueing, simulation
from labs.theory.turns import course

WEB = Path(__file__).parents[2] / "book/web"
AGREED = WEB / "src/scenes/agreed"
MOST_BYTES = 30_000  # gzip, of all thirteen together


def agreed(name: str) -> Any:
    return json.loads((AGREED / f"{name}.json").read_text("utf-8"))


# -- exact: no dice ----------------------------------------------------------------------------


@pytest.mark.parametrize("trace", agreed("traces"), ids=lambda trace: trace["name"])
def test_a_second_model_tells_the_same_story(trace: dict[str, Any]) -> None:
    assert shop_reference.log_of(trace) == trace["log"]


def test_some_traces_are_made_by_dice_and_some_by_hand() -> None:
    by_dice = list(shop_reference.traces())
    told = {trace["name"]: trace for trace in agreed("traces")}
    for trace in by_dice:
        assert {**told[trace["name"]], "log": None} == {**trace, "log": None}
    assert len(told) >= len(by_dice) + 3


@pytest.mark.parametrize("lost", range(1, 9))
def test_who_finds_no_place_comes_back_as_the_kernel_says(lost: int) -> None:
    pause = shop_reference.SECOND * 2 ** max(0, lost - 5)
    assert pause == (laws.retry_delay(lost) - laws.retry_delay(lost - 1)) * shop_reference.SECOND


# -- uniforms: bit for bit ---------------------------------------------------------------------


@pytest.mark.parametrize("row", agreed("dice"), ids=lambda row: f"seed {row['seed']}")
def test_dice_fall_alike(row: dict[str, Any]) -> None:
    dice = shop_reference.Dice(row["seed"])
    assert [dice.next() for _ in row["words"]] == row["words"]


# -- statistics: what the page's own laws and its simulation are held against -------------------


@pytest.mark.parametrize("row", agreed("theory"), ids=str)
def test_the_page_is_held_against_our_laws(row: dict[str, Any]) -> None:
    N, D, V, Z, c, W = (row[letter] for letter in "NDVZcW")
    assert row["bound"] == pytest.approx(laws.bound(N, D, V, Z=Z, c=c, W=W))
    model = queueing.closed(N, D, V, tuple(range(1, c + 1)), W=W, Z=Z)
    assert row["X"] == pytest.approx(model, rel=1e-9)


# -- the small models: ceilings, core-hopping, quota, samples -----------------------------------


@pytest.mark.parametrize("row", agreed("ceilings"), ids=lambda row: row["name"])
def test_things_in_a_row_are_a_network_that_theory_knows(row: dict[str, Any]) -> None:
    things, users = row["things"], row["users"]
    log = scene_models.LOGGED
    assert row["alike"] == scene_models.stations(things, users, 0, log)
    assert row["chance"] == scene_models.stations(things, users, row["seed"], log)
    every = [(users, things[0][1]), *things]
    assert row["bound"] == min(laws.ceiling(units, us / 1e6) for units, us in every)
    assert row["roomy"] <= 1.001 * min(laws.ceiling(m, us / 1e6) for m, us in things[1:])


def test_cores_and_waits_alone_are_the_model_of_the_labs() -> None:
    both = [[10**9, 200_000], [4, 20_000], [10**9, 180_000]]
    X = scene_models.network(both, 40)
    assert pytest.approx(queueing.sharing(40, 0.02, 0.18, (1, 2, 3, 4))) == X


@pytest.mark.parametrize("row", agreed("hopping"), ids=lambda row: f"seed {row['seed']}")
def test_threads_are_moved_alike(row: dict[str, Any]) -> None:
    of = [row[name] for name in ("cores", "threads", "mean", "seed")]
    assert row["stays"] == scene_models.hopping(*of, moves=60)
    busy = sum(min(until, 50_000) - min(begin, 50_000) for _, _, begin, until in row["stays"])
    assert busy / 50_000 / row["cores"] == laws.utilisation(X=row["threads"], D=1, c=row["cores"])


@pytest.mark.parametrize("row", agreed("quota"), ids=lambda row: f"{row['workers']} workers")
def test_a_quota_lets_as_many_through_as_the_law_says(row: dict[str, Any]) -> None:
    workers, cores, allowed, cpu, pair = (
        row[name] for name in ("workers", "cores", "quota", "cpu", "pair")
    )
    assert row["done"] == scene_models.quota(workers, cores, allowed, cpu, pair)
    X = (row["done"][-1] - row["done"][0]) / (len(row["done"]) - 1) / scene_models.PERIOD * 1e6
    D = cpu / 1e6 * (1 if pair == 2 else 4 / 2.6)  # the second halves make each request dearer
    alone = laws.bound(workers, D, c=cores)
    assert pytest.approx(queueing.quota(D, alone, alone, allowed), rel=0.02) == X


def test_samples_fall_alike_and_fool_as_often_as_theory_says() -> None:
    told = agreed("samples")
    for freedom, t in told["student"]:
        assert scene_models.within(t, freedom) == pytest.approx(0.95, abs=2e-4)
        assert student_t(freedom) == pytest.approx(t, abs=0.0006)
    for row in told["rows"]:
        dice = shop_reference.Dice(5)
        means = [1_162_000, 1_162_000 + row["apart"]] * 2
        course = [
            sum(scene_models.sample(dice, row["requests"], mean, row["deviation"]))
            for mean in means
        ]
        assert course == row["course"]
        assert row["error"] == pytest.approx((2 * row["deviation"] ** 2 / row["requests"]) ** 0.5)
        assert row["misled"] == scene_models.below(-row["apart"] / row["error"])


# -- the bundle, and the picture that stands still -----------------------------------------------


def test_all_scenes_together_are_small() -> None:
    size = len(gzip.compress((WEB / "lib/scenes.js").read_bytes(), mtime=0))
    assert size <= MOST_BYTES


def test_the_page_and_the_directive_know_the_same_numbers() -> None:
    source = (WEB / "src/scenes/parameters.ts").read_text("utf-8")
    rows = re.findall(r"^  (\w+): row\('.*?', '.*?', ([\d.]+), ", source, re.MULTILINE)
    assert {name: float(without) for name, without in rows} == NUMBERS


def test_the_page_and_the_directive_know_the_same_scenes() -> None:
    source = (WEB / "src/scenes/main.ts").read_text("utf-8")
    names = re.search(r"Frame\.kinds = {([^}]+)}", source)
    assert names
    told = [name.split(":")[0].strip(" \n'") for name in names[1].split(",") if name.strip()]
    assert sorted(told) == sorted(KINDS)


def test_the_page_and_the_directive_know_the_same_goals() -> None:
    assert GOALS.keys() == FACES.keys() == KINDS.keys()
    for name, goals in GOALS.items():
        module = {"shop": "shop_goals", "core-hopping": "hopping"}.get(name, name)
        source = (WEB / f"src/scenes/{module}.ts").read_text("utf-8")
        table = re.split(r"goals: {|const GOALS.*{", source)[1]
        assert re.findall(r"^ +'([\w-]+)'[:(]", table, re.MULTILINE) == list(goals), name


def test_around_a_picture_stands_what_its_page_needs() -> None:
    plain = face("shop", {})
    assert "thinking" not in plain and "turned away" not in plain and "wt-scene-goal" not in plain
    more = face("shop", {"turn": "users think", "places": "17", "goal": "smallest-pool"})
    assert ">thinking<" in more and "tries again" in more and "Find the smallest pool" in more
    assert "trap" in face("curves", {}) and "trap" not in face("curves", {"trap": "none"})


def test_a_still_picture_has_a_dot_for_each_request() -> None:
    pool = {"users": 96, "wait": 0.2, "workers": 64, "cores": 4}
    drawn = shop_picture.picture(numbers(pool))
    assert drawn.count("<circle") == 96
    assert "32 requests in line; 64 of 64 workers taken, 0 of them" in drawn
    crowd = {"users": 60, "cpu": 0.02, "wait": 0.18, "workers": 60, "cores": 2}
    full = shop_picture.picture(numbers(crowd))
    asking = re.search(r"(\d+) of them by requests that want a core", full)
    X = queueing.closed(60, 0.02, 0.18, (1, 2), W=60)
    assert asking and math.isclose(int(asking[1]), 60 - X * 0.18, abs_tol=1)


def test_still_curves_say_where_they_end() -> None:
    asked = {"cpu": 0.05, "cores": 4, "workers": 16}
    drawn = curves_picture.picture(numbers(asked), most=32)
    assert "throughput rises to 80 requests a second, of at most 80" in drawn
    assert "from 0.05 s to 0.4 s" in drawn
    assert drawn.count("stroke-dasharray") == 2
    beside = curves_picture.picture(numbers({**asked, "workers": 8}), 12, (1, 2, 4))
    assert "With 1 core: 20 requests a second. With 2 cores: 40 requests" in beside
    assert beside.count(">2 cores</text>") == 2 and beside.count("stroke-opacity") == 6


# -- Little's law --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", agreed("little"), ids=lambda row: row["name"])
def test_rows_and_columns_are_counted_alike_in_python(row: dict[str, Any]) -> None:
    bars = list(zip(row["arrive"], row["leave"], strict=True))
    over = row["over"]
    inside = sum(a <= moment < b for moment in range(over) for a, b in bars)
    gone = [b - a for a, b in bars if b <= over]
    assert (inside, sum(gone), len(gone)) == (row["columns"], row["rows"], row["left"])
    assert little_picture.by_columns(row["arrive"], row["leave"], over) == inside
    if inside == sum(gone) > 0:  # the law holds where what goes in comes out
        X, R = len(gone) / over, sum(gone) / len(gone)
        assert laws.users(X, R) == pytest.approx(inside / over)


def test_still_staircases_say_both_counts() -> None:
    row = agreed("little")[0]
    times = {name: [at / 10 for at in row[name]] for name in ("arrive", "leave")}
    drawn = little_picture.picture(**times, over=10)
    assert "In 10 s 8 requests have left, each after 2.46 s on average; 1.97 were" in drawn
    assert drawn.count("<rect") == 8


# -- who runs when -------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", agreed("lanes"), ids=lambda trace: trace["name"])
def test_milliseconds_and_events_tell_the_same_story(trace: dict[str, Any]) -> None:
    assert lanes_reference.log_of(trace) == trace["log"]


def test_the_stories_are_those_that_are_written() -> None:
    told = [{**trace, "log": None} for trace in agreed("lanes")]
    assert told == [{**trace, "log": None} for trace in lanes_reference.traces()]


@pytest.mark.parametrize(
    ("N", "cpu", "wait", "turn"),
    [(4, 20, 0, 5), (3, 10, 40, 5), (8, 10, 40, 5), (6, 20, 180, 0), (12, 20, 180, 0)],
)
def test_turns_make_the_throughput_of_the_simulation(
    N: int, cpu: int, wait: int, turn: int
) -> None:
    cycle = max(cpu + wait, N * cpu)
    starts = [round(cycle * lane / N) for lane in range(N)]
    log = course(starts, cpu, wait, places=1, turn=turn, holds=turn == 0, end=40 * cycle)
    done = [event for event in log if event.what == "done"]
    first, last = (next(event for event in way if event.who == 0) for way in (done, done[::-1]))
    X = 1000 * (done.index(last) - done.index(first)) / (last.at - first.at)
    interval = turn / 1000 if turn else math.inf
    model = simulation.simulate(N, cpu / 1000, wait / 1000, interval=interval)
    assert pytest.approx(model, rel=0.01) == X
    assert laws.bound(N, cpu / 1000, wait / 1000) >= 0.999 * X


def test_arrivals_under_the_lock_are_answered_when_the_simulation_says() -> None:
    come = [0, 3, 11, 12, 30]
    log = course(come, 12, 100, places=1, turn=5, end=140)
    ends = simulation.in_turn([at / 1000 for at in come], [0.012] * 5, [0.1] * 5, interval=0.005)
    done = {event.who: event.at / 1000 for event in log if event.what == "done"}
    assert done == pytest.approx({who: at for who, at in enumerate(ends) if at <= 0.14})


def test_still_lanes_say_how_many_run() -> None:
    asked = numbers({"lanes": 4, "cpu": 0.05, "wait": 0, "cores": 2})
    assert "2.00 of them run" in lanes_picture.picture(asked, "processes", span=0.5)
    assert "1.00 of them run" in lanes_picture.picture(asked, "counting", span=0.5)


# -- one request's journey -----------------------------------------------------------------------


@pytest.mark.parametrize("row", agreed("journey"), ids=lambda row: row["name"])
def test_python_reckons_the_same_journey(row: dict[str, Any]) -> None:
    took = journey_picture.parts(row["numbers"])
    assert took == row["parts"]
    assert {clock: journey_picture.shown(clock, took) for clock in journey_picture.CLOCKS} == row[
        "clocks"
    ]


@pytest.mark.parametrize("row", agreed("journey"), ids=lambda row: row["name"])
def test_a_journey_keeps_to_the_laws(row: dict[str, Any]) -> None:
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


def test_a_still_journey_says_what_the_clocks_show() -> None:
    row = next(row for row in agreed("journey") if row["name"] == "the launch")
    drawn = journey_picture.picture(row["numbers"], ("client", "log"))
    assert row["clocks"]["client"] == 2_000_000 and "client: 2 s" in drawn
    assert "log: 500 ms" in drawn


def test_still_ceilings_name_the_one_that_holds() -> None:
    order = {"cpu": 0.005, "cores": 4, "locked": 0.002, "query": 0.04, "connections": 10}
    drawn = small_pictures.ceilings(numbers({**order, "disk": 0.01, "workers": 32}))
    assert "pool 561, cores 800, lock 500, database 250, disk 100. The lowest, disk" in drawn
    assert drawn.count('fill-opacity="0.65"') == 1


def test_still_pictures_say_what_the_laws_say() -> None:
    s5 = {"requests": 10, "apart": 0.043, "deviation": 0.312}
    assert "scatter by 193 ms, the difference by 273 ms" in small_pictures.samples(numbers(s5))
    drawn = small_pictures.hopping(numbers({"cores": 4}))
    shown = [int(part) for part in re.findall(r">(\d+) %<", drawn)]
    assert len(shown) == 4 and abs(sum(shown) - 100) <= 2 and max(shown) < 34
    held = small_pictures.quota(numbers({"quota": 1.5, "workers": 4, "cores": 8}))
    assert "4 workers run for 37.5 ms of them and stand still for 62.5" in held
