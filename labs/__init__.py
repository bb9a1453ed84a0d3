"""Wall Time's labs: start a real server, drive it, and set the measurement against the law.

What a chapter uses is here, and imported when it is first used: `import labs` alone is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labs.exercises import exercise
    from labs.lab import (
        calibration,
        classic,
        clocks,
        compare,
        generators,
        memory,
        mystery,
        race,
        recorded,
        sweep,
        timeline,
    )
    from labs.practice import check, progress
    from labs.records import (
        BadRecording,
        Experiment,
        Load,
        Recording,
        Server,
        Unusable,
        Workload,
    )
    from labs.timelines import Step

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
    "Step": "timelines",
    "check": "practice",
    "exercise": "exercises",
    "generators": "lab",
    "calibration": "lab",
    "classic": "lab",
    "clocks": "lab",
    "compare": "lab",
    "memory": "lab",
    "mystery": "lab",
    "progress": "practice",
    "race": "lab",
    "recorded": "lab",
    "sweep": "lab",
    "timeline": "lab",
}  # everything else lives in records


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'labs' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"labs.{_HOMES.get(name, 'records')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
