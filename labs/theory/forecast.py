"""Forecast of an experiment before the load, and its explanation after.

A *forecast* is made before the load, from the calibration: burns of the unit of work, and what
the server then did in the warm-up with other work than the load's. It pairs logical cores with
the CPU seconds per request D that are to be expected while so many of them are busy. An
*explanation* takes the D that was measured during each level instead, with the same cores: a
request that shares a core with a hyper-thread is charged more CPU seconds, so the slowdown is in D
already (`Calibration` has the rule). Near saturation an explanation is almost an identity; it
shows consistency and predicts nothing.

The load generator is one single-threaded process on the same machine. Each request costs it
`generator_s` of CPU, g, and its user that time; together with the server it cannot use more
than the machine's cores: X (D + g) <= c, and X <= 1 / g. See `queueing.closed`.
"""

from collections.abc import Iterator, Sequence

from labs.records.experiment import Experiment
from labs.records.format import counted, digits, duration, percent, rate
from labs.records.results import Calibration, Machine, Point, PredictedLevel, Prediction
from labs.theory import queueing
from labs.theory.demand import Demand
from labs.theory.laws import ceiling
from labs.theory.server_model import VARIED_CV, ServerModel

TELLING = 0.05  # of the CPU time; a smaller share of the load generator goes without saying


def forecast(experiment: Experiment, calibration: Calibration, machine: Machine) -> Prediction:
    """Forecast an experiment, from nothing but the calibration: what was burned, and what the
    server did with empty requests and with pieces of work in the warm-up (`warmup.warm_up`). No
    level's result enters it.

    Raises Unusable where a request costs nobody anything, as nothing then limits it.
    """
    return expected(ServerModel(experiment, calibration, machine))


def expected(model: ServerModel) -> Prediction:
    """Make the forecast of a model that is there already."""
    users = model.load.users
    levels = tuple(model.level(N, model.demand(N)) for N in users)
    return _prediction(model, model.demand(users[-1]).expected, levels)


def explain(model: ServerModel, points: Sequence[Point]) -> Prediction:
    """Forecast again, with each level's own measured demand and, of connections that stay with
    their process, the measured split. Where no request ended, the demand of the forecast."""

    def demand(point: Point) -> Demand:
        return Demand.measured(point.demand_s) if point.demand_s else model.demand(point.users)

    levels = tuple(model.level(point.users, demand(point), point) for point in points)
    D = points[-1].demand_s if points else model.demand(model.load.users[-1]).expected
    return _prediction(model, D, levels)


def _prediction(model: ServerModel, D: float, levels: tuple[PredictedLevel, ...]) -> Prediction:
    return Prediction(
        demand_s=D,
        wait_s=model.V,
        levels=levels,
        notes=tuple(_notes(model, levels, D)) if levels else (),
    )


def _notes(model: ServerModel, levels: Sequence[PredictedLevel], D: float) -> Iterator[str]:
    """Say in sentences what was assumed for a sweep over these levels."""
    last = levels[-1]
    server, N, W = model.server, last.users, model.W
    lower = {level.lower_by for level in levels if level.lower_rps is not None}
    if "separate run queues" in lower:
        yield (
            "With about as many users as cores, two requests may share a core while another idles; "
            "the band reaches down to what it may cost until the kernel moves one."
        )
    if "users in step" in lower:
        apart = 0.1 if model.queued_for_core else VARIED_CV
        yield (
            "Work and wait hardly vary, so users may fall in step; the band reaches down to "
            f"what that can cost. A coefficient of variation of {digits(apart)} on the wait "
            "keeps them apart."
        )
    if server.processes > 1 and server.architecture != "prefork" and not model.one_queue(N):
        yield (
            f"Users are taken to fall on the {server.processes} processes like coins; where one "
            "process gets many more than another, less is served."
        )
    if model.releases_lock and model.workload.cpu_s:
        yield (
            "Hashing lets go of Python's lock, so threads share the cores as processes do; the "
            "rest of a request still takes turns."
        )
    if model.quota is not None:
        yield (
            f"The CPU quota of {digits(model.quota)} cores lets work run at full speed until its "
            "budget for 100 ms is gone; means hold, percentiles are stretched."
        )
        if queueing.FITS_A_PERIOD_S < D < queueing.FEELS_THE_MEAN_S:
            fast = min(
                model.on(model.full, N, model.demand(N)), ceiling(model.quota, D + model.quota_g)
            )
            slow = model.on(model.evened, N, model.demand(N))
            yield (
                f"A request of this size lies between two rules: {rate(slow)} and {rate(fast)} "
                f"at {N} users. The model is between them, by proportion."
            )
    share = model.quota_g / (D + model.quota_g) if model.quota_g else 0.0
    if share > TELLING and last.limit == "cpu" and model.shares_cores:
        yield (
            "The load generator uses the same cores: of each request's CPU time, "
            f"{percent(share)} is its own."
        )
    if model.keeps_worker and N > W:
        yield (
            f"A worker stays with its connection, and each of the {W:.0f} has one: of {N} users "
            f"{N - W:.0f} get nothing, while the averages of the others look fine."
        )
    if model.idle_s:
        yield (
            f"A worker stays with its connection for {duration(model.server.keeps_s)} after an "
            f"answer, unless the user asks before that: {duration(model.idle_s)} on average, in "
            "which it serves nobody."
        )
    if model.Z and model.keeps_alive and N > W and model.facts.idle_if_held:
        held = model.on(model.full, int(W), model.demand(W))
        yield (
            "A worker that keeps its connection stands idle while that user thinks: with all "
            f"of them held so, {N} users get {rate(held)}, and some of them nothing."
        )
    places = counted(server.backlog, "place")
    if W + server.backlog < N and model.facts.turns_away:
        yield (
            f"{N} users are more than {W:.0f} workers and {places} in their queue: nginx answers "
            "the others at once with 502."
        )
    elif W + server.backlog < N and not model.accepts_all and not model.keeps_worker:
        yield (
            f"{N} users are more than {W:.0f} workers and {places} in the listen queue: "
            "connections that find it full come back only after one or more seconds."
        )
