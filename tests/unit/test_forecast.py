"""Which model an experiment gets, what it says, and that it keeps to its bounds."""

import dataclasses
import itertools
import math
import random
import sys

import examples
import pytest

from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload
from labs.records.results import Calibration
from labs.theory import queueing
from labs.theory.band import A_CORE_EACH, AT_THE_KNEE
from labs.theory.forecast import explain, forecast
from labs.theory.server_model import ServerModel
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
    return dataclasses.replace(
        examples.MACHINE, cores=cores, logical_cores=logical or cores, quota_cores=quota, gil=gil
    )


def predicted(
    server, workload, users, *, calibration=IDEAL, on=None, think_time_s=0.0, keep_alive=True
):
    load = Load(users, think_time_s=think_time_s, keep_alive=keep_alive)
    return forecast(Experiment(server, workload, load), calibration, on or machine())


def one_level(server, workload, users, **options):
    return predicted(server, workload, [users], **options).levels[0]


def measured(users, demand_s, connections=()):
    fell = dict(zip("ab", connections, strict=False))
    return dataclasses.replace(examples.point(users), demand_s=demand_s, connections=fell)


# --- the answers of the book ------------------------------------------------------------


def prefork(processes, **more):
    return Server("prefork", processes=processes, **more)


def threaded(threads, **more):
    return Server("threaded", threads=threads, **more)


def loop(processes=1, **more):
    return Server("event-loop", processes=processes, **more)


def of(cpu_ms=0, wait_ms=0, **more):
    return Workload(cpu_s=cpu_ms / 1000, wait_s=wait_ms / 1000, **more)


ONE_CORE = Calibration(loops_per_s=(1e8,), noise_fraction=0.0, generator_s=0.002)
NODE = loop(4, by="node")
OURS = threaded(4, processes=2, by="scratch")
HELD = prefork(4, by="apache", keep_alive=0.2)
CLOSED = {"keep_alive": False}
LENT, LATE = "connections", {"calibration": dataclasses.replace(IDEAL, timer_s=0.05)}
FOUR_LENT = of(0, 100, wait_by=LENT, connections=4)
BLOCKED = of(10, 40, wait_by="blocking", wait_cv=0.5)
HASHED, ASKED = of(50, cpu_by="hashing"), of(0, 200, wait_by="backend")


@pytest.mark.parametrize(
    ("server", "workload", "users", "rps", "response_s", "limit", "options"),
    [
        # S1: 200 ms of CPU, four cores.
        (prefork(8), of(200), 1, 5, 0.2, "users", {}),
        (prefork(8), of(200), 4, 20, 0.2, "users", {}),
        (prefork(8), of(200), 8, 20, 0.4, "cpu", {}),
        # One worker, many cores, and how many workers.
        (prefork(1), of(20), 8, 50, 0.16, "pool", {}),
        (prefork(16), of(50), 16, 80, 0.2, "cpu", {}),
        (prefork(2), of(50), 16, 40, 0.4, "pool", {}),
        (threaded(16), of(50), 16, 20, 0.8, "interpreter lock", {}),
        (threaded(16), of(50), 16, 80, 0.2, "cpu", {"on": machine(gil=False)}),
        # S2: 200 ms of waiting, a pool of 256.
        (prefork(256), of(0, 200), 128, 640, 0.2, "users", {}),
        (prefork(256), of(0, 200), 512, 1280, 0.4, "pool", {}),
        # S5, and MaxRequestWorkers.
        (threaded(25), of(0, 500), 100, 50, 2.0, "pool", {}),
        (prefork(256), of(0, 500), 1024, 512, 2.0, "pool", {}),
        # The event loop's ceiling; two loops are two queues, and many loops share the cores.
        (loop(), of(2, 1000), 1500, 500, 3.0, "event loop", {}),
        (loop(), of(0, 200), 64, 320, 0.2, "users", {}),
        (loop(), of(10, 100), 64, 100, 0.64, "event loop", {}),
        (loop(2), of(10, 100), 64, 200, 0.32, "event loop", {}),
        (loop(16), of(10, 100), 256, 400, 0.64, "cpu", {}),
        # Node deals its connections out in turn.
        (NODE, of(50), 4, 80, 0.05, "users", {}),
        # Both: 182 of 200, and less where waits hardly vary, as newcomers overtake.
        (prefork(64), of(20, 180, wait_cv=0.5), 40, 182.5, 0.219, "users", {}),
        (prefork(64), of(20, 180), 40, 182.5, 0.219, "users", {}),
        # Chapter 4: 1000 users who think for 10 s.
        (prefork(64), of(20), 1000, 99.78, 0.0217, "users", {"think_time_s": 10.0}),
        # A worker that stays for 0.2 s with users who think for 1 s idles 0.18 s: 4/(0.1 + 0.18).
        (HELD, of(0, 100), 32, 14.22, 1.25, "pool", {"think_time_s": 1.0}),
        # On one core the loop, or the lock's holder, and the generator take turns.
        (loop(), of(8), 8, 100, 0.08, "cpu", {"calibration": ONE_CORE, "on": machine(1)}),
        (threaded(8), of(8), 8, 100, 0.08, "cpu", {"calibration": ONE_CORE, "on": machine(1)}),
        # An empty request costs what server and generator spend, seen with the cores busy.
        (prefork(8), of(), 64, 8000, 64 / 8000, "cpu", {"calibration": REAL}),
        # One listen queue for all: our own threads, and who closes each connection.
        (prefork(16, backlog=16), of(0, 200), 64, 80, 0.8, "pool", {}),
        (OURS, of(0, 200), 9, 40, 9 / 40, "pool", CLOSED),
        (OURS, of(0, 200), 16, 40, 0.4, "pool", {}),
        # The lower of two pools; each process has connections of its own, a loop needs only one.
        (threaded(16), FOUR_LENT, 2, 20, 0.1, "users", {}),
        (threaded(16), FOUR_LENT, 8, 40, 0.2, "connections", {}),
        (threaded(16), FOUR_LENT, 64, 40, 1.6, "connections", {}),
        (threaded(64), FOUR_LENT, 64, 40, 1.6, "connections", {}),
        (threaded(16), of(0, 100, wait_by=LENT, connections=8), 64, 80, 0.8, "connections", {}),
        (threaded(16), of(0, 100, wait_by=LENT, connections=16), 64, 160, 0.4, "pool", {}),
        (threaded(16, processes=2), FOUR_LENT, 64, 80, 0.8, "connections", {}),
        (prefork(8), of(0, 100, wait_by=LENT, connections=1), 64, 80, 0.8, "pool", {}),
        (loop(), FOUR_LENT, 64, 10, 6.4, "event loop", {}),
        # A blocked loop serves one request after another: 1 / (D + V), for each loop.
        (loop(), BLOCKED, 1, 20, 0.05, "users", {}),
        (loop(), BLOCKED, 2, 20, 0.1, "event loop", {}),
        (loop(), BLOCKED, 16, 20, 0.8, "event loop", {}),
        (loop(3), BLOCKED, 48, 60, 0.8, "event loop", {}),
        # Threads that hash share the cores, those that count do not.
        (threaded(16), HASHED, 1, 20, 0.05, "users", {}),
        (threaded(16), HASHED, 2, 40, 0.05, "users", {}),
        (threaded(16), HASHED, 4, 80, 0.05, "users", {}),
        (threaded(16), HASHED, 16, 80, 0.2, "cpu", {}),
        (threaded(16), of(50), 2, 20, 0.1, "interpreter lock", {}),
        # A backend is a wait as late as its answers are.
        (prefork(16), ASKED, 8, 32, 0.25, "users", LATE),
        (prefork(16), ASKED, 64, 64, 1.0, "pool", LATE),
    ],
)
def test_what_the_book_says_is_what_is_forecast(
    server, workload, users, rps, response_s, limit, options
):
    level = one_level(server, workload, users, **options)
    assert level.model_rps == pytest.approx(rps, rel=0.01)
    assert level.model_response_time_s == pytest.approx(response_s, rel=0.01)
    assert level.limit == limit


