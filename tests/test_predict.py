"""Which model an experiment gets, what it says, and that it keeps to its bounds."""

import dataclasses
import itertools
import math
import random

import pytest

from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration, Machine, Point
from labs.theory import queueing
from labs.theory.forecast import explain, forecast
from labs.theory.simulation import simulate

# Nothing in the way: no overhead, no load generator, cores that do not share parts.
IDEAL = Calibration(loops_per_s=(1e8, 2e8, 3e8, 4e8), noise_fraction=0.0)
REAL = Calibration(
    loops_per_s=(1e8, 1.9e8, 2.7e8, 3.4e8),
    noise_fraction=0.01,
    overhead_s=4e-4,
    generator_s=1e-4,
    timer_s=1e-4,
)


def machine(cores=4, *, quota=None, gil=True, logical=None):
    return Machine(
        system="Linux 6.18",
        processor="a processor",
        cores=cores,
        logical_cores=logical or cores,
        physical_cores=None,
        quota_cores=quota,
        memory_bytes=2**33,
        python="CPython 3.11.7",
        gil=gil,
    )


def predicted(
    server, workload, users, *, calibration=IDEAL, on=None, think_time_s=0.0, keep_alive=True
):
    load = Load(users, think_time_s=think_time_s, keep_alive=keep_alive)
    return forecast(Experiment(server, workload, load), calibration, on or machine())


def one_level(server, workload, users, **options):
    return predicted(server, workload, [users], **options).levels[0]


def measured(users, demand_s, connections=None):
    return Point(
        users=users,
        seconds=2.0,
        completed=100.0,
        failed=0,
        unfinished=0,
        never_served=0,
        throughput_rps=50.0,
        throughput_ci_rps=(49.0, 51.0),
        halves_rps=(50.0, 50.0),
        mean_response_time_s=users / 50.0,
        histogram={},
        demand_s=demand_s,
        server_cpu=1.0,
        generator_cpu=0.01,
        others_cpu=0.0,
        littles_law=1.0,
        connections=connections or {},
    )


# --- the answers of the book ------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "workload", "users", "rps", "response_s", "limit"),
    [
        # S1: 200 ms of CPU, four cores.
        (Server("prefork", processes=8), Workload(cpu_s=0.2), 1, 5, 0.2, "users"),
        (Server("prefork", processes=8), Workload(cpu_s=0.2), 3, 15, 0.2, "users"),
        (Server("prefork", processes=8), Workload(cpu_s=0.2), 4, 20, 0.2, "users"),
        (Server("prefork", processes=8), Workload(cpu_s=0.2), 8, 20, 0.4, "cpu"),
        # One worker, many cores, and how many workers.
        (Server("prefork", processes=1), Workload(cpu_s=0.02), 8, 50, 0.16, "pool"),
        (Server("prefork", processes=16), Workload(cpu_s=0.05), 16, 80, 0.2, "cpu"),
        (Server("prefork", processes=2), Workload(cpu_s=0.05), 16, 40, 0.4, "pool"),
        (Server("threaded", threads=16), Workload(cpu_s=0.05), 16, 20, 0.8, "interpreter lock"),
        # S2: 200 ms of waiting, a pool of 256.
        (Server("prefork", processes=256), Workload(wait_s=0.2), 128, 640, 0.2, "users"),
        (Server("prefork", processes=256), Workload(wait_s=0.2), 512, 1280, 0.4, "pool"),
        # S5, and MaxRequestWorkers.
        (Server("threaded", threads=25), Workload(wait_s=0.5), 100, 50, 2.0, "pool"),
        (Server("prefork", processes=256), Workload(wait_s=0.5), 1024, 512, 2.0, "pool"),
        # The event loop's ceiling.
        (Server("event-loop"), Workload(cpu_s=0.002, wait_s=1.0), 1500, 500, 3.0, "event loop"),
        (Server("event-loop"), Workload(wait_s=0.2), 64, 320, 0.2, "users"),
        # Both: 182 of 200.
        (
            Server("prefork", processes=64),
            Workload(cpu_s=0.02, wait_s=0.18),
            40,
            182.5,
            0.219,
            "users",
        ),
    ],
)
def test_what_the_book_says_is_what_is_forecast(server, workload, users, rps, response_s, limit):
    level = one_level(server, workload, users)
    assert level.model_rps == pytest.approx(rps, rel=0.01)
    assert level.model_response_time_s == pytest.approx(response_s, rel=0.01)
    assert level.limit == limit


