"""Verdict on a timeline: what is asked, what came of it, what to know before believing it. Pure:
records in, sentences out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from labs.analysis.causes import AGREES, Effects
from labs.analysis.checks import full_generator, is_the_result, sampling_error, surroundings
from labs.analysis.failures import failures
from labs.kinds.timeline.record import StepResult, Timeline, WalkedStep
from labs.present.power import powered
from labs.present.verdict import need, who
from labs.records.experiment import Server, Workload
from labs.records.format import digits, duration, percent, quotient, rate
from labs.records.results import Check, Machine, told, unfit
from labs.records.server_facts import locked
from labs.records.steps import KILL, Step

LATE = 0.05  # of the mean response time, on average
LEAST = 5  # requests of a step: with fewer there is nothing to say
INTERVENED = "you intervened, so the forecast was of another course"
IS_THE_RESULT = "That is what this lab shows, so the step counts."
FULL = 0.9  # of the cores that others left: with more of them in use, nobody leaves one idle


def about(server: Server, workload: Workload, steps: Sequence[Step]) -> str:
    """Say what is about to be tested, in one sentence."""
    course = ", then ".join(
        f"{digits(step.seconds)} s of {step.load}{_done(step)}" for step in steps
    )
    return f"{who(server)} answers requests that {need(workload)}: {course}."


def checks(
    result: StepResult,
    step: Step,
    server: Server,
    machine: Machine,
    lost: int = 0,
    killed: int = 1,
) -> Iterator[Check]:
    """Check a step: all that is to be said of it. lost: requests that failed in it with the workers
    that were killed so far."""
    if lost:
        whose = "the worker that was killed" if killed == 1 else "workers that were killed"
        yield told("killed", f"{_requests(lost)} failed, with {whose}.")
    if failed := result.failed - lost:
        yield failures(failed, no_port=result.no_port)
    if result.missed:
        yield unfit(
            "missed",
            f"{result.missed} arrivals found no user left in the load generator, so fewer came "
            f"than the {step.load} asked for. Give shorter steps or a lower rate.",
        )
    if result.late_s > LATE * result.mean_response_time_s > 0:
        yield told(
            "late",
            f"{result.late} arrivals were sent late, {duration(result.late_s)} on average over "
            "all: the load generator had no time. Their response times run from when they were "
            "due, so that wait is in them.",
        )
    yield from full_generator(result)
    if result.completed < LEAST:
        yield unfit("few", f"Only {_requests(result.completed)} ended. Give the step more time.")
    yield from surroundings(result, machine, _effects(result, step, server, machine))


def _effects(result: StepResult, step: Step, server: Server, machine: Machine) -> Effects:
    """Estimate how much more the step could do had nobody else used the cores: nothing where those
    that were left were not full, or more than those could not have been used; else that part of the
    cores."""
    cores = min(machine.cores, machine.quota_cores or math.inf)
    taken = {
        "others": result.others_cpu,
        "steal": result.steal_cpu,
        "page": result.page_cpu + (result.browser_cpu or 0.0),
    }
    left = cores - sum(taken.values())
    most = server.processes if locked(server, machine) else server.pool or server.processes
    wanted = min(step.users or math.inf, most, server.cores or math.inf)
    if wanted <= left or result.server_cpu + result.generator_cpu < FULL * left:
        return Effects()
    return Effects(surroundings={name: -each / cores for name, each in taken.items()})


def verdict(timeline: Timeline) -> tuple[str, ...]:
    """Say step by step whether the forecast held, and what grew."""
    walked = timeline.walked
    if not walked:
        return ("No step was walked to its end, so there is nothing to say yet.",)
    return (*map(_of_step, walked), *_workers(timeline), *powered(timeline.run.power))


def telling_first(timeline: Timeline) -> list[str]:
    """Put first, for a glance, the verdict on the step in which answers took longest."""
    told = list(verdict(timeline))
    took = [each.mean_response_time_s for each in timeline.run.step_results]
    first = took.index(max(took)) if took else 0
    return [told.pop(first), *told]


def first_with(timeline: Timeline, workers: int) -> tuple[int, float] | None:
    """Find in which step, counted from 1, there first were so many workers, and how long after its
    begin; None if there never were, or were from the beginning."""
    reached = [at for at, count in timeline.run.ramp if count >= workers]
    if not reached or reached[0] == 0:
        return None
    begun = [begin for begin in timeline.begins_s if begin <= reached[0]]
    return len(begun), reached[0] - begun[-1]


def _of_step(step: WalkedStep) -> str:
    run, result, model = step.timeline.run, step.found, step.forecast_rps
    reasons = " ".join(check.sentence for check in result.checks if check.unfit)
    if is_the_result(result, step.timeline.workload):
        return f"Step {step.number}: {reasons} {IS_THE_RESULT}"
    if reasons:
        return f"Step {step.number} cannot be believed: {reasons}"
    found = result.throughput_rps
    where = f"Step {step.number}, {step.asked.load}: {rate(found)}"
    if run.intervened_s < step.end_s:
        return f"{where}; {INTERVENED}."
    if step.asked.rate is not None:
        return _of_arrivals(step)
    few = sampling_error(step.timeline.workload, result.completed)
    if abs(model - found) <= max(AGREES, few) * found:
        return f"{where}, as the forecast said ({rate(model)})."
    side = "above" if found > model else "below"
    miss = percent(abs(quotient(found, model) - 1))
    return f"{where}, {miss} {side} the forecast ({rate(model)})."


def _of_arrivals(step: WalkedStep) -> str:
    result, response_s, took = step.found, step.forecast_response_s, ""
    if response_s is not None and result.mean_response_time_s:
        took = f", after {duration(result.mean_response_time_s)} ({duration(response_s)})"
    left = f"{_requests(result.in_flight)} {'was' if result.in_flight == 1 else 'were'} under way"
    return (
        f"Step {step.number}, {step.asked.load}: {rate(step.came_rps)} came, "
        f"{rate(result.throughput_rps)} were answered (forecast {rate(step.forecast_rps)}){took}; "
        f"then {left}, forecast {left_behind(step, ' in eight of ten runs')}."
    )


def left_behind(step: WalkedStep, band: str = "") -> str:
    """Say how many requests the forecast has under way at the step's end, and between which numbers
    in eight of ten runs. band: words on that."""
    last = step.forecast_at_end
    told = digits(last.in_flight[1], 2)
    if last.in_flight_band is None:
        return told
    low, high = last.in_flight_band[1]
    return f"{told} ({low:.0f} to {high:.0f}{band})"


def _workers(timeline: Timeline) -> Iterator[str]:
    counts = [count for _, count in timeline.run.ramp]
    if not counts or min(counts) == max(counts):
        return
    first = "was 1 worker" if counts[0] == 1 else f"were {counts[0]} workers"
    said = f"There {first} at the beginning, {max(counts)} at most"
    if first_at := first_with(timeline, max(counts)):
        said += f", {duration(first_at[1])} after step {first_at[0]} began"
    yield f"{said}, and {counts[-1]} at the end."


def _done(step: Step) -> str:
    if step.do == KILL:
        return " while a worker is killed"
    return f" while the pool is raised to {step.pool}" if step.pool else ""


def _requests(count: float) -> str:
    return "1 request" if round(count) == 1 else f"{count:,.0f} requests"