@pytest.mark.parametrize("server", [prefork(8), threaded(8)])
def test_a_blocking_wait_is_a_sleep_where_no_loop_waits(server):
    slept = dataclasses.replace(BLOCKED, wait_by="sleep")
    assert predicted(server, BLOCKED, [1, 8, 16]) == predicted(server, slept, [1, 8, 16])


def test_kinds_of_work_and_wait_at_their_limits():
    loops, pool = (one_level(server, BLOCKED, 256) for server in (loop(16), prefork(16)))
    assert (loops.model_rps, loops.limit) == (pool.model_rps, "event loop")
    assert one_level(prefork(16), HASHED, 8) == one_level(prefork(16), of(50), 8)
    busy = dataclasses.replace(IDEAL, overhead_s=0.001)
    locked = one_level(threaded(16), of(0.1, cpu_by="hashing"), 16, calibration=busy)
    assert locked.limit == "interpreter lock" and locked.model_rps <= 1000  # though it hashes
    backend = one_level(loop(), of(0.5, 200, wait_by="backend"), 1024, **LATE)
    assert backend.model_rps == pytest.approx(2000, rel=0.03)  # 1 / D: it has cores left


@pytest.mark.parametrize(
    ("cpu_ms", "limit", "least", "most"),
    [(50, "interpreter lock", 0, 20), (10, "connections", 36, 40)],
)
def test_threads_with_a_connection_idle_beside_those_that_compute(cpu_ms, limit, least, most):
    level = one_level(threaded(16), of(cpu_ms, 100, wait_by=LENT, connections=4), 64)
    assert level.limit == limit and least < level.model_rps <= most


def test_each_architecture_has_its_model():
    servers = (prefork(32, cores=1), threaded(32), loop())
    one, *others = (predicted(server, of(30, 250), [8]) for server in servers)
    shared, rounds, in_turn = (found.at(8).model_rps for found in (one, *others))
    assert shared * 1.01 < rounds < in_turn * 0.99
    assert shared == pytest.approx(queueing.sharing(8, 0.03, 0.25, (1,)))
    switched = sys.getswitchinterval()
    assert rounds == simulate(8, 0.03, 0.25, wait_cv=0.1, W=32, interval=switched)


def test_the_forecast_counts_overhead_and_lateness():
    found = predicted(prefork(8), of(20, 100), [1], calibration=REAL)
    assert (found.demand_s, found.wait_s) == pytest.approx((0.0204, 0.1001))
    assert found.at(1).model_rps == pytest.approx(1 / (0.0204 + 0.1001 + 0.0001))


