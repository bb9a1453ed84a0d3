"""Attach on made levels: each cause, injected, is named or admitted to be unknown; the forecast's
band holds what the model may be off by; what can't be asked is refused in a sentence."""

import math
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from answering import answering
from attachments import SEEN, UNSEEN, USERS, attached, with_run
from examples import point
from hypothesis import given
from hypothesis import strategies as st

from labs.analysis.timers import timer_s
from labs.host import listeners
from labs.host.listeners import Family
from labs.kinds.attach.forecast import Cost, Rates, forecast, levels, rates
from labs.kinds.attach.instruments import Asked, Watch
from labs.kinds.attach.next_step import look_next
from labs.kinds.attach.ramp import WARM, Ramp, alike
from labs.kinds.attach.record import Attached, Found, Known
from labs.kinds.attach.report import found_text, joined, text
from labs.kinds.attach.run import AttachLab
from labs.kinds.attach.show import show
from labs.kinds.attach.verdict import verdict
from labs.load.locust import LoadFailed
from labs.load.target import Target, first_look, read_headers
from labs.load.workers import Workers
from labs.measure.rig import Rig
from labs.present.advice import HOLLOW
from labs.records.errors import Failed, Unusable
from labs.records.requests import RECORD, Report
from labs.records.results import unfit
from workloads.protocol import OK, READY


@given(
    places=st.integers(1, 40),
    held_s=st.floats(0.02, 0.9),
    rest=st.floats(0.0, 2.0),
    seen=st.booleans(),
)
def test_verdict_on_places_names_them_or_admits_that_they_look_like_others(
    places: int, held_s: float, rest: float, seen: bool
) -> None:
    """`rest` of the time that a place is held, a request needs none. A server that isn't seen may
    as well have full cores."""
    alone_s = held_s * (1 + rest) + 0.0005
    who = SEEN if seen else UNSEEN
    found = verdict(
        attached(lambda N: min(N / alone_s, places / held_s), alone_s=alone_s, found=who)
    )
    assert found.limit in (("pool", "one at a time", "unknown") if seen else ("unknown",))
    if not seen:
        return
    if found.limit == "one at a time":
        assert places == 1
    if found.limit == "pool":
        assert found.pool_size is not None
        assert places / 1.2 <= found.pool_size <= places * (1 + rest) * 1.2 + 1
    if rest == 0 and places == 1:
        assert found.limit == "one at a time"
    if rest == 0 and places >= 10:
        assert found.limit == "pool"


def places(most: int) -> Callable[[int], float]:
    """Throughput of so many, each held for 200 ms."""
    return lambda users: min(users, most) / 0.2


@pytest.mark.parametrize(
    ("rps", "alone_s", "more", "limit", "said"),
    [
        (places(4), 0.2, {}, "pool", "4 workers"),
        (places(3), 0.2, {}, "unknown", "look the same"),
        (places(10), 0.2, {"failed": 5}, "errors", "errors"),
        (places(10), 0.2, {"generator_cpu": 0.97}, "load generator", "--expect-workers 2."),
        (places(10), 0.2, {"throttled_s": 0.5, "seconds": 1.0}, "quota", "held the server back"),
        (places(10), 0.2, {"others_cpu": 1.2}, "unknown", "Other programs"),
        (lambda N: N**0.6 / 0.02, 0.02, {"others_cpu": 1.0}, "unknown", "Other programs"),
        (lambda N: min(N, 40) ** 0.5 / 0.2, 0.2, {}, "unknown", "None of the causes"),
        (lambda N: N / 5.02, 5.02, {}, "timer", "somebody's timer"),
        (lambda N: N / 2.3, 2.3, {}, "unknown", "Nothing was full"),
        (lambda N: N / (0.1 if N < 8 else 0.045), 0.1, {}, "unknown", "At 8 users an answer took"),
        (
            *(lambda N: N / (0.006 if N < 2 else 0.003), 0.006),
            *({"generator_cpu": 0.1}, "unknown", "Nothing was full"),
        ),
    ],
)
def test_verdict_on_levels_along_a_curve(
    rps: Callable[[int], float], alone_s: float, more: dict[str, float], limit: str, said: str
) -> None:
    found = verdict(attached(rps, alone_s=alone_s, **more))
    assert found.limit == limit and said in found.sentences[0]
    assert (found.pool_size is not None) == (limit == "pool" or said == "look the same")


