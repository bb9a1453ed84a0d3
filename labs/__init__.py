"""Wall Time's labs: start a real server, drive it, and set the measurement against the law.

What a chapter uses is here, and imported when it is first used: `import labs` alone is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from labs.kinds.registry import KINDS

if TYPE_CHECKING:
    from labs.api import check, load_test
    from labs.exercises.check import exercise
    from labs.kinds.sweep.record import Recording
    from labs.records.errors import BadRecording, Unusable
    from labs.records.experiment import Experiment, Load, Server, Workload
    from labs.records.steps import Step

_HOMES = {
    "BadRecording": "records.errors",
    "Experiment": "records.experiment",
    "Load": "records.experiment",
    "Recording": "kinds.sweep.record",
    "Server": "records.experiment",
    "Step": "records.steps",
    "Unusable": "records.errors",
    "Workload": "records.experiment",
    "check": "api",
    "exercise": "exercises.check",
    "load_test": "api",
}

__all__ = [
    "BadRecording",
    "Experiment",
    "Load",
    "Recording",
    "Server",
    "Step",
    "Unusable",
    "Workload",
    "check",
    "exercise",
    "load_test",
]
__all__ += list(KINDS)


def __getattr__(name: str) -> Any:
    if name in KINDS:
        value = importlib.import_module("labs.api").opener(name)
    elif name in _HOMES:
        value = getattr(importlib.import_module(f"labs.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module 'labs' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
