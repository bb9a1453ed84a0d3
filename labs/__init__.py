"""Wall Time's labs: start a real server, drive it, and set the measurement against the law.

What a chapter uses is here, and imported when it is first used: `import labs` alone is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labs.api import (
        calibration,
        check,
        classic,
        clocks,
        compare,
        generators,
        memory,
        mystery,
        progress,
        race,
        recorded,
        sweep,
        timeline,
    )
    from labs.exercises.check import exercise
    from labs.kinds.sweep.record import Recording
    from labs.records.errors import BadRecording, Unusable
    from labs.records.experiment import Experiment, Load, Server, Workload
    from labs.records.steps import Step

__all__ = [
    "BadRecording",
    "Experiment",
    "Load",
    "Recording",
    "Server",
    "Step",
    "Unusable",
    "Workload",
    "calibration",
    "check",
    "classic",
    "clocks",
    "compare",
    "exercise",
    "generators",
    "memory",
    "mystery",
    "progress",
    "race",
    "recorded",
    "sweep",
    "timeline",
]

_HOMES = {
    "BadRecording": "records.errors",
    "Experiment": "records.experiment",
    "Load": "records.experiment",
    "Recording": "kinds.sweep.record",
    "Server": "records.experiment",
    "Step": "records.steps",
    "Unusable": "records.errors",
    "Workload": "records.experiment",
    "exercise": "exercises.check",
}  # everything else lives in api


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'labs' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"labs.{_HOMES.get(name, 'api')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