@given(
    answered=st.floats(0.05, 0.8),
    turned_away=st.floats(0.0, 1.0),
    flat=st.booleans(),
    seen=st.booleans(),
)
def test_verdict_names_the_listen_queue_only_where_many_were_turned_away_beside_idle_cores(
    answered: float, turned_away: float, flat: bool, seen: bool
) -> None:
    """Answers as a part of what so many users would get; those turned away, over the answers."""
    found = attached(
        lambda N: min(N, 32 * answered if flat else N * answered if N > 16 else N) / 0.1,
        alone_s=0.1,
        found=replace(SEEN, workers=0) if seen else UNSEEN,
        users=(1, 8, 64, 128),
    )
    points = [replace(p, listen_overflows=round(p.completed * turned_away)) for p in found.points]
    said = verdict(with_run(found, points=tuple(points)))
    assert (said.limit == "listen queue") <= (seen and turned_away > 0)
    if seen and turned_away > 0.03:
        assert said.limit == "listen queue"


@pytest.mark.parametrize(("full_from", "limit"), [(128, "listen queue"), (64, "load generator")])
def test_verdict_names_a_listen_queue_that_was_full_before_the_load_generator(
    full_from: int, limit: str
) -> None:
    found = attached(lambda N: min(N, 20) / 0.1, alone_s=0.1, users=(1, 8, 64, 128))
    points = [
        replace(
            each,
            listen_overflows=each.users * (each.users >= 64),
            generator_cpu=0.95 if each.users >= full_from else 0.3,
        )
        for each in found.points
    ]
    assert verdict(with_run(found, points=tuple(points))).limit == limit


@pytest.mark.parametrize(
    ("limit", "change", "said"),
    [
        ("errors", {}, "of this run."),
        ("errors", {"locustfile": "mine.py"}, "of this run, or mine.py, where"),
        ("cores", {"found": replace(SEEN, program="uvicorn")}, "py-spy top"),
        ("cores", {"found": replace(SEEN, program="Node.js")}, "chrome://inspect"),
    ],
)
def test_next_step_is_one_for_that_program(limit: str, change: dict[str, Any], said: str) -> None:
    run = attached(lambda N: N / 0.1, alone_s=0.1).run
    (found,) = look_next(limit, replace(run, **change))
    assert said in found and "dump" not in found


@given(cpu_s=st.floats(0.003, 0.1), wait_s=st.floats(0.0, 0.3))
def test_verdict_names_busy_cores_and_nothing_else(cpu_s: float, wait_s: float) -> None:
    alone_s = cpu_s + wait_s
    busy = attached(lambda N: min(N / alone_s, 2 / (cpu_s + 0.0001)), alone_s=alone_s, cpu_s=cpu_s)
    assert verdict(busy).limit in ("cores", "unknown")
    if 2 * alone_s / cpu_s < 64:
        assert verdict(busy).limit == "cores"


def test_verdict_names_cores_that_are_full_before_throughput_has_stopped_rising() -> None:
    bent = attached(
        lambda N: (20, 38, 66, 98)[N.bit_length() - 1], alone_s=0.05, users=(1, 2, 4, 8)
    )
    top = replace(bent.points[-1], server_cpu=1.9)
    assert verdict(with_run(bent, points=(*bent.points[:-1], top))).limit == "cores"
    assert verdict(bent).limit == "unknown"


@pytest.mark.parametrize("others", [0.0, 0.9])
def test_verdict_names_the_one_core_that_one_process_can_use(others: float) -> None:
    one = replace(SEEN, one_core_each="Python", workers=1)
    full = {"cpu_s": 0.02, "found": one, "others_cpu": others}
    found = verdict(attached(lambda N: min(N / 0.03, 1 / 0.02), alone_s=0.03, **full))
    assert found.limit == "cores" and "its one process" in found.sentences[0]


@pytest.mark.parametrize("least", [0.5, 0.7, 0.85])
def test_verdict_on_throughput_that_falls_when_more_ask_names_the_cores(least: float) -> None:
    """Threads in each other's way, say: the cores are as full, and what is answered is less."""
    found = attached(
        lambda N: min(N / 0.03, 2 / 0.02) * (1 if N < 64 else least), alone_s=0.03, cpu_s=0.02
    )
    top = replace(found.points[-1], server_cpu=1.97)
    assert verdict(with_run(found, points=(*found.points[:-1], top))).limit == "cores"


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [(0.0, 0.0, True), (0.0, 0.4, False), (0.4, 0.0, False), (0.0, 0.05, True)],
)
def test_working_picks_only_what_rests_before_and_after_the_looks(
    before: float, after: float, known: bool
) -> None:
    """A program that begins with the looks by chance costs each request the same, too, where the
    server's throughput hardly rises."""
    stranger = os.getpid()
    looks = [(300.0, {stranger: 0.4}), (310.0, {stranger: 0.4}), (330.0, {stranger: 0.4})]
    idle = ({stranger: before}, {stranger: after})
    assert bool(listeners.working(idle, looks, but=())) == known