def test_each_architecture_has_its_model():
    workload = Workload(cpu_s=0.03, wait_s=0.25)
    names, rates = {}, {}
    for server in (
        Server("prefork", processes=32, cores=1),
        Server("threaded", threads=32),
        Server("event-loop"),
    ):
        found = predicted(server, workload, [8])
        names[server.architecture] = found.model
        rates[server.architecture] = found.levels[0].model_rps
    assert names == {
        "prefork": "processor sharing",
        "threaded": "round robin under the interpreter lock",
        "event-loop": "first come, first served",
    }
    assert rates["prefork"] * 1.01 < rates["threaded"] < rates["event-loop"] * 0.99
    assert rates["prefork"] == pytest.approx(queueing.sharing(8, 0.03, 0.25, (1,)))


def test_without_the_interpreter_lock_threads_use_all_cores():
    server, workload = Server("threaded", threads=16), Workload(cpu_s=0.05)
    free = one_level(server, workload, 16, on=machine(gil=False))
    assert (free.model_rps, free.limit) == (pytest.approx(80), "cpu")


def test_the_forecast_counts_overhead_and_lateness():
    found = predicted(
        Server("prefork", processes=8), Workload(cpu_s=0.02, wait_s=0.1), [1], calibration=REAL
    )
    assert found.kind == "forecast"
    assert found.demand_s == pytest.approx(0.0204)
    assert found.wait_s == pytest.approx(0.1001)
    assert found.levels[0].model_rps == pytest.approx(1 / (0.0204 + 0.1001 + 0.0001))


def test_work_takes_as_long_as_inside_the_server():
    """A server whose interpreter runs the loop a tenth slower serves a tenth less, at any load."""
    slower = dataclasses.replace(IDEAL, work_ratio=1.1)
    for server in (Server("prefork", processes=8), Server("event-loop"), Server("threaded")):
        for users in (1, 8):
            usual, slow = (
                one_level(server, Workload(cpu_s=0.05), users, calibration=found).model_rps
                for found in (IDEAL, slower)
            )
            assert usual / slow == pytest.approx(1.1, rel=0.01)
    waits = [
        one_level(Server("event-loop"), Workload(wait_s=0.1), 8, calibration=found).model_rps
        for found in (IDEAL, slower)
    ]
    assert waits[0] == waits[1]


@pytest.mark.parametrize("server", [Server("prefork", processes=8), Server("event-loop")])
def test_the_way_there_and_back_counts_until_the_cores_are_full(server):
    far = dataclasses.replace(IDEAL, overhead_s=0.001, delay_s=0.001)
    near = dataclasses.replace(far, delay_s=0.0)
    alone, crowded = (
        [one_level(server, Workload(), users, calibration=found) for found in (near, far)]
        for users in (1, 64)
    )
    assert alone[0].model_rps / alone[1].model_rps == pytest.approx(2, rel=0.01)
    assert alone[1].model_response_time_s == pytest.approx(0.002, rel=0.01)
    assert crowded[0].model_rps == pytest.approx(crowded[1].model_rps, rel=0.01)


def test_cores_are_those_that_the_server_may_use_and_as_fast_as_burned():
    workload = Workload(cpu_s=0.1)
    for cores, work in ((1, 1.0), (2, 1.9), (3, 2.7), (4, 3.4), (None, 3.4)):
        server = Server("prefork", processes=16, cores=cores)
        calm = dataclasses.replace(REAL, overhead_s=0.0, generator_s=0.0)
        level = one_level(server, workload, 16, calibration=calm)
        assert level.model_rps == pytest.approx(work / 0.1)
    # Noise in the burn is not taken for a core that works backwards or twice.
    noisy = Calibration(loops_per_s=(1e8, 2.2e8, 2.1e8, 3e8), noise_fraction=0.1)
    server = Server("prefork", processes=16)
    assert one_level(server, workload, 2, calibration=noisy).model_rps == pytest.approx(20)
    assert one_level(server, workload, 3, calibration=noisy).model_rps == pytest.approx(21)