def test_work_takes_as_long_as_inside_the_server():
    """A server whose interpreter runs the loop a tenth slower serves a tenth less, at any load."""
    slower = dataclasses.replace(IDEAL, work_ratio=1.1)

    def ratio(server, workload, users):
        usual, slow = (
            one_level(server, workload, users, calibration=found).model_rps
            for found in (IDEAL, slower)
        )
        return usual / slow

    for server, users in itertools.product((prefork(8), loop(), Server("threaded")), (1, 8)):
        assert ratio(server, of(50), users) == pytest.approx(1.1, rel=0.01)
    assert ratio(loop(), of(0, 100), 8) == 1


@pytest.mark.parametrize("server", [prefork(8), loop()])
def test_the_way_there_and_back_counts_until_the_cores_are_full(server):
    far = dataclasses.replace(IDEAL, overhead_s=0.001, delay_s=0.001)
    near = dataclasses.replace(far, delay_s=0.0)
    alone, crowded = (
        [one_level(server, of(), users, calibration=found) for found in (near, far)]
        for users in (1, 64)
    )
    assert alone[0].model_rps / alone[1].model_rps == pytest.approx(2, rel=0.01)
    assert alone[1].model_response_time_s == pytest.approx(0.002, rel=0.01)
    assert crowded[0].model_rps == pytest.approx(crowded[1].model_rps, rel=0.01)


CALM = dataclasses.replace(REAL, overhead_s=0.0, generator_s=0.0)
NOISY = Calibration(loops_per_s=(1e8, 2.2e8, 2.1e8, 3e8), noise_fraction=0.1)


@pytest.mark.parametrize(
    ("cores", "users", "calibration", "rps"),
    [
        *[(cores, 16, CALM, rps) for cores, rps in ((1, 10), (2, 19), (3, 27), (4, 34))],
        (None, 16, CALM, 34),
        # Noise in the burn is not taken for a core that works backwards or twice.
        (None, 2, NOISY, 20),
        (None, 3, NOISY, 21),
    ],
)
def test_cores_are_those_that_the_server_may_use_and_as_fast_as_burned(
    cores, users, calibration, rps
):
    level = one_level(prefork(16, cores=cores), of(100), users, calibration=calibration)
    assert level.model_rps == pytest.approx(rps)


# --- c and D: logical cores, and D with as many of them busy ------------------------------

SMT = Calibration(  # four cores of two hyper-threads: five cores' worth of work
    loops_per_s=tuple(1e8 * worth for worth in (1, 2, 3, 4, 4.25, 4.5, 4.75, 5)),
    noise_fraction=0.0,
)
BIG_AND_SMALL = Calibration(loops_per_s=(1e8, 2e8, 2.6e8, 3.2e8), noise_fraction=0.0)
SEEN = dataclasses.replace(SMT, crowd_ratio=1.1, spread=0.03, use=0.97, generator_s=0.001)


@pytest.mark.parametrize(
    ("calibration", "cores", "full_s"), [(SMT, 8, 0.08), (BIG_AND_SMALL, 4, 0.0625)]
)
def test_cores_that_share_parts_are_counted_once(calibration, cores, full_s):
    """A request of 50 ms costs 80 of CPU where all 8 logical cores are busy: 8 / 0.08 is as much
    as 5 / 0.05, and the explanation with the measured 80 ms says the same. 5 / 0.08 is neither."""
    options = {"calibration": calibration, "on": machine(cores)}
    found = predicted(prefork(64), of(50), [1, cores, 4 * cores], **options)
    assert found.at(1).model_rps == pytest.approx(20)
    assert [level.demand_s for level in found.levels] == pytest.approx([0.05, full_s, full_s])
    assert found.at(1).demand_s == 0.05 and found.demand_s == pytest.approx(full_s)
    assert found.at(4 * cores).model_rps == pytest.approx(cores / full_s)
    experiment = Experiment(prefork(64), of(50), Load([4 * cores]))
    (level,) = explain(
        ServerModel(experiment, calibration, machine(cores)), [measured(4 * cores, full_s)]
    ).levels
    assert level.model_rps == pytest.approx(found.at(4 * cores).model_rps)


@pytest.mark.parametrize("off", [0.5, 1.0, 1.8])
def test_a_warm_up_whose_halves_have_nothing_in_common_still_bounds(off):
    """A machine that was taken away for half of it: kept, and asked about from then on."""
    found = dataclasses.replace(SEEN, spread=off)
    found = predicted(prefork(64), of(50), [1, 4, 64], calibration=found, on=machine(8))
    for level in found.levels:
        low, high = level.bound_ci_rps
        assert 0 < low < level.bound_rps < high < math.inf
    if off > 0.9:  # a tenth of the CPU time is left of it, and all of the load generator's
        assert high == pytest.approx(0.97 * 8 / (0.1 * level.demand_s + 0.001))