@given(cpu_s=st.floats(0.003, 0.04), quota=st.floats(0.2, 1.5))
def test_quota_of_the_server_is_the_cores_of_its_forecast_and_is_named(
    cpu_s: float, quota: float
) -> None:
    """A plateau at quota / D, whether or not the system told of the times it was held back."""
    alone_s, held = cpu_s + 0.1, replace(SEEN, quota_cores=quota)
    ends = {"alone_s": alone_s, "cpu_s": cpu_s}
    found = attached(lambda N: min(N / alone_s, quota / cpu_s), found=held, **ends)
    top = found.run.forecast.levels[-1]
    assert top.bound_rps <= quota / (0.89 * cpu_s)
    assert top.model_rps == pytest.approx(min(128 / alone_s, quota / cpu_s), rel=0.05)
    free = attached(lambda N: N / alone_s, **ends)
    assert free.run.forecast.levels[-1].bound_rps > top.bound_rps
    said = verdict(found)
    assert said.limit == "quota" and "quota of" in said.sentences[0]


def test_a_full_load_generator_is_relieved_by_one_more_than_asked() -> None:
    found = attached(places(10), alone_s=0.2, generator_cpu=0.97)
    said = verdict(with_run(found, generators=3)).sentences[0]
    assert "--expect-workers 4." in said


@pytest.mark.parametrize("timer", [1.0, 3.0, 5.0, 10.0, 15.0, 30.0, 60.0])
def test_timer_s_finds_a_timer_within_three_per_cent_of_all_rounds(timer: float) -> None:
    assert timer_s([0.975 * timer, 1.025 * timer]) == timer
    assert timer_s([timer, 1.035 * timer]) is timer_s([0.965 * timer, timer]) is None


@given(cpu_ms=st.floats(0.1, 60), wait_ms=st.floats(0, 300), off=st.floats(0.95, 1.05))
def test_forecast_band_holds_the_model_at_any_demand_within_what_is_known(
    cpu_ms: float, wait_ms: float, off: float
) -> None:
    cpu_s, wait_s = cpu_ms / 1000, wait_ms / 1000
    demand = Known(value=cpu_s, low=0.95 * cpu_s, high=1.05 * cpu_s)
    wait = Known(value=wait_s, low=0.95 * wait_s, high=1.05 * wait_s)

    def numbers(edge: str, D: Known = demand, V: Known = wait) -> Rates:
        lone_s = D.value + V.value + 0.0001
        return rates(SEEN, D, V, lone_s=lone_s, Z=0.0, g=0.0001, cores=2.0, edge=edge)

    at, dear, cheap = numbers("value"), numbers("high"), numbers("low")
    made = forecast(USERS, at, dear, cheap, visible=True)
    true = numbers("value", replace(demand, value=cpu_s * off), replace(wait, value=wait_s * off))
    for level in made.levels:
        assert level.band_rps is not None
        low, high = level.band_rps
        assert low <= level.model_rps <= high
        assert low <= true.model_rps(level.users) <= high
        assert level.model_rps <= level.bound_rps * (1 + 1e-6)


def known(value: float) -> Known:
    return Known(value=value, low=value, high=value)


def test_forecast_takes_what_a_request_cost_in_the_crowd_looked_at_next_below() -> None:
    few = (Cost(1, 0.004, 0.0), Cost(2, 0.003, 0.0), Cost(4, 0.002, 0.0))
    demand = Known(value=0.002, low=0.001, high=0.004)
    at, dear = (
        rates(SEEN, demand, known(0), lone_s=0.004, few=few, Z=0, g=0, cores=2, edge=edge)
        for edge in ("value", "high")
    )
    found = [at.model_rps(users) for users in (1, 2, 3, 4, 8)]
    assert found == pytest.approx([1 / 0.004, 2 / 0.003, 2 / 0.003, 1000, 1000], rel=0.01)
    assert dear.model_rps(2) == pytest.approx(at.model_rps(2) / 2, rel=0.01)
    assert at.bound_rps(8) == pytest.approx(1000, rel=0.01)