# --- the load generator -----------------------------------------------------------------


def test_the_load_generator_shares_the_cores_with_the_server():
    dear = dataclasses.replace(IDEAL, generator_s=0.001)
    two = machine(2)
    work = Workload(cpu_s=0.004)
    both = Calibration(loops_per_s=(1e8, 2e8), noise_fraction=0.0, generator_s=0.001)
    everywhere = predicted(Server("prefork", processes=8), work, [1, 64], calibration=both, on=two)
    assert everywhere.at(1).model_rps == pytest.approx(1 / 0.005)
    assert everywhere.at(64).model_rps == pytest.approx(2 / 0.005, rel=1e-3)
    assert everywhere.at(64).limit == "cpu"
    assert any("load generator uses the same cores" in note for note in everywhere.notes)
    # A server held to one core leaves the other to the generator.
    apart = predicted(Server("prefork", processes=8, cores=1), work, [64], calibration=both, on=two)
    assert apart.at(64).model_rps == pytest.approx(1 / 0.004, rel=1e-3)
    assert not any("load generator" in note for note in apart.notes)
    # One process of one thread can be the limit itself.
    full = one_level(Server("prefork", processes=512), Workload(wait_s=0.1), 512, calibration=dear)
    assert (full.limit, full.model_rps) == ("load generator", pytest.approx(1000, rel=0.01))


def test_on_one_core_the_loop_and_the_generator_take_turns():
    alone = Calibration(loops_per_s=(1e8,), noise_fraction=0.0, generator_s=0.002)
    for server in (Server("event-loop"), Server("threaded", threads=8)):
        level = one_level(server, Workload(cpu_s=0.008), 8, calibration=alone, on=machine(1))
        assert level.model_rps == pytest.approx(100)
        assert level.limit == "cpu"


def test_an_empty_request_costs_what_server_and_generator_spend():
    server = Server("prefork", processes=8)
    level = one_level(server, Workload(), 64, calibration=REAL)
    assert level.limit == "cpu"
    assert level.model_rps == pytest.approx(3.4 / 0.0005, rel=0.01)
    with pytest.raises(Unusable, match=r"cpu_s=0, wait_s=0: .* Run the experiment once"):
        one_level(server, Workload(), 64, calibration=IDEAL)


# --- think time, pools, connections -----------------------------------------------------


def test_thinking_users_ask_less_often():
    # Chapter 4: 1000 users who think for 10 s.
    server = Server("prefork", processes=64)
    level = one_level(server, Workload(cpu_s=0.02), 1000, think_time_s=10.0)
    assert level.limit == "users"
    assert level.model_rps == pytest.approx(99.7, rel=0.005)
    assert level.model_response_time_s == pytest.approx(1000 / level.model_rps - 10)


def test_connections_fall_on_processes_like_coins_until_they_are_counted():
    server, workload = Server("threaded", processes=2, threads=128), Workload(wait_s=0.2)
    found = predicted(server, workload, [256])
    assert 1200 < found.at(256).model_rps < 1270
    assert any("like coins" in note for note in found.notes)
    # Counted, every split has its own throughput (FACTS: within 0.5 % of these).
    experiment = Experiment(server, workload, Load([256]))
    for split, rps in (((54, 202), 910), ((126, 130), 1270)):
        point = measured(256, 0.0, dict(zip("ab", split, strict=True)))
        found = explain(experiment, [point], IDEAL, machine())
        assert found.kind == "explanation"
        assert found.at(256).model_rps == pytest.approx(rps, rel=0.01)
    # Users that both processes served were not pinned: back to coins.
    point = measured(256, 0.0, {"a": 200, "b": 220})
    back = explain(experiment, [point], IDEAL, machine())
    assert back.at(256).model_rps == pytest.approx(found.at(256).model_rps, rel=0.1)


