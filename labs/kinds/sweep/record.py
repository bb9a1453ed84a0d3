"""A sweep's result: an experiment with its machine and one or more runs of it."""

from labs.records.experiment import Experiment
from labs.records.results import Point, Result, Run, middle, pick
from labs.theory.server_model import ServerModel


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
        """The model that forecast that run."""
        return ServerModel(self.experiment, self.run.calibration, self.machine)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.run.points

    @property
    def last(self) -> Point | None:
        """The last level that was asked for; None where the run broke off before."""
        users = self.experiment.load.users[-1]
        return next((point for point in self.points if point.users == users), None)

    def at(self, users: int) -> Point:
        """That level; KeyError says which there are."""
        return pick(self.points, users=users)

    def at_each(self, users: int) -> list[Point]:
        """That level in each run that has it, the one that is drawn first."""
        runs = [self.run, *(run for run in self.runs if run is not self.run)]
        return [point for run in runs for point in run.points if point.users == users]

    def spread_rps(self, users: int) -> tuple[float, float]:
        """Lowest and highest throughput of that level over the runs."""
        found = [point.throughput_rps for point in self.at_each(users)]
        return min(found), max(found)