def test_forecast_gives_a_runtime_the_cores_that_it_was_seen_to_use() -> None:
    """Threads that wait for an interpreter's lock do that in the kernel, on another core."""
    one = replace(SEEN, one_core_each="Python", workers=1)
    for busy, c in ((0.4, 1.0), (1.3, 1.3)):
        at = rates(one, known(0.003), known(0), lone_s=0.003, Z=0, g=0.0001, cores=2, busy=busy)
        assert at.model_rps(32) == pytest.approx(c / 0.003, rel=0.02)


def test_forecast_of_a_server_on_another_machine_needs_none_of_its_cores() -> None:
    at = rates(Found(), None, known(0.05), lone_s=0.05, Z=0.0, g=0.0005, cores=math.inf)
    found = forecast((1, 10, 512), at, at, at, visible=False)
    assert [level.model_rps for level in found.levels] == pytest.approx([20, 200, 2000], rel=0.01)


def test_levels_double_to_half_as_many_again_as_the_knee_and_never_beyond_the_most() -> None:
    at = rates(SEEN, known(0.01), known(0.09), lone_s=0.1, Z=0.0, g=0.0001, cores=2.0)
    found = levels(at, 512)
    assert found[:4] == (1, 2, 4, 8)
    assert at.knee() <= found[-1] <= 1.5 * at.knee() + 1
    assert levels(at, 6) == (1, 2, 4, 6)


def ramp_of(found: Attached, most: int) -> Ramp:
    """What has measured that, before its levels."""
    target, nobody = Target("http://127.0.0.1:8000/"), Family()
    watch = Watch(target, None, None, None, nobody, nobody)  # type: ignore[arg-type]
    ramp, run = Ramp(Asked(most=most), Rig(), watch), found.run
    ramp.found, ramp.alone_s, ramp.generator_s = run.found, run.alone_s, run.generator_s
    ramp.demand, ramp.wait, ramp.looks = run.demand, run.wait, list(run.looks)
    ramp.costs = ()
    return ramp


@pytest.mark.parametrize(
    ("places", "busy", "last"), [(1000, 0.1, 64), (15, 0.1, 32), (1000, 0.97, 8)]
)
def test_levels_go_on_doubling_while_neither_server_nor_generator_is_full(
    places: int, busy: float, last: int
) -> None:
    """A knee that was forecast too early: what is seldom asked finds its caches cold."""
    found = attached(lambda N: min(N, places) / 0.1, alone_s=0.1, generator_cpu=busy)
    ramp = ramp_of(found, most=64)
    ramp._foretell((1, 2, 4, 8))
    asked = []
    for users in ramp._upwards():
        asked.append(users)
        ramp.points[users] = found.at(users)
    assert asked == [users for users in USERS if users <= last]
    assert [level.users for level in ramp.forecast.levels] == asked


def test_a_further_level_is_forecast_with_a_generator_whose_cost_goes_on_falling() -> None:
    """A request costs it 20 ms as a few ask, 15 with four users, 7.5 with eight, and so on."""
    found = attached(lambda N: N / 0.1, alone_s=0.1, generator_cpu=0.6)
    ramp = ramp_of(found, most=64)
    ramp.generator_s = 0.02
    ramp._foretell((1, 2, 4, 8))
    first = ramp.forecast.levels
    for users in ramp._upwards():
        ramp.points[users] = found.at(users)
    assert ramp.forecast.levels[:4] == first and first[-1].model_rps < 50
    assert ramp.forecast.at(16).model_rps == pytest.approx(160, rel=0.1)


@pytest.mark.parametrize(("life_s", "asked"), [(0.004, True), (0.6, False)])
def test_a_server_of_brief_answers_is_warmed_by_thousands_before_it_is_looked_at(
    life_s: float, asked: bool
) -> None:
    ramp, made = ramp_of(attached(lambda N: N / 0.1, alone_s=0.1), most=3), np.zeros(WARM, RECORD)
    made["end"], made["kind"] = life_s, OK
    seen, opened = iter([made[:3], made[3:], made]), []
    crowd: Any = SimpleNamespace(records=lambda: next(seen), open=lambda *to: opened.append(to))
    ramp.watch.driver = crowd
    ramp._warm()
    assert (opened, len(list(seen))) == (([(3, 0.0)], 0) if asked else ([], 2))