def test_pools_of_free_threads_share_all_cores():
    # The same split without the lock: 54 + 128 requests in service, on four cores together.
    server, workload = (
        Server("threaded", processes=2, threads=128),
        Workload(cpu_s=0.01, wait_s=0.2),
    )
    experiment = Experiment(server, workload, Load([256]))
    point = measured(256, 0.01, {"a": 54, "b": 202})
    found = explain(experiment, [point], IDEAL, machine(gil=False)).at(256)
    assert found.model_rps == pytest.approx(
        queueing.sharing(182, 0.01, 0.2, (1.0, 2.0, 3.0, 4.0)), rel=1e-6
    )


def test_our_own_threads_have_one_listen_queue():
    scratch = Server("threaded", by="scratch", processes=2, threads=4)
    gunicorn = Server("threaded", processes=2, threads=4)
    workload = Workload(wait_s=0.2)
    assert one_level(scratch, workload, 16).model_rps == pytest.approx(40, rel=0.01)
    assert one_level(gunicorn, workload, 8).model_rps < 38
    assert one_level(scratch, workload, 9, keep_alive=False).model_rps == pytest.approx(
        40, rel=0.01
    )


def test_two_loops_are_two_queues():
    workload = Workload(cpu_s=0.01, wait_s=0.1)
    one = one_level(Server("event-loop"), workload, 64)
    two = one_level(Server("event-loop", processes=2), workload, 64)
    assert one.model_rps == pytest.approx(100, rel=0.01)
    assert two.model_rps == pytest.approx(200, rel=0.01)
    assert two.limit == "event loop"
    # More loops than cores share the cores.
    many = one_level(Server("event-loop", processes=16), workload, 256)
    assert many.model_rps == pytest.approx(400, rel=0.01)
    assert many.limit == "cpu"


def test_a_worker_that_stays_with_its_connection_thinks_along():
    workload = Workload(wait_s=0.2)
    apache = Server("prefork", by="apache", processes=16)
    found = predicted(apache, workload, [64], think_time_s=0.3)
    assert found.at(64).model_rps == pytest.approx(16 / 0.5, rel=0.01)
    assert found.at(64).limit == "pool"
    gunicorn = predicted(Server("prefork", processes=16), workload, [64], think_time_s=0.3)
    assert gunicorn.at(64).model_rps == pytest.approx(16 / 0.2, rel=0.02)
    assert not gunicorn.notes
    ours = predicted(
        Server("prefork", by="scratch", processes=16), workload, [64], think_time_s=0.3
    )
    assert any("stands idle while that user thinks" in note for note in ours.notes)


def test_a_slot_per_connection_and_a_slot_per_request():
    """Apache's prefork and worker hold a slot as long as a connection lasts, its event MPM and
    php-fpm only for a request; all processes of Apache share one queue."""
    workload, pool = Workload(wait_s=0.2), {"processes": 4, "threads": 4}
    rates, notes = {}, {}
    for by in ("apache-worker", "apache-event"):
        for keep_alive in (True, False):
            server = Server("threaded", by=by, keep_alive=keep_alive, **pool)
            found = predicted(
                server, workload, [64], think_time_s=0.3, keep_alive=keep_alive, on=machine(4)
            )
            rates[by, keep_alive], notes[by, keep_alive] = found.at(64).model_rps, found.notes
    assert rates.pop(("apache-worker", True)) == pytest.approx(16 / 0.5, rel=0.01)
    assert list(rates.values()) == pytest.approx([16 / 0.2] * 3, rel=0.02)
    assert "of 64 users 48 get nothing" in " ".join(notes.pop(("apache-worker", True)))
    assert not any(notes.values())  # nobody is said to fall like a coin

    split = measured(16, 0.0, {"1": 9, "2": 7})  # php-fpm's processes, or none: no pools
    server = Server("threaded", by="apache-event", **pool)
    experiment = Experiment(server, workload, Load([16]))
    (level,) = explain(experiment, [split], IDEAL, machine(4)).levels
    assert level.model_rps == pytest.approx(16 / 0.2, rel=0.01)