def test_demand_goes_from_the_lone_users_to_the_crowds_by_the_busy_cores():
    """A user alone keeps a core busy for D of D + V + Z + delay + g, here a fourth of the time."""
    far = {"generator_s": 0.02, "delay_s": 0.05, "overhead_s": 0.0, "timer_s": 0.0}
    crowd = {"crowd_ratio": 1.2, "spread": 0.2}
    found = dataclasses.replace(REAL, **far, **crowd)
    experiment = Experiment(prefork(64), of(50, 30), Load([1], think_time_s=0.05))
    model = ServerModel(experiment, found, machine())
    for users, busy in ((1, 0.25), (3, 0.75), (6, 1.5), (10, 2.5), (16, 4.0), (64, 4.0)):
        D, crowded = model.demand(users), (busy - 0.25) / 3.75
        assert D.expected == pytest.approx(found.demand_s(0.05, busy, crowded))
        by_busy = [found.demand_s(0.05, cores, crowded) for cores in (1, 2, 3, 4)]
        assert D.by_busy == pytest.approx(by_busy) and D.least == pytest.approx(min(0.05, *by_busy))
        assert D.spread == 0.2


def test_what_the_crowd_saw_is_what_the_cores_can_do():
    """X <= c use / (D + g), with D = 10 % above the burn's eight and 97 % of the cores' time."""
    found = predicted(prefork(64), of(50), [1, 4, 64], calibration=SEEN, on=machine(8))
    one, four, full = found.levels
    bound = 0.97 * 8 / (0.05 * 1.76 + 0.001)
    assert full.bound_rps == pytest.approx(bound) and full.limit == "cpu"
    assert full.model_rps == pytest.approx(bound, rel=0.01)
    low, high = full.bound_ci_rps
    assert high / bound == pytest.approx(1 / 0.97, rel=0.002) and low < bound < high
    # One user is a lone user, whatever the crowd; between them it goes by the busy cores.
    assert one.demand_s == 0.05 and one.bound_ci_rps[1] == pytest.approx(1 / (0.97 * 0.05 + 0.001))
    assert 0.05 < four.demand_s < 0.05 * 1.1
    # What was not seen has no interval: burns alone.
    burned = predicted(prefork(64), of(50), [64], calibration=SMT, on=machine(8))
    assert burned.at(64).bound_ci_rps is None


def test_a_busy_loop_is_as_fast_as_its_crowd_was_and_an_idle_one_as_its_lone_user():
    """A loop that naps between requests is slower (here 10 %) than one that is always busy."""
    naps = dataclasses.replace(IDEAL, work_ratio=1.1, crowd_ratio=1.0)
    for server in (loop(), prefork(1), threaded(8)):
        one, two, many = (
            one_level(server, of(50), users, calibration=naps) for users in (1, 2, 16)
        )
        assert one.model_rps == pytest.approx(20 / 1.1)
        assert [two.model_rps, many.model_rps] == pytest.approx([20, 20], rel=0.01)
        assert [level.demand_s for level in (one, two, many)] == pytest.approx([0.055, 0.05, 0.05])
    # One worker whose requests wait naps as often, however many users stand in line.
    assert one_level(prefork(1), of(50, 50), 16, calibration=naps).demand_s == pytest.approx(0.055)


def test_a_quota_below_one_core_counts_once():
    """Burned by CPU seconds a core of which half may be used has its full speed."""
    half = Calibration(loops_per_s=(1e8,), noise_fraction=0.0, use=0.5)
    level = one_level(prefork(4), of(50), 8, calibration=half, on=machine(1, quota=0.5, logical=4))
    assert level.model_rps == pytest.approx(0.5 / 0.05)
    assert half.capacity == (0.5,)


def test_a_server_s_own_quota_holds_the_server_alone():
    """An eighth of a core for 30 ms: 4.2 a second of however many users; and twenty times as dear
    a load generator takes nothing from it."""
    held = dataclasses.replace(prefork(4), quota=0.125)
    for g in (1e-4, 2e-3):
        dear = dataclasses.replace(IDEAL, generator_s=g)
        level = one_level(held, of(30), 8, calibration=dear)
        assert level.model_rps == pytest.approx(0.125 / 0.03)
        assert (level.bound_rps, level.limit) == (pytest.approx(0.125 / 0.03), "cpu")
        said = predicted(held, of(30), [8], calibration=dear).notes
        assert not any("load generator" in note for note in said)
    # The tighter of two counts, and one that is no limit is none.
    dear = dataclasses.replace(IDEAL, generator_s=0.002)
    container = one_level(held, of(30), 8, calibration=dear, on=machine(1, quota=0.1, logical=4))
    assert container.model_rps == pytest.approx(0.1 / 0.032)
    wide = one_level(dataclasses.replace(prefork(4), quota=8.0), of(30), 8)
    assert wide == one_level(prefork(4), of(30), 8)


# --- the load generator -----------------------------------------------------------------


def test_the_load_generator_shares_the_cores_with_the_server():
    dear = dataclasses.replace(IDEAL, generator_s=0.001)
    both = {"calibration": dataclasses.replace(dear, loops_per_s=(1e8, 2e8)), "on": machine(2)}
    everywhere = predicted(prefork(8), of(4), [1, 64], **both)
    assert everywhere.at(1).model_rps == pytest.approx(1 / 0.005)
    assert everywhere.at(64).model_rps == pytest.approx(2 / 0.005, rel=1e-3)
    assert everywhere.at(64).limit == "cpu"
    assert any("load generator uses the same cores" in note for note in everywhere.notes)
    # A server held to one core leaves the other to the generator.
    apart = predicted(prefork(8, cores=1), of(4), [64], **both)
    assert apart.at(64).model_rps == pytest.approx(1 / 0.004, rel=1e-3)
    assert not any("load generator" in note for note in apart.notes)
    # One process of one thread can be the limit itself.
    full = one_level(prefork(512), of(0, 100), 512, calibration=dear)
    assert (full.limit, full.model_rps) == ("load generator", pytest.approx(1000, rel=0.01))