def test_first_pace_of_a_locustfile_is_that_of_its_answers() -> None:
    """A load generator says that it is ready, since when its machine is up."""
    ramp, told = ramp_of(attached(lambda N: N / 0.1, alone_s=0.1), most=8), np.zeros(20, RECORD)
    told["end"], told["kind"] = 0.1, OK
    told["end"][0], told["kind"][0] = 67000.0, READY
    crowd: Any = SimpleNamespace(records=lambda: told)
    ramp.watch.driver, ramp.asked = crowd, Asked(most=8, locustfile="users.py")
    assert ramp._first_pace(seconds=19.0) == pytest.approx(0.1)
    assert ramp.think_time_s == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("users", "rps", "cpu", "more"),
    [(4, 40.0, 0.01, 16), (16, 160.0, 0.4, 20), (4, 40.0, 0.6, 4), (4, 20.0, 0.01, 4)],
)
def test_next_look_asks_as_more_to_half_of_the_knee_unless_something_is_full(
    users: int, rps: float, cpu: float, more: int
) -> None:
    ramp = ramp_of(attached(lambda N: N / 0.1, alone_s=0.1), most=512)
    ramp.looks.append(replace(point(users), throughput_rps=rps, server_cpu=0.0, generator_cpu=cpu))
    assert ramp._more() == more


@pytest.mark.parametrize("flying", [{0: 1.0}, {}])
def test_a_server_is_said_to_be_silent_while_somebody_waits_and_not_while_all_pause(
    monkeypatch: pytest.MonkeyPatch, flying: dict[int, float]
) -> None:
    monkeypatch.setattr("labs.kinds.attach.instruments.LONGEST_WINDOW_S", 0.05)
    ramp, silent = ramp_of(attached(lambda N: N / 0.1, alone_s=0.1), most=8), np.zeros(5, RECORD)
    idle: Any = SimpleNamespace(snapshot=lambda **_: SimpleNamespace(at=1.0))
    crowd: Any = SimpleNamespace(elsewhere=False, check=lambda: None, records=lambda: silent)
    crowd.report = lambda since: Report(records=silent[since:], flying=flying, at=2.0)
    ramp.watch.sampler, ramp.watch.driver = idle, crowd
    monkeypatch.setattr("labs.kinds.attach.instruments.count_level", lambda *_, **__: point(8))
    monkeypatch.setattr(ramp, "_checked", lambda counted: counted)
    silence = pytest.raises(LoadFailed, match="asked as 8 users, not one answer came in")
    with silence if flying else nullcontext():
        ramp._count(8, 0.001)


@pytest.mark.parametrize(
    ("failed", "said"), [(3, "it answered no request well"), (0, "nothing was asked in a whole")]
)
def test_a_first_look_without_an_answer_says_who_is_to_blame(
    monkeypatch: pytest.MonkeyPatch, failed: int, said: str
) -> None:
    ramp = ramp_of(attached(lambda N: N / 0.1, alone_s=0.1), most=8)
    none = replace(point(1), completed=0, failed=failed)
    ramp.watch.driver = SimpleNamespace(last_lines=lambda: "")  # type: ignore[assignment]
    monkeypatch.setattr(ramp, "_settle", lambda *_: None)
    monkeypatch.setattr(ramp, "_count", lambda *_, **__: none)
    with pytest.raises(LoadFailed, match=f"asked as 1 user, {said}"):
        ramp._ask(1, 0.1)


def test_looks_are_alike_where_a_request_costs_each_side_about_the_same() -> None:
    look = replace(point(4), throughput_rps=40.0, server_cpu=0.1, generator_cpu=0.02)
    assert alike(look, replace(look, throughput_rps=80.0, server_cpu=0.21, generator_cpu=0.041))
    assert not alike(look, replace(look, server_cpu=0.13))
    assert not alike(look, replace(look, generator_cpu=0.016))


def test_report_has_each_level_and_the_verdict() -> None:
    found = attached(lambda N: min(N, 10) / 0.2, alone_s=0.2)
    data = joined(found)
    assert [each["users"] for each in data["points"]] == list(USERS)
    assert data["verdict"]["limit"] == "pool"
    assert data["verdict"]["sentences"][0] in text(found)


def test_a_level_that_cannot_be_believed_is_told_as_hollow_in_alt_text_and_replay() -> None:
    found = attached(lambda N: min(N, 10) / 0.2, alone_s=0.2)
    spoilt = replace(found.points[3], checks=(unfit("noise", "It was."),))
    found = with_run(found, points=(*found.points[:3], spoilt, *found.points[4:]))
    assert "Measured: " in show.alt(found) and f"Unfit and {HOLLOW}: 8 users." in show.alt(found)
    assert [HOLLOW in level.words for level in show.levels(found)].index(True) == 3