def test_node_deals_its_connections_out_in_turn():
    workload, here = Workload(cpu_s=0.05), machine(4)
    dealt = one_level(Server("event-loop", by="node", processes=4), workload, 4, on=here)
    fallen = one_level(Server("event-loop", processes=4), workload, 4, on=here)
    assert dealt.model_rps == pytest.approx(80, rel=0.01)
    assert fallen.model_rps < 0.8 * dealt.model_rps


def test_what_finds_the_queue_of_php_fpm_full_is_answered_at_once():
    server = Server("prefork", by="nginx-fpm", processes=16, backlog=16)
    (note,) = predicted(server, Workload(wait_s=0.2), [64]).notes
    assert note.endswith("nginx answers the others at once with 502.")


def test_a_listen_queue_that_is_too_short_is_told():
    short = predicted(Server("prefork", processes=16, backlog=16), Workload(wait_s=0.2), [64])
    assert any("come back only after one or more seconds" in note for note in short.notes)
    assert short.at(64).model_rps == pytest.approx(80)
    for server in (
        Server("prefork", processes=16, backlog=64),
        Server("threaded", threads=16, backlog=16),
        Server("event-loop", backlog=16),
    ):
        assert not predicted(server, Workload(wait_s=0.2), [64]).notes


# --- users in step, quotas --------------------------------------------------------------


def test_constant_times_have_a_lower_bound():
    server = Server("prefork", processes=64)
    constant = Workload(cpu_s=0.02, wait_s=0.18, wait_cv=0.0)
    found = predicted(server, constant, [1, 4, 40])
    assert 100 < found.at(40).lower_rps < 110
    assert found.at(4).lower_rps == pytest.approx(20, rel=0.01)
    assert any("fall in step" in note for note in found.notes)
    for other in (
        Workload(cpu_s=0.02, wait_s=0.18),
        Workload(cpu_s=0.02, wait_cv=0.0),
        Workload(wait_s=0.18, wait_cv=0.0),
        Workload(cpu_s=0.02, cpu_cv=0.5, wait_s=0.18, wait_cv=0.0),
    ):
        assert one_level(server, other, 40).lower_rps is None
    loop = one_level(Server("event-loop"), constant, 8)
    assert loop.lower_rps == pytest.approx(8 / (0.18 + 8 * 0.02))


def test_a_quota_caps_small_requests_and_slows_large_ones():
    burned = Calibration(loops_per_s=(1e8, 1.5e8), noise_fraction=0.0)
    half = {"calibration": burned, "on": machine(2, quota=1.5, logical=8)}
    server = Server("prefork", processes=64)
    small = Workload(cpu_s=0.02, wait_s=0.1)
    assert one_level(server, small, 1, **half).model_rps == pytest.approx(1 / 0.12)
    assert one_level(server, small, 64, **half).model_rps == pytest.approx(75)
    assert one_level(server, small, 64, **half).limit == "cpu"
    # Eight cores at full speed, where 1.5 slow ones would have made it 67.
    assert one_level(server, small, 9, **half).model_rps == pytest.approx(
        queueing.sharing(9, 0.02, 0.1, tuple(range(1, 9))), rel=1e-6
    )
    large = Workload(cpu_s=0.3, wait_s=0.3)
    assert one_level(server, large, 3, **half).model_rps == pytest.approx(
        queueing.sharing(3, 0.3, 0.3, (1.0, 1.5))
    )
    between = predicted(server, Workload(cpu_s=0.1, wait_s=0.1), [3], **half)
    assert any("between two rules" in note for note in between.notes)
    low, high = (queueing.sharing(3, 0.1, 0.1, c) for c in ((1.0, 1.5), tuple(range(1, 9))))
    assert low < between.at(3).model_rps < min(high, 15)
    # Half a core: an event loop of large requests runs at half speed.
    slow = {"calibration": IDEAL, "on": machine(1, quota=0.5, logical=4)}
    level = one_level(Server("event-loop"), Workload(cpu_s=0.3, wait_s=0.6), 1, **slow)
    assert level.model_rps == pytest.approx(1 / 1.2, rel=0.01)
    # A quota as large as the machine is none.
    assert not predicted(server, small, [9], on=machine(4, quota=4.0)).notes


