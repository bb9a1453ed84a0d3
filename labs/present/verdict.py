"""Verdict of a run, in words: shared by panel, page and terminal. Pure: records in, text out."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from labs.analysis import causes
from labs.analysis.point import half_width
from labs.present import reasons
from labs.present.advice import BY_SPEED, exceeded, starved, unfit, unsteady
from labs.present.blocks import DATA, Block, Said, Within
from labs.records.experiment import Experiment, Server, Workload
from labs.records.format import (
    NARROW,
    counted,
    crowd,
    digits,
    duration,
    listed,
    percent,
    rate,
    speed,
)
from labs.records.results import Machine, Point, PredictedLevel, Prediction, Run
from labs.records.server_facts import WAITS, called, server_facts
from labs.theory.demand import Demand
from labs.theory.server_model import ServerModel

ASSUMES = "What the forecast assumes"
NEAR = "That is close, and nothing else stood out."
NEAR_BUT = "That is close; the table says what else stood out."
UNEXPLAINED = "Nothing we measure explains it."  # which accuses neither the model nor the machine


def about(experiment: Experiment) -> str:
    """Say what is about to be tested, in one sentence."""
    users = listed(experiment.load.users)
    plural = "user asks" if users == "1" else "users ask"
    think = experiment.load.think_time_s
    thinking = f", and think for {duration(think)} in between" if think else ""
    return (
        f"{who(experiment.server)} answers requests that {need(experiment.workload)}, "
        f"while {users} {plural}, one request at a time each{thinking}."
    )


def assumed(forecast: Prediction) -> list[str]:
    """List what a forecast assumes below a heading; none where there is nothing to know."""
    return [f"{ASSUMES}:", *(f"- {note}" for note in forecast.notes)] if forecast.notes else []


def assumptions(notes: Sequence[str]) -> list[Block]:
    """Say what a forecast assumes, below the figure with its line: one sentence plainly, several
    folded, nothing for none."""
    if len(notes) < 2:
        return [Within(DATA, [Said(notes, ASSUMES)])] if notes else []
    folded = Markup('<details class="wt-data"><summary>{}</summary>{{}}</details>').format(ASSUMES)
    return [Within(folded, [Said(notes)])]


def verdict(model: ServerModel, run: Run) -> tuple[str, ...]:
    """Say what limits a run, and whether the forecast held or what explains that it did not."""
    points, experiment = run.points, model.experiment
    if not points:
        return ("Nothing was measured, so there is nothing to say yet.",)
    fit = [point for point in points if point.fit]
    unsteadily = unsteady([run])
    sentences = [*unsteadily, *starved(points, experiment)]
    if fit:
        sentences.append(reasons.limit(model, run, fit[-1]))
        sentences += agreement(model, run)
        fallen = reasons.split(experiment, fit[-1])
        if fallen and not any(fallen in sentence for sentence in sentences):
            at = f"At {crowd(fit[-1].users)} connections stayed where they had fallen"
            sentences.append(f"{at}: {fallen}.")
        sentences += exceeded(fit)
    if len(fit) < len(points):
        sentences.append(unfit(points, BY_SPEED if unsteadily else ()))
        noisy = causes.looked_at(run)
        if (
            not unsteadily
            and noisy not in fit
            and noisy is not None
            and (found := causes.cause(model, run, noisy))
        ):
            sentences.append(
                f"At {crowd(noisy.users)} the forecast was missed by more than that noise. "
                f"{reasons.explains(found, model, noisy)}"
            )
    return tuple(sentences)


def agreement(model: ServerModel, run: Run) -> list[str]:
    """Say whether the forecast held within what the measurement can tell, by how much, and if not,
    what explains it. Of fit points; one sentence where it held."""
    forecast, fit = run.forecast, [point for point in run.points if point.fit]
    if not fit:
        return []
    missed = [point for point in fit if not causes.holds(point, forecast.at(point.users))]
    if not missed:
        which = "the point" if len(fit) == 1 else f"all {len(fit)} points"
        met = f"The forecast, made before the load began, met {which}, {nearness(run, fit)}."
        return [met, *_far_inside(model, run, causes.worst(fit, forecast))]
    worst = causes.worst(missed, forecast)
    off = causes.off(worst, forecast)
    side = "above" if off > 0 else "below"
    measured = f"{crowd(worst.users)}: measured {percent(abs(off))} {side} it, {_known(worst)}."
    told = f"The forecast missed the point at {measured}"
    if len(fit) > 1:
        met = f"{len(fit) - len(missed)} of {len(fit)} points"
        told = f"The forecast met {met}, and missed most at {measured}"
    found = causes.cause(model, run, worst)
    if (found is None or found.name == "core speed") and (law := _at_its_speed(model, run, worst)):
        return [told, law]
    if found is not None:
        return [told, reasons.explains(found, model, worst)]
    near = NEAR_BUT if worst.checks else NEAR
    return [told, near if abs(off) < causes.NEAR_MISS else UNEXPLAINED]


def _far_inside(model: ServerModel, run: Run, point: Point) -> list[str]:
    """Say what moved a point so far from the forecast's line, in a band as wide as that."""
    if abs(causes.off(point, run.forecast)) <= causes.UNSTEADY:
        return []
    found = causes.cause(model, run, point)
    return [reasons.explains(found, model, point)] if found else []