@pytest.mark.parametrize(
    ("server", "work"), [(loop(), of(0.5)), (prefork(64), of(0, 0.5, wait_by="lock"))]
)
def test_two_load_generators_do_twice_as_much(server, work):
    dear = dataclasses.replace(IDEAL, generator_s=0.002)
    for generators in (1, 2):
        experiment = Experiment(server, work, Load([64], generators=generators))
        level = forecast(experiment, dear, machine()).levels[0]
        assert level.limit == "load generator"
        assert level.model_rps == pytest.approx(generators / 0.002, rel=0.01)


def test_an_empty_request_without_a_cost_is_refused():
    with pytest.raises(Unusable, match=r"cpu_s=0, wait_s=0: .* A run with waiting alone measures"):
        one_level(prefork(8), of(), 64, calibration=IDEAL)


# --- think time, pools, connections -----------------------------------------------------


def test_connections_fall_on_processes_like_coins_until_they_are_counted():
    server, workload = threaded(128, processes=2), of(0, 200)
    coins = predicted(server, workload, [256])
    assert 1200 < coins.at(256).model_rps < 1270
    assert any("like coins" in note for note in coins.notes)
    experiment = Experiment(server, workload, Load([256]))
    for split, rps, close in (
        ((54, 202), 910, 0.01),  # counted, every split has its own throughput
        ((126, 130), 1270, 0.01),
        ((200, 220), coins.at(256).model_rps, 1e-6),  # both served some: back to coins
    ):
        found = explain(ServerModel(experiment, IDEAL, machine()), [measured(256, 0.0, split)])
        assert found.at(256).model_rps == pytest.approx(rps, rel=close)


def test_pools_of_free_threads_share_all_cores():
    # The same split without the lock: 54 + 128 requests in service, on four cores together.
    experiment = Experiment(threaded(128, processes=2), of(10, 200, wait_cv=0.5), Load([256]))
    point = measured(256, 0.01, (54, 202))
    found = explain(ServerModel(experiment, IDEAL, machine(gil=False)), [point]).at(256)
    assert found.model_rps == pytest.approx(
        queueing.sharing(182, 0.01, 0.2, (1.0, 2.0, 3.0, 4.0)), rel=1e-6
    )


def test_a_slot_per_connection_and_a_slot_per_request():
    """Apache's prefork and worker hold a slot as long as a connection lasts, its event MPM and
    php-fpm only for a request; all processes of Apache share one queue."""
    kept, *others = (
        predicted(
            threaded(4, processes=4, by=by, keep_alive=keep_alive),
            of(0, 200),
            [64],
            think_time_s=0.3,
            keep_alive=keep_alive,
        )
        for by in ("apache-worker", "apache-event")
        for keep_alive in (True, False)
    )
    assert kept.at(64).model_rps == pytest.approx(16 / 0.5, rel=0.01)
    assert kept.at(64).limit == "pool"
    assert "of 64 users 48 get nothing" in " ".join(kept.notes)
    for each in others:
        assert each.at(64).model_rps == pytest.approx(16 / 0.2, rel=0.02)
        assert not each.notes  # nobody is said to fall like a coin
    # php-fpm's processes, or none: no pools.
    server = threaded(4, processes=4, by="apache-event")
    experiment = Experiment(server, of(0, 200), Load([16]))
    (level,) = explain(
        ServerModel(experiment, IDEAL, machine()), [measured(16, 0.0, (9, 7))]
    ).levels
    assert level.model_rps == pytest.approx(16 / 0.2, rel=0.01)


# --- users in step, quotas --------------------------------------------------------------


def test_constant_times_have_a_lower_bound():
    constant = of(20, 180, wait_cv=0.0)
    found = predicted(prefork(64), constant, [1, 4, 40])
    assert 100 < found.at(40).lower_rps < 110
    assert found.at(4).lower_rps == pytest.approx(20, rel=0.01)
    assert any("fall in step" in note for note in found.notes)
    nearly = one_level(prefork(64), of(20, 180), 40)
    assert (nearly.lower_by, found.at(40).model_rps) == (
        "users in step",
        pytest.approx(queueing.sharing(40, 0.02, 0.18, (1, 2, 3, 4))),
    )
    assert 1.1 * found.at(40).lower_rps < nearly.lower_rps < 0.8 * nearly.model_rps
    halfway = one_level(prefork(64), of(20, 180, wait_cv=0.25), 40)
    assert 2 * halfway.lower_rps == pytest.approx(halfway.model_rps + found.at(40).lower_rps)
    few = one_level(prefork(64), of(20, 180), 19)  # who leave more than half of the cores idle
    assert few.lower_rps is None
    for other in (
        of(20, 180, wait_cv=0.5),
        of(20, wait_cv=0.0),
        of(0, 180, wait_cv=0.0),
        of(20, 180, cpu_cv=0.5, wait_cv=0.0),
    ):
        level = one_level(prefork(64), other, 40)
        assert level.lower_rps is None or level.lower_by != "users in step"
    assert one_level(loop(), constant, 8).lower_rps == pytest.approx(8 / (0.18 + 8 * 0.02))
    way = dataclasses.replace(IDEAL, generator_s=0.0005)  # on it nothing varies
    half = predicted(prefork(20), of(20, 180, wait_cv=0.5), [60], calibration=way, on=machine(2))
    assert half.at(60).lower_by != "users in step"
    assert not any("keeps them apart" in note for note in half.notes), "it is what they have"
    dear = dataclasses.replace(IDEAL, generator_s=0.002)  # all of them wait for it, too
    late = one_level(loop(), constant, 8, calibration=dear)
    assert late.lower_rps == pytest.approx(8 / (0.18 + 8 * 0.022))
    part = one_level(prefork(64), constant, 40, on=machine(4, quota=1.5, logical=8))
    assert part.lower_rps == pytest.approx(40 / (0.18 + 40 * 0.02 / 1.5))
    for cv, kept in ((0.02, True), (0.021, False)):  # some hundredths and they come apart
        level = one_level(loop(), of(20, 180, cpu_cv=cv, wait_cv=0.0), 8)
        assert (level.lower_rps is not None) == kept