# --- explanations -----------------------------------------------------------------------


def test_an_explanation_takes_each_levels_own_demand_and_whole_cores():
    experiment = Experiment(Server("prefork", processes=16), Workload(cpu_s=0.05), Load([1, 4, 16]))
    points = [measured(1, 0.06), measured(4, 0.055), measured(16, 0.058)]
    calm = dataclasses.replace(REAL, generator_s=0.0)
    found = explain(experiment, points, calm, machine())
    assert [level.users for level in found.levels] == [1, 4, 16]
    rates = [level.model_rps for level in found.levels]
    assert rates == pytest.approx([1 / 0.06, 4 / 0.055, 4 / 0.058])
    assert found.demand_s == 0.058
    # A level where nothing ended has no demand: the forecast's stands in.
    empty = explain(experiment, [measured(16, 0.0)], calm, machine())
    assert empty.at(16).model_rps == pytest.approx(4 / 0.0504)


def test_a_forecast_can_be_written_down():
    # JSON has no infinity, and a recording must survive.
    servers = [Server("prefork", processes=4), Server("threaded", threads=4), Server("event-loop")]
    workloads = [Workload(cpu_s=cpu, wait_s=wait) for cpu in (0.0, 0.02) for wait in (0.0, 0.2)]
    for server, workload in itertools.product(servers, workloads):
        for level in predicted(server, workload, [1, 32], calibration=REAL).levels:
            assert math.isfinite(level.bound_rps)
            assert math.isfinite(level.model_rps)
            assert level.model_response_time_s > 0


# --- all at once ------------------------------------------------------------------------


def test_every_forecast_keeps_to_its_bounds():
    dice = random.Random(7)
    for _ in range(60):
        architecture = dice.choice(["prefork", "prefork", "threaded", "event-loop"])
        server = Server(
            architecture,
            by=dice.choice(["", "scratch"]),
            processes=dice.choice([1, 2, 8]),
            threads=dice.choice([1, 8]) if architecture == "threaded" else 1,
            cores=dice.choice([None, None, 1, 2]),
        )
        workload = Workload(
            cpu_s=dice.choice([0.0, 0.005, 0.05, 0.3]),
            wait_s=dice.choice([0.0, 0.05, 0.3]),
            cpu_cv=dice.choice([0.0, 0.0, 1.0]),
            wait_cv=dice.choice([0.0, 0.1, 1.0]),
        )
        on = machine(4, gil=dice.random() < 0.7, quota=dice.choice([None, None, 2.5]))
        found = predicted(
            server,
            workload,
            [1, 5, 60],
            calibration=REAL,
            on=on,
            think_time_s=dice.choice([0.0, 0.0, 0.5]),
        )
        rates = [level.model_rps for level in found.levels]
        for level in found.levels:
            assert 0 < level.model_rps <= level.bound_rps * (1 + 1e-9)
            assert level.lower_rps is None or 0 < level.lower_rps <= level.model_rps
            assert level.limit in {
                "users",
                "cpu",
                "pool",
                "event loop",
                "interpreter lock",
                "load generator",
            }
            # No more is in the system than there are users.
            assert level.model_response_time_s >= 0
        assert rates[0] * 0.99 <= rates[1] <= rates[2] * 1.02  # simulations have some noise
        assert found.levels[0].model_rps >= 0.9 * found.levels[0].bound_rps  # a user alone


def test_the_answer_is_kept_for_the_next_slide_of_a_slider():
    simulate.cache_clear()
    for _ in range(2):
        predicted(
            Server("event-loop"), Workload(cpu_s=0.02, wait_s=0.18), [1, 8, 64], calibration=REAL
        )
    assert simulate.cache_info().misses == 3
    assert simulate.cache_info().hits == 3