def _at_its_speed(model: ServerModel, run: Run, point: Point) -> str:
    """Say that the law holds, where a forecast with the cores' speed of that level, or else with
    the CPU time that its requests took, would have met it; "" where neither would."""
    level = run.forecast.at(point.users)
    if point.core_speed and causes.holds(
        point, again := model.at_speed(level.users, point.core_speed)
    ):
        how = f"the cores were {speed(point.core_speed)} than then"
    else:
        again = model.level(level.users, Demand.measured(point.demand_s), point)
        if not point.demand_s or not causes.holds(point, again):
            return ""
        then_s = duration(run.forecast.at(level.users).demand_s)
        how = f"a request took {duration(point.demand_s)} of CPU instead of {then_s}"
    return (
        f"Forecast {span(level)}; {how}, so {span(again)}; measured "
        f"{rate(point.throughput_rps)}: the law holds."
    )


def span(level: PredictedLevel) -> str:
    """Say where a level should lie: `58 to 65`; the line alone of a forecast without a band."""
    return " to ".join(digits(rps, 3) for rps in level.band_rps or (level.model_rps,))


def nearness(run: Run, points: Sequence[Point]) -> str:
    """Tell the largest miss of these points of a run, and how well it is known itself."""
    worst = causes.worst(points, run.forecast)
    which = "the miss" if len(points) == 1 else "the largest miss"
    off = abs(causes.off(worst, run.forecast))
    wide = (
        f", in a band of {span(run.forecast.at(worst.users))} req/s"
        if off > causes.UNSTEADY
        else ""
    )
    return f"{which} {percent(off)}{wide}, {_known(worst)}"


def _known(point: Point) -> str:
    return f"where the measurement itself is known to ±{NARROW}{percent(half_width(point))}"


def caption(machine: Machine, runs: int = 1, by: str = "") -> str:
    """Say which machine a figure is of, and by what its run is the middle of several."""
    # A whole run, so one of its points may be the lowest or highest of them.
    many = (
        f" One whole run, the middle of {runs} runs by {by}, and each point's spread."
        if runs > 1 and by
        else ""
    )
    return f"Recorded on: {machine.caption}.{many}"


def database(used: str) -> str:
    """Say which database a lab had, and how to get the other where it was SQLite."""
    but = " `labs servers` says how to get PostgreSQL." * used.startswith("SQLite")
    return f"The database was {used}.{but}"


def service(server: Server) -> str:
    """Say what the measured service time includes, in one sentence."""
    includes = {
        "prefork": "waits for a core included",
        "threaded": "waits for a core and for Python's lock included",
        "event-loop": "with the time for which the loop did other things after this one's wait, "
        "but not the time before it took the request up",
    }
    return (
        "Service time is from a request's begin in the application to its end, "
        f"{includes[server.architecture]}; queued is the rest of the response time."
    )


def who(server: Server) -> str:
    """A server in words: `A prefork server (8 processes run by gunicorn, on all cores)`."""
    cores = {None: "all cores", 1: "one core"}.get(server.cores, f"{server.cores} cores")
    pool = reasons.pool(server.processes, server)
    if server.architecture == "threaded":
        processes = counted(server.processes, "process", "processes")
        pool = f"{processes} with {counted(server.threads, 'thread')}"
        pool += " each" if server.processes > 1 else ""
    if server_facts(server.by).first is not None:
        pool = f"up to {pool}"
    article = "An" if server.architecture[0] in "aeiou" else "A"
    return f"{article} {server.architecture} server ({pool} run by {called(server.by)}, on {cores})"


def need(workload: Workload) -> str:
    """Say what requests do, after "requests that": `need 50 ms of CPU`."""
    needs = ["fetch a small file"] if workload.page == "file" else []
    if workload.cpu_s:
        hashing = " for hashing" if workload.cpu_by == "hashing" else ""
        needs.append(f"need {duration(workload.cpu_s)} of CPU{hashing}")
    if workload.wait_s:
        needs.append(WAITS[workload.wait_by].need.format(duration(workload.wait_s)))
    return " and ".join(needs) or "need next to nothing"
