"""Requests as the load generator reports them: raw times, and how things stood at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workloads.protocol import FAILED, FIELDS, LATE, MISSED, OK

RECORD = np.dtype([(name, f"<{code}") for name, code in FIELDS.items()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The state of all requests at one moment. Each that had begun had either ended or was in
    flight: none is in both, and none in neither."""

    records: NDArray[np.void]  # ended by then, in order of arrival
    flying: dict[int, float]  # user -> start
    at: float  # `time.perf_counter`

    @classmethod
    def cut(cls, records: NDArray[np.void], flying: Mapping[int, float], at: float) -> Report:
        """Make a report of records and requests in flight of which some are of a later moment: what
        ended since is in flight, and what began since is not there yet. Load generators cannot all
        report at once, and go on while they are read."""
        asked = (records["kind"] == OK) | (records["kind"] == FAILED)
        late = records[asked & (records["start"] < at) & (records["end"] > at)]
        open_then = {user: start for user, start in flying.items() if start < at}
        open_then |= zip(late["user"].tolist(), late["start"].tolist(), strict=True)
        told = asked | (records["kind"] == MISSED) | (records["kind"] == LATE)
        ended = told & (records["end"] <= at)
        return cls(records=records[ended], flying=open_then, at=at)