def test_just_at_the_knee_two_requests_may_share_a_core():
    """Which costs little, as a kernel moves one of them before long."""
    found = predicted(prefork(64), of(20), [1, 2, 4, 8, 9, 40])
    lower = {level.users: level.lower_rps for level in found.levels}
    assert [users for users, low in lower.items() if low is not None] == [4, 8]
    assert lower[4] == pytest.approx(200 * (1 - A_CORE_EACH), rel=0.01)
    assert lower[8] == pytest.approx(200 * (1 - AT_THE_KNEE), rel=0.01)
    assert {level.lower_by for level in found.levels} == {"separate run queues"}
    assert any("share a core while another idles" in note for note in found.notes)
    for server, work in (
        (prefork(64, cores=1), of(20)),
        (prefork(64), of(0, 200)),
        (loop(), of(20)),
        (prefork(2), of(20)),
        (prefork(64), of(20, 180, wait_by="lock")),
    ):
        levels = predicted(server, work, [1, 2, 4, 5]).levels
        assert all(level.lower_rps is None for level in levels), (server, work)


def test_what_passes_between_two_turns_is_lost_to_all_but_a_lone_user():
    """In a database, the end of a transaction and the way to whoever stood in line for it."""
    over = dataclasses.replace(IDEAL, handover_s=0.001)
    for server in (prefork(16), threaded(16, by="scratch")):
        work = of(2, 20, wait_by="database", wait_cv=0.0)
        alone, crowded = (
            [one_level(server, work, N, calibration=each).model_rps for N in (1, 32)]
            for each in (IDEAL, over)
        )
        assert crowded[0] == pytest.approx(alone[0], rel=1e-3)
        assert alone[1] == pytest.approx(50, rel=1e-3)
        assert crowded[1] == pytest.approx(1 / 0.021, rel=1e-3)


def test_a_quota_caps_small_requests_and_slows_large_ones():
    burned = Calibration(loops_per_s=(1e8, 2e8), noise_fraction=0.0)
    half = {"calibration": burned, "on": machine(2, quota=1.5, logical=8)}
    server, small, eight = prefork(64), of(20, 100), tuple(range(1, 9))
    for users, workload, rps in (
        (1, small, 1 / 0.12),
        (64, small, 75),
        # Eight cores at full speed, where 1.5 slow ones would have made it 67.
        (9, small, queueing.sharing(9, 0.02, 0.1, eight)),
        (3, of(300, 300), queueing.sharing(3, 0.3, 0.3, (1.0, 1.5))),
    ):
        assert one_level(server, workload, users, **half).model_rps == pytest.approx(rps)
    assert one_level(server, small, 64, **half).limit == "cpu"
    between = predicted(server, of(100, 100), [3], **half)
    assert any("between two rules" in note for note in between.notes)
    low, high = (queueing.sharing(3, 0.1, 0.1, c) for c in ((1.0, 1.5), eight))
    assert low < between.at(3).model_rps < min(high, 15)
    # Half a core: an event loop of large requests runs at half speed.
    level = one_level(loop(), of(300, 600), 1, on=machine(1, quota=0.5, logical=4))
    assert level.model_rps == pytest.approx(1 / 1.2, rel=0.01)
    # A quota as large as the machine is none.
    assert not predicted(server, small, [9], on=machine(4, quota=4.0)).notes


# --- explanations -----------------------------------------------------------------------


def test_an_explanation_takes_each_levels_own_demand_and_whole_cores():
    experiment = Experiment(prefork(16), of(50), Load([1, 4, 16]))
    points = [measured(1, 0.06), measured(4, 0.055), measured(16, 0.058)]
    calm = dataclasses.replace(REAL, generator_s=0.0)
    found = explain(ServerModel(experiment, calm, machine()), points)
    rates = {level.users: level.model_rps for level in found.levels}
    assert rates == pytest.approx({1: 1 / 0.06, 4: 4 / 0.055, 16: 4 / 0.058})
    assert found.demand_s == 0.058
    # A level where nothing ended has no demand: the forecast's with four busy cores stands in.
    empty = explain(ServerModel(experiment, calm, machine()), [measured(16, 0.0)])
    assert empty.at(16).model_rps == pytest.approx(4 / (0.05 * 4 / 3.4 + 0.0004))


