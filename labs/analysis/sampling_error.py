"""Sampling error: how far few requests lie off where works, waits and pauses are drawn. Pure."""

from __future__ import annotations

import math

from labs.records.experiment import Experiment
from labs.records.results import Point, Prediction
from labs.records.server_facts import WAITS

STANDARD_ERRORS = 2.0  # of the mean of what was drawn


def of_pauses(point: Point, experiment: Experiment) -> float:
    """By how much X (R + Z) / N may be off, as Z is the mean of exponential pauses of which few
    were drawn."""
    think_s = experiment.load.think_time_s
    if not think_s or not point.completed:
        return 0.0
    return (
        STANDARD_ERRORS
        * think_s
        / (think_s + point.mean_response_time_s)
        / math.sqrt(point.completed)
    )


def of_limit(point: Point, experiment: Experiment, forecast: Prediction) -> float:
    """By how much the requests of a point may have been lighter than they are on average, as a
    part of the time that limits them: of the CPU work, of work and wait, or of a whole round.
    Of a point with completions."""
    work, limit = experiment.workload, forecast.at(point.users).limit
    blocks = limit == "event loop" and WAITS[work.wait_by].stops_a_loop
    drawn: list[tuple[float, float]] = []  # mean and coefficient of variation
    if limit not in ("load generator", *WAITS):
        drawn.append((forecast.at(point.users).demand_s, work.cpu_cv))
    if blocks or limit in ("users", "pool", *WAITS):
        drawn.append((forecast.wait_s, work.wait_cv))
    if limit == "users":
        drawn.append((experiment.load.think_time_s, 1.0))
    whole_s = sum(mean_s for mean_s, _ in drawn)
    if not whole_s:
        return 0.0
    spread_s = math.hypot(*(mean_s * cv for mean_s, cv in drawn))
    return STANDARD_ERRORS * spread_s / whole_s / math.sqrt(point.completed)
