"""The measured levels of an attachment, as a verdict asks them. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labs.kinds.attach.record import Attachment
from labs.records.results import Point

FLAT = 0.12  # below the highest throughput: so near and more users bring no more


@dataclass(frozen=True, slots=True)
class Curve:
    """The measured levels, as what is asked of them."""

    run: Attachment
    points: tuple[Point, ...]  # fit ones, from few users to many

    @property
    def top(self) -> Point:
        """The level with the most users."""
        return self.points[-1]

    @property
    def plateau(self) -> tuple[Point, ...]:
        """The levels from which on more users bring no more, or less; empty where throughput still
        rises at the end."""
        enough = (1 - FLAT) * max(point.throughput_rps for point in self.points)
        first = next(i for i, point in enumerate(self.points) if point.throughput_rps >= enough)
        return self.points[first:] if first < len(self.points) - 1 else ()

    @property
    def alone_s(self) -> float:
        """A round of one user, without the pause."""
        return self.run.alone_s

    def by_users(self, point: Point) -> float:
        """Throughput if nothing were full."""
        return point.users / (self.alone_s + self.run.think_time_s)

    def share(self, point: Point) -> float:
        """What was measured, as a part of that."""
        return point.throughput_rps / self.by_users(point)

    def mean(self, name: str) -> float:
        """The mean of a field of the points on the plateau, or else of the last one."""
        points = self.plateau or (self.top,)
        return math.fsum(getattr(p, name) for p in points) / len(points)