def test_a_forecast_can_be_written_down():
    # JSON has no infinity, and a recording must survive.
    servers = (prefork(4), threaded(4), loop())
    for server, cpu_ms, wait_ms in itertools.product(servers, (0, 20), (0, 200)):
        for level in predicted(server, of(cpu_ms, wait_ms), [1, 32], calibration=REAL).levels:
            assert math.isfinite(level.bound_rps) and math.isfinite(level.model_rps)
            assert level.model_response_time_s > 0


# --- all at once ------------------------------------------------------------------------


LIMITS = {"users", "cpu", "pool", "event loop", "interpreter lock", "load generator"}


@pytest.mark.extended
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
        options = {"calibration": REAL, "on": on, "think_time_s": dice.choice([0.0, 0.0, 0.5])}
        found = predicted(server, workload, [1, 5, 60], **options)
        for level in found.levels:
            assert 0 < level.model_rps <= level.bound_rps * (1 + 1e-9)
            assert level.lower_rps is None or 0 < level.lower_rps <= level.model_rps
            assert level.limit in LIMITS
            # No more is in the system than there are users.
            assert level.model_response_time_s >= 0
        one, five, sixty = (level.model_rps for level in found.levels)
        assert one * 0.99 <= five <= sixty * 1.02  # simulations have some noise
        assert one >= 0.9 * found.at(1).bound_rps  # a user alone


def test_the_answer_is_kept_for_the_next_slide_of_a_slider():
    simulate.cache_clear()
    for _ in range(2):
        predicted(loop(), of(20, 180), [1, 8, 64], calibration=REAL)
    kept = simulate.cache_info()
    assert (kept.misses, kept.hits) == (3, 3)


def said(found, words):
    return any(words in note for note in found.notes)


def test_a_note_is_for_those_whom_it_concerns_and_nobody_else():
    """Each has a case where it is said, and its nearest neighbours, where it is not."""
    coins, stays, none = "like coins", "it serves nobody", "get nothing"
    idle = "stands idle while that user thinks"
    hashing = "lets go of Python's lock"
    refused, at_once = "come back only after one or more seconds", "at once with 502."
    for words, server, work, users, options, told in (
        (coins, loop(2), of(0, 200), 9, {}, True),
        (coins, loop(), of(0, 200), 9, {}, False),
        (coins, loop(2, by="node"), of(0, 200), 9, {}, False),
        (coins, prefork(2), of(0, 200), 9, {}, False),
        (idle, prefork(8, by="scratch"), of(0, 200), 9, {"think_time_s": 0.3}, True),
        (idle, prefork(8, by="scratch"), of(0, 200), 8, {"think_time_s": 0.3}, False),
        (idle, prefork(8, by="scratch"), of(0, 200), 9, {}, False),
        (idle, prefork(8), of(0, 200), 9, {"think_time_s": 0.3}, False),
        (none, prefork(8, by="apache"), of(0, 200), 9, {}, True),
        (none, prefork(8, by="apache"), of(0, 200), 8, {}, False),
        (none, prefork(8), of(0, 200), 9, {}, False),
        (none, HELD, of(0, 200), 9, {}, True),  # who never thinks keeps it
        (none, HELD, of(0, 200), 9, {"think_time_s": 1}, False),
        (stays, HELD, of(0, 200), 9, {"think_time_s": 1}, True),
        (stays, HELD, of(0, 200), 9, {}, False),
        (none, prefork(8, by="apache", keep_alive=False), of(0, 200), 9, {}, False),
        (none, prefork(8, by="apache"), of(0, 200), 9, CLOSED, False),
        (hashing, threaded(8), of(50, cpu_by="hashing"), 9, {}, True),
        (hashing, threaded(8), of(50), 9, {}, False),
        (hashing, prefork(8), of(50, cpu_by="hashing"), 9, {}, False),
        ("CPU quota of 1.5", prefork(8), of(50), 9, {"on": machine(2, quota=1.5, logical=4)}, True),
        ("CPU quota", prefork(8), of(50), 9, {}, False),
        ("fall in step", prefork(8), of(20, 180, wait_cv=0.0), 9, {}, True),
        ("fall in step", prefork(8), of(20, 180), 9, {}, False),
        ("0.5 on the wait keeps", prefork(64), of(20, 180), 40, {}, True),
        ("0.1 on the wait keeps", loop(), of(20, 180, wait_cv=0.0), 9, {}, True),
        ("fall in step", prefork(64), of(20, 180, wait_cv=0.5), 40, {}, False),
        ("while another idles", prefork(8), of(50), 5, {}, True),
        ("while another idles", prefork(8), of(50), 1, {}, False),
        (refused, prefork(16, backlog=16), of(0, 200), 33, {}, True),
        (refused, prefork(16, backlog=16), of(0, 200), 32, {}, False),  # the last place is taken
        (refused, threaded(16, backlog=16), of(0, 200), 64, {}, False),
        (refused, loop(backlog=16), of(0, 200), 64, {}, False),
        (at_once, prefork(16, backlog=16, by="nginx-fpm"), of(0, 200), 33, {}, True),
        (at_once, prefork(16, backlog=16, by="nginx-fpm"), of(0, 200), 32, {}, False),
        (refused, prefork(16, backlog=16, by="nginx-fpm"), of(0, 200), 33, {}, False),
    ):
        assert said(predicted(server, work, [users], **options), words) == told, (words, server)


