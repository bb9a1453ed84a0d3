"""The checkup: fingerprint and calibration, with the cost of an empty request to either side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from labs.kinds.base import Still
from labs.kinds.checkup.record import Checkup
from labs.kinds.sweep.run import Measurement
from labs.measure.rig import Progress
from labs.records.experiment import Experiment, Load, Server, Workload

CHECKUP_S = 8.0


CHECKUP = Experiment(Server("event-loop"), Workload(), Load((1, 8)))


class ThisMachine(Still[Checkup]):
    """Fingerprint and calibration, with the cost of an empty request to either side."""

    result = Checkup
    seconds = CHECKUP_S
    about = (
        "The lab reads what the system says of this machine, burns all its cores for a second, "
        "and lets the load generator ask a server for nothing, as fast as it can."
    )

    def measure(self, tell: Callable[[Any], None], stop: threading.Event) -> Checkup:
        def progress(told: object) -> None:
            if isinstance(told, Progress):
                tell(told)

        measured = Measurement(CHECKUP, tell=progress, stop=stop).run()
        return Checkup(
            machine=measured.machine,
            calibrations=(measured.run.calibration,),
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def joined(self, rounds: Sequence[Checkup]) -> Checkup:
        calibrations = tuple(one for each in rounds for one in each.calibrations)
        return replace(rounds[0], calibrations=calibrations)