def test_found_text_of_a_listener_that_only_its_owner_sees_names_who_works() -> None:
    said = found_text(Found(program="", processes=4, threads=0, behind=("gunicorn",)))
    assert "can't be seen from here" in said and said.endswith("works gunicorn: 4 processes.")


def test_report_of_a_server_whose_process_is_not_seen_claims_no_cpu_time() -> None:
    data = joined(attached(lambda N: min(N, 10) / 0.2, alone_s=0.2, found=UNSEEN))
    assert data["demand_s"] is None
    assert all(each["demand_s"] is None for each in data["points"])
    assert data["found"]["visible"] is False


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://127.0.0.1/", "http://"),
        ("127.0.0.1:8000", "http://"),
        ("http://", "http://"),
        ("http://127.0.0.1:99999/", "no URL"),
        ("http://127.0.0.1:0/", "no URL"),
        ("http://127.0.0.1/a b", "no URL"),
        ("http://127.0.0.1//a", "no URL"),
        ("http://me:secret@127.0.0.1/", "--header @file"),
        ("http://example.org/", "--host-is-mine example.org"),
        ("http://192.0.2.1/", "attack"),
        ("http://127.0.0.1.example.org/", "attack"),
    ],
)
def test_target_refuses_what_is_no_address_of_the_readers_own(url: str, said: str) -> None:
    with pytest.raises(Unusable, match=said) as refused:
        Target(url)
    assert "secret" not in str(refused.value)


def test_target_takes_another_host_only_typed_twice() -> None:
    assert Target("http://shop.example:8080/a?b=c", mine="shop.example").page == "/a?b=c"
    with pytest.raises(Unusable):
        Target("http://shop.example:8080/", mine="other.example")


def test_workers_come_to_an_address_and_ask_what_all_of_them_can_reach() -> None:
    for wrong in ({"number": 0}, {"number": 1, "master": "wall.example"}):
        with pytest.raises(Unusable, match=r"[Gg]ive"):
            Workers(**wrong)
    away, url = Workers(number=2, master="192.0.2.1"), "http://127.0.0.1:8000/"
    with pytest.raises(Unusable, match="another server on each worker's machine"):
        AttachLab(url, generators=away)
    with pytest.raises(Unusable, match="Leave --locustfile out"):
        AttachLab(url, generators=Workers(number=2), locustfile=__file__)


SENT_ON = "Location: /login\r\nContent-Length: 0"
BREAKS_OFF = "breaks off in the middle"


@pytest.mark.parametrize(
    ("code", "headers", "then", "on_and_on", "said"),
    [
        (302, SENT_ON, "", False, "/login"),
        (401, SENT_ON, "", False, "--header @file"),
        (403, SENT_ON, "", False, "--header @file"),
        (404, SENT_ON, "", False, "request is wrong"),
        (429, SENT_ON, "", False, "limit"),
        (500, SENT_ON, "", False, "server fails"),
        (200, SENT_ON, "", False, ""),
        (200, "Content-Length: 9", "cut off", False, BREAKS_OFF),
        (200, "Transfer-Encoding: chunked", "3\r\ncut\r\n", False, BREAKS_OFF),
        (200, "Content-Type: text/event-stream", "data: 1\n\n", True, "a stream of events"),
        (200, "Connection: close", "whole", False, ""),
    ],
)
def test_first_look_reads_to_the_end_and_ends_with_a_sentence_at_what_is_no_answer(
    code: int, headers: str, then: str, on_and_on: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labs.load.target.ANSWER_S", 0.5)
    refused = pytest.raises(Failed, match=said) if said else nullcontext()
    with answering(headers, then, status=code, on_and_on=on_and_on) as url, refused:
        first_look(Target(url))


def test_read_headers_takes_a_file_and_never_an_argument(tmp_path: object) -> None:
    file = tmp_path / "headers"  # type: ignore[operator]
    file.write_text("Authorization: Bearer x:y\n\nCookie: a=b\n")
    assert read_headers(f"@{file}") == {"Authorization": "Bearer x:y", "Cookie": "a=b"}
    for wrong in ("Authorization: Bearer x", "@", f"@{file}-missing"):
        with pytest.raises(Unusable):
            read_headers(wrong)
    file.write_text("no colon\n")
    with pytest.raises(Unusable, match="Name: value"):
        read_headers(f"@{file}")