def test_the_last_level_is_what_is_told():
    found = predicted(prefork(8, by="apache"), of(0, 200), [1, 9])
    assert said(found, "of 9 users 1 get nothing")
    slower = predicted(prefork(8), of(50), [1, 2, 8], calibration=REAL)  # with more cores busy
    assert len({level.demand_s for level in slower.levels}) == 3
    assert slower.demand_s == slower.levels[-1].demand_s
    unseen = Experiment(prefork(8), of(50), Load([1, 2, 8]))
    assert explain(ServerModel(unseen, REAL, machine()), []).demand_s == slower.demand_s
    experiment = Experiment(prefork(8), of(50), Load([1, 4, 9]))
    nothing = explain(ServerModel(experiment, IDEAL, machine()), [])
    assert (nothing.levels, nothing.notes, nothing.demand_s) == ((), (), 0.05)


def test_the_generators_share_is_told_from_a_twentieth_on():
    for g, told in ((0.0, False), (0.002, False), (0.0035, True)):
        dear = dataclasses.replace(IDEAL, generator_s=g)
        found = predicted(prefork(8), of(50), [64], calibration=dear)
        assert said(found, "of each request's CPU time") == told
    dear = dataclasses.replace(IDEAL, generator_s=0.01)
    assert said(predicted(prefork(8), of(40), [64], calibration=dear), "20\xa0% is its own")


def test_waits_that_many_have_together_come_in_rounds():
    """A lone user has one wait, whoever comes meanwhile the rest of one and the next: two at the
    longest. So a few gain nothing, and many are served as in a pool of rounds of 2 V."""
    together = of(10, 200, wait_by="disk-together")
    dear = dataclasses.replace(IDEAL, generator_s=0.002)
    for users, rps in ((1, 1 / 0.212), (2, 2 / 0.412), (20, 20 / 0.412)):
        level = one_level(prefork(64), together, users, calibration=dear)
        assert level.model_rps == pytest.approx(max(rps, 1 / 0.212))


def test_think_time_is_in_the_forecast_of_rounds_and_not_in_the_bound_alone() -> None:
    together = of(10, 200, wait_by="disk-together")
    calibration = dataclasses.replace(IDEAL, generator_s=0.0)
    level = one_level(prefork(64), together, 64, calibration=calibration, think_time_s=1.0)
    assert level.bound_rps == pytest.approx(64 / 1.21)
    assert level.model_rps == pytest.approx(64 / (1.01 + 1.5 * 0.2), rel=0.03)
    # Eight workers, which others have while a user thinks, or nobody where each is held.
    few = one_level(prefork(8), together, 64, calibration=calibration, think_time_s=1.0)
    held = one_level(prefork(8, by="apache"), together, 64, calibration=calibration, think_time_s=1)
    assert held.model_rps == pytest.approx(8 / (1.01 + 1.5 * 0.2), rel=0.1)
    assert few.model_rps > 2 * held.model_rps


def test_a_wait_that_takes_no_time_is_none_whatever_it_would_be_for():
    for wait_by in ("disk-together", "lock"):
        level = one_level(prefork(8), of(10, 0, wait_by=wait_by), 8)
        assert level == one_level(prefork(8), of(10), 8)


def test_who_thinks_leaves_the_worker_to_others_who_wait_for_the_lock():
    """32 users, eight workers and one lock: the machine repair model, whatever the workers."""
    locked = of(0, 20, wait_by="lock", wait_cv=1.0)
    level = one_level(prefork(8), locked, 32, think_time_s=1.0)
    exact = queueing.sharing(32, 0.02, 1.0, (1.0,))
    assert exact > 29
    assert level.model_rps == pytest.approx(exact, rel=0.03)
    held = one_level(prefork(8, by="apache"), locked, 32, think_time_s=1.0)
    assert held.model_rps == pytest.approx(queueing.sharing(8, 0.02, 1.0, (1.0,)), rel=0.03)


def test_at_the_knee_by_what_is_asked_for_and_not_by_the_workers_alone():
    """84 users who think for a second want four cores; eight workers do not hold them back."""
    for users, there in ((60, False), (84, True)):
        level = one_level(prefork(8), of(50), users, think_time_s=1.0)
        assert (level.lower_by == "separate run queues" and level.lower_rps is not None) == there


def test_one_process_holds_what_its_threads_do():
    """Without the lock: eight users of four threads, and of two processes of two."""
    free = {"on": machine(gil=False)}
    one = one_level(threaded(4), of(10, 200), 8, **free)
    assert one.model_rps == pytest.approx(queueing.sharing(4, 0.01, 0.2, (1.0, 2.0, 3.0, 4.0)))
    two = one_level(threaded(2, processes=2), of(10, 200), 3, **free)
    assert two.model_rps < one_level(threaded(4), of(10, 200), 3, **free).model_rps


def test_requests_with_connections_of_a_pool_take_turns_at_each_process_s_lock():
    work = of(40, 20, wait_by="connections", connections=4)
    assert one_level(threaded(8), work, 8).model_rps == pytest.approx(1 / 0.04, rel=0.01)
    found = one_level(threaded(8, processes=2), work, 8)  # now and then one has nearly all users
    assert 0.9 < found.model_rps / found.bound_rps < 0.99
