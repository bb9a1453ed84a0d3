"""A sweep's result: an experiment with its machine and one or more runs of it."""

from dataclasses import replace
from typing import Any, Protocol, Self

import msgspec

from labs.records.experiment import Experiment
from labs.records.results import Machine, Point, PredictedLevel, Result, Run, middle, pick
from labs.theory.server_model import ServerModel

VISIBLE = 0.02  # of the forecast: so far beside it another line is seen


class Levels(Protocol):
    """A result whose drawn run has a level, and its forecast, for each number of users."""

    @property
    def machine(self) -> Machine: ...
    @property
    def run(self) -> Any: ...
    @property
    def points(self) -> tuple[Point, ...]: ...
    def at(self, users: int) -> Point: ...


class Recording(Result, tag="sweep", frozen=True, kw_only=True):
    """An experiment with its machine and one or more runs of it."""

    experiment: Experiment
    runs: tuple[Run, ...]

    @property
    def run(self) -> Run:
        """The middle run, by throughput at the last level: the one that is drawn."""
        return middle(self.runs, lambda run: run.points[-1].throughput_rps if run.points else 0)

    @property
    def model(self) -> ServerModel:
        """The model that forecast the middle run."""
        return ServerModel(self.experiment, self.run.calibration, self.machine)

    @property
    def at_run_speed(self) -> list[PredictedLevel]:
        """The levels of the forecast, had the cores been as fast then as burns around a level's
        windows found them; without levels around which nothing was burned."""
        points = sorted(self.points, key=lambda point: point.users)
        burned = [(point.users, point.core_speed) for point in points]
        return [self.model.at_speed(users, speed) for users, speed in burned if speed]

    @property
    def second_forecast(self) -> list[PredictedLevel]:
        """The forecast at the speed of the run, to be drawn where it differs visibly at a level."""
        again, first = self.at_run_speed, self.run.forecast
        off = (level.model_rps / first.at(level.users).model_rps - 1 for level in again)
        return again if any(abs(each) > VISIBLE for each in off) else []

    @property
    def points(self) -> tuple[Point, ...]:
        return self.run.points

    @property
    def last(self) -> Point | None:
        """The last level that was asked for; None where the run broke off before."""
        users = self.experiment.load.users[-1]
        return next((point for point in self.points if point.users == users), None)

    def as_if_on(self, cores: int) -> Self:
        """Scale users and throughputs from the machine's cores to so many. Response times are what
        they were: so many users a core wait as long on any number of cores."""
        factor = cores / self.machine.cores

        def moved(point: Point) -> Point:
            low, high = point.throughput_ci_rps
            return replace(
                point,
                users=round(point.users * factor),
                throughput_rps=point.throughput_rps * factor,
                throughput_ci_rps=(low * factor, high * factor),
            )

        runs = tuple(replace(run, points=tuple(map(moved, run.points))) for run in self.runs)
        return msgspec.structs.replace(self, runs=runs)

    def at(self, users: int) -> Point:
        """Find the level of so many users; KeyError says which there are."""
        return pick(self.points, users=users)

    def at_each(self, users: int) -> list[Point]:
        """Find a level in each run that has it, the one that is drawn first."""
        runs = [self.run, *(run for run in self.runs if run is not self.run)]
        return [point for run in runs for point in run.points if point.users == users]
