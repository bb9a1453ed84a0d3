"""One experiment on one machine: which model fits its architecture, and what bounds it. Pure.

Letters as in `laws`: N users, D CPU seconds per request, V seconds of waiting, Z of thinking,
W workers in the pool, g CPU seconds that the load generator spends on a request.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

from labs.records.errors import Unusable, refused
from labs.records.experiment import Experiment
from labs.records.results import Calibration, Machine, Point, PredictedLevel
from labs.records.server_facts import WAITS, locked, server_facts
from labs.theory import queueing
from labs.theory.band import A_CORE_EACH, AT_THE_KNEE, band
from labs.theory.ceilings import Ceiling, lowest
from labs.theory.demand import Cores, Demand
from labs.theory.laws import ceiling, idle
from labs.theory.simulation import simulate

SWITCH_INTERVAL_S = 0.005  # CPython's default, sys.getswitchinterval()
LEAST_SPREAD = 0.02  # of D: two halves of a second cannot vouch for less,
MOST_SPREAD = 0.9  # and where they have hardly anything in common, D is still more than nothing

STEADY_CV, VARIED_CV = 0.02, 0.5  # of times that keep users in step, and that no order changes
HALF_FULL = 0.5  # of the cores: with fewer in use hardly any two meet

# Requests that want a core, over the cores: from here to there is at the knee.
KNEE_BEGINS, KNEE_ENDS = 0.8, 2.0


class ServerModel:
    """One experiment on one machine, ready to be asked about levels."""

    def __init__(self, experiment: Experiment, calibration: Calibration, machine: Machine) -> None:
        server, workload, load = experiment.server, experiment.workload, experiment.load
        self.experiment, self.machine = experiment, machine
        self.server, self.workload, self.load = server, workload, load
        self.calibration, self.facts = calibration, server_facts(server.by)
        self.V = workload.wait_s and workload.wait_s + calibration.timer_s
        self.Z = load.think_time_s
        self.g = calibration.generator_s + load.script_s
        self.away_s = self.Z + calibration.delay_s  # of a user's round, neither working nor waiting
        self.W = float(server.pool or math.inf)
        self._find_cores()
        wait, waits = WAITS[workload.wait_by], workload.wait_s > 0
        self.exclusive_wait = workload.wait_by if wait.alone and waits else ""  # one request has it
        # Behind fewer threads than that, nobody stands in line for a connection.
        self.waits_for_connections = waits and wait.pooled and server.threads > workload.connections
        self.batched_waits = waits and wait.together
        self.blocks_loop = waits and wait.stops_a_loop and server.architecture == "event-loop"
        self.keeps_alive = load.keep_alive and server.keep_alive
        held, K = self.keeps_alive and self.facts.holds_its_worker, server.keeps_s
        self.keeps_worker = held and (math.isinf(K) or not self.Z)  # a connection, to its end
        self.idle_s = idle(self.Z, K) if held and not self.keeps_worker else 0.0
        # Connections beyond its threads wait inside gunicorn's process, not in the listen queue.
        self.accepts_all = server.architecture == "threaded" and self.facts.accepts_all

    def _find_cores(self) -> None:
        """Find the cores that there are for server and load generator, and who queues for them."""
        server, machine, calibration = self.server, self.machine, self.calibration
        quota = machine.quota_cores
        if quota is not None and quota >= machine.logical_cores:
            quota = None
        # Under a quota at full speed, on more cores than it pays for.
        cores = machine.cores if quota is None else machine.logical_cores
        usable = min(server.cores or cores, cores)
        self.shares_cores = usable >= machine.cores  # server and load generator
        use = 1.0 if quota is not None else calibration.use
        self.full = Cores(
            server=tuple(float(n) for n in range(1, usable + 1)),
            most=usable * use,
            all=cores * use if self.shares_cores else float(cores),
        )
        # A quota of the server's own leaves the load generator alone.
        self.quota_is_servers = server.quota is not None and server.quota < (quota or usable)
        self.quota = server.quota if self.quota_is_servers else quota
        self.quota_g = 0.0 if self.quota_is_servers else self.g
        if (q := self.quota) is not None:
            evened = tuple(min(busy, q) for busy in self.full.server)
            every = self.full.all if self.quota_is_servers else q
            self.evened = Cores(server=evened, most=evened[-1], all=every)
        threads_locked = locked(server, machine)
        self.releases_lock = threads_locked and self.workload.cpu_by == "hashing"  # to work
        queued = threads_locked and not self.releases_lock
        self.queued_for_core = queued or server.architecture == "event-loop"
        # Logical cores that the server can keep busy.
        filled = server.processes if self.queued_for_core else self.W
        self.cores_filled = int(min(usable, filled))

    def demand(self, N: float) -> Demand:
        """D at N users, from the calibration.

        What a lone user finds holds for one, what the crowd found where all the cores that this
        server can fill are busy, and between the two it goes by the busy cores that can be
        expected at most: D times `by_rounds`, as W workers whose requests wait leave pauses, too.
        How much slower one more busy core makes the others, request by request, the burns tell.
        """
        found, cpu_s = self.calibration, self.workload.cpu_s
        alone = found.demand_s(cpu_s)
        lone = alone / max(self.round_s(alone), 1e-12)  # cores busy with one user
        busy = min(float(self.cores_filled), alone * self.by_rounds(N, alone)) if lone else 0.0
        crowded = (
            (busy - lone) / (self.cores_filled - lone) if lone < self.cores_filled else float(N > 1)
        )
        by_busy = tuple(
            found.demand_s(cpu_s, n, crowded) for n in range(1, len(found.loops_per_s) + 1)
        )
        spread = None
        if found.crowd_ratio is not None:
            spread = min(max(LEAST_SPREAD, found.spread), MOST_SPREAD)
        return Demand(
            least=min(alone, by_busy[0]),
            expected=found.demand_s(cpu_s, max(1.0, busy), crowded),
            by_busy=by_busy,
            spread=spread,
        )

    def level(self, N: int, D: Demand, point: Point | None = None) -> PredictedLevel:
        """Bound, model and limit of one level; the point tells how connections were split."""
        if D.expected == self.V == self.g == 0 and self.workload.page == "file":
            raise Unusable("What a file costs was never measured here. `labs run` does it.")
        if D.expected == self.V == self.g == 0:
            raise refused(
                "cpu_s",
                0,
                "a request without work costs what server and load generator spend on it, and that "
                "was never measured here. Give it work or waiting. A run with waiting alone "
                "measures it; afterwards you can leave that out, too.",
                said="0, wait_s=0",
            )
        limits = self.limits(N, D)
        bound = lowest(*limits.values()).rps
        # The first of these that is the lowest, ties forgiven: at the knee, the users.
        limit = next(name for name, most in limits.items() if most.rps <= bound * (1 + 1e-9))
        model = min(self.throughput(N, D, point), bound)
        in_step, apart = self.in_step(N, D, model), self.at_the_knee(N, D, model)
        found = PredictedLevel(
            users=N,
            bound_rps=bound,
            model_rps=model,
            model_response_time_s=max(0.0, N / model - self.Z),
            limit=limit,
            lower_rps=apart if in_step is None else in_step,
            lower_by="separate run queues" if in_step is None else "users in step",
            demand_s=D.expected,
            bound_ci_rps=None if D.spread is None else self.bound_interval(N, D, D.spread),
        )
        # Burns that should be equal tell how far the cores' speed moves within seconds.
        halves = LEAST_SPREAD if D.spread is None else D.spread
        unsure = min(MOST_SPREAD, math.hypot(halves, self.calibration.noise_fraction))
        interval = self.bound_interval(N, D, unsure)
        return replace(found, band_rps=band(found, interval, self.workload))

    def bound_interval(self, N: int, D: Demand, unsure: float) -> tuple[float, float]:
        """Interval of the bound, with a D that is known to so much of itself."""
        low, high = (
            lowest(*self.limits(N, D.times(factor)).values()).rps
            for factor in (1 + unsure, 1 - unsure)
        )
        return low, high

    def at_speed(self, N: int, speed: float) -> PredictedLevel:
        """The forecast of a level, had the cores been so many times as fast when it was made."""
        return self.level(N, self.demand(N).times(1 / speed))

    def limits(self, N: float, D: Demand) -> dict[str, Ceiling]:
        """The asymptotic bounds (`laws.bound`, with the load generator as one more station), each
        with the numbers that it is worked out from: cores with the D of as many busy ones, users
        with the least D.

        Fewer processes than cores leave cores idle: then the pool, the loop or the lock is
        the limit. The users and the CPU come first, as they are named where two are equal.
        """
        server, V, g, W = self.server, self.V, self.g, self.W
        quota, full, P = self.quota or math.inf, self.full, self.server.processes
        most, every = len(full.server), full.all if self.quota_is_servers else min(quota, full.all)
        found = {
            "users": Ceiling(N, self.round_s(D.least)),
            "cpu": lowest(
                Ceiling(min(quota, full.most), D.of(most)),
                Ceiling(every, D.of(most) + self.g, "load generator"),
            ),
        }
        if self.queued_for_core:
            name = "event loop" if server.architecture == "event-loop" else "interpreter lock"
            found[name] = Ceiling(full.busy(P), D.of(P))
        if self.blocks_loop:  # one request after another, its wait included
            blocked = Ceiling(P, D.least + V, "wait")
            found["event loop"] = lowest(found["event loop"], blocked)
        if self.releases_lock:  # all but the work itself still needs it
            locked_s = min(self.calibration.overhead_s, D.least)
            found["interpreter lock"] = Ceiling(full.busy(P), locked_s)
        if math.isfinite(W):
            work = Ceiling(full.busy(W), D.of(min(W, most)))
            found["pool"] = lowest(work, Ceiling(W, self.held_s(D.least), "wait"))
        if self.exclusive_wait:  # whatever the processes, the threads and the cores
            found[self.exclusive_wait] = Ceiling(1, V)
        if self.waits_for_connections:
            found[self.workload.wait_by] = Ceiling(P * self.workload.connections, V, "wait")
        return found | {"load generator": Ceiling(self.load.generators, g)}

    def round_s(self, D: float) -> float:
        """The time from one request of a user to the next, with D seconds in the server's hands."""
        return D + self.V + self.away_s + self.g

    def held_s(self, D: float) -> float:
        """The part of a round in which a request keeps its worker."""
        return self.round_s(D) if self.keeps_worker else D + self.V + self.idle_s

    def by_rounds(self, N: float, D: float) -> float:
        """X of N users in rounds of that length, as far as there are workers for them."""
        busy = ceiling(self.W, self.held_s(D)) if math.isfinite(self.W) else math.inf
        return min(ceiling(N, self.round_s(D)), busy)

    def throughput(self, N: int, D: Demand, point: Point | None = None) -> float:
        """The model's X; under a quota, by the rule of `queueing.quota`."""
        if self.quota is None:
            return self.on(self.full, N, D, point)
        return queueing.quota(
            D.expected,
            full_speed=self.on(self.full, N, D, point),
            evened=self.on(self.evened, N, D, point),
            q=self.quota,
            g=self.quota_g,
        )

    def on(self, cores: Cores, N: int, D: Demand, point: Point | None = None) -> float:
        """The model's X on these cores."""
        if (self.exclusive_wait or self.batched_waits) and not self.blocks_loop:
            return self.one_at_a_time(cores, N, D.expected)
        if self.waits_for_connections and not self.blocks_loop:
            one = functools.partial(self.one_pool, cores, D.expected)
            return min(self.split(N, one, point), ceiling(cores.all, D.expected + self.g))
        if not self.queued_for_core:
            return self.shared(cores, N, D, self.in_service(N, point))
        one = functools.partial(self.one_process, cores.server[0], D.expected)
        found = self.split(N, one, point)
        found = min(found, ceiling(cores.all, D.of(len(cores.server)) + self.g))
        if self.server.processes > len(cores.server):  # then the processes share the cores
            held = float(self.server.processes) if self.blocks_loop else self.W
            found = min(found, self.shared(cores, N, D, held))
        return found

    def one_at_a_time(self, cores: Cores, N: int, D: float) -> float:
        """X where the wait is for something that one request at a time can have: a queue for it,
        and all the rest is a delay. Waits that many have together: whoever comes waits for the
        end of those who have it, then for the next, whom the others join. What passes from one to
        the next (`Calibration.handover_s`) is a part of what they spend beside the wait."""
        g, wait_cv, V, Z = self.g / self.load.generators, self.workload.wait_cv, self.V, self.away_s
        # Nobody else has the worker of a user who thinks, where it is held.
        N, W = (min(N, int(self.W)), math.inf) if self.keeps_worker else (N, self.W)
        if self.batched_waits:
            found = queueing.rounds(N, V, D=D, Z=Z, g=g, W=W)
        else:
            over_s = self.calibration.handover_s
            rest_s = max(0.0, D - over_s)
            found = simulate(N, V + over_s, rest_s, cpu_cv=wait_cv, Z=Z, g=g, W=W)
        return min(found, ceiling(cores.all, D + self.g))

    def one_pool(self, cores: Cores, D: float, n: int) -> float:
        """X of n users on one process whose requests queue for its connections; all the rest of a
        request is a delay."""
        found = queueing.closed(
            n,
            self.V,
            D,
            tuple(float(k) for k in range(1, self.workload.connections + 1)),
            W=self.server.threads,
            Z=self.away_s,
            g=self.g,
            generators=self.load.generators,
        )
        locked = self.queued_for_core
        return min(found, ceiling(cores.server[0], D)) if locked else found

    def shared(self, cores: Cores, N: int, D: Demand, W: float) -> float:
        """X where requests share the cores, W at most (between whole numbers, a straight line)."""
        if self.keeps_worker:
            N = int(min(N, W))
        below, above = (
            queueing.closed(
                *(N, D.of(len(cores.server)), self.V + self.idle_s, D.speeds(cores)),
                W=size,
                Z=self.away_s - self.idle_s,
                g=self.g,
                cores=cores.all,
                generators=self.load.generators,
            )
            for size in ((W, W) if math.isinf(W) else (math.floor(W), math.ceil(W)))
        )
        return below if below == above else below + (W % 1) * (above - below)

    def one_process(self, speed: float, D: float, n: int) -> float:
        """X of n users on one process where requests queue for its only core."""
        threads = self.server.architecture == "threaded"
        work_s, wait_s, cpu_cv = D / speed, self.V, self.workload.cpu_cv
        if self.blocks_loop:  # nobody else has the loop meanwhile, so a wait is as good as work
            spread_s = math.hypot(work_s * cpu_cv, wait_s * self.workload.wait_cv)
            work_s, wait_s = work_s + wait_s, 0.0
            cpu_cv = spread_s / work_s
        return simulate(
            n,
            work_s,
            wait_s,
            cpu_cv=cpu_cv,
            wait_cv=self.workload.wait_cv,
            Z=self.away_s,
            g=self.g / self.load.generators,
            W=self.server.threads if threads else math.inf,
            interval=SWITCH_INTERVAL_S if threads else math.inf,
        )

    def in_service(self, N: int, point: Point | None) -> float:
        """Requests that the server can hold at once when N users are there: the pool, or what
        N connections fill of it that stay with their processes."""
        one = self.server.processes == 1 or self.facts.one_queue
        if one or self.server.architecture != "threaded":
            return self.W
        filled = self.split(N, lambda n: min(n, self.server.threads), point)
        return min(self.W, max(1.0, filled))

    def split(self, N: int, rate_of: Callable[[int], float], point: Point | None) -> float:
        """Sum of rate_of(n) over the processes, n of the N users on each."""
        P = self.server.processes
        if P == 1:
            return rate_of(N)
        if self.one_queue(N):
            return sum(rate_of(n) for p in range(P) if (n := (N + p) // P))
        if point and self.keeps_alive and all(sum(each.values()) == N for each in point.splits):
            return fmean(sum(rate_of(n) for n in each.values() if n) for each in point.splits)
        threads = self.server.threads if self.server.architecture == "threaded" else None
        return queueing.coin_flips(N, P, rate_of, threads)

    def one_queue(self, N: int) -> bool:
        """Whether a user without a worker waits for any process, in the listen queue: our own
        threaded server takes no more connections than it has threads. Where connections are dealt
        out in turn it comes to the same, until some of them end."""
        if self.facts.one_queue or self.facts.dealt_out:
            return True
        by_thread = self.server.architecture == "threaded" and not self.accepts_all
        return by_thread and (N > self.W or not self.keeps_alive)

    def in_step(self, N: int, D: Demand, model: float) -> float | None:
        """The lower bound, where times that hardly vary let users fall in step: constant ones
        altogether, others by an order on the cores, and in proportion less."""
        if self.blocks_loop or not (self.workload.cpu_s and self.V and self.Z == 0):
            return None
        cv, m = max(self.workload.cpu_cv, self.workload.wait_cv), int(min(N, self.W))
        c = min(self.quota or math.inf, self.full.most)
        if self.queued_for_core:
            c = min(c, self.server.processes)
        least = min(model, queueing.in_step(m, D.of(m), self.V + m * self.g, c))
        if cv <= STEADY_CV:
            return least
        full = m > c and D.expected * self.by_rounds(N, D.expected) >= HALF_FULL * c
        if self.queued_for_core or cv >= VARIED_CV or not full:
            return None
        return least + cv / VARIED_CV * (model - least)

    def at_the_knee(self, N: int, D: Demand, model: float) -> float | None:
        """The lower bound where about as many requests want cores as there are: two may share one
        while another idles. With fewer there is an idle core to be found, with more none idles."""
        cores = len(self.full.server)
        if cores == 1 or self.quota is not None or self.queued_for_core or not D.expected:
            return None
        if self.exclusive_wait or self.batched_waits or self.waits_for_connections:
            return None
        wanted = D.expected * self.by_rounds(N, D.expected)
        if not KNEE_BEGINS * cores <= wanted <= KNEE_ENDS * cores:
            return None
        return (1 - (A_CORE_EACH if cores >= N else AT_THE_KNEE)) * model
