"""Wall Time's labs: start a real server, drive it, and set the measurement against the law.

What a chapter uses is here, and imported when it is first used: `import labs` alone is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from labs.kinds.registry import KINDS

if TYPE_CHECKING:
    from labs.api import load_test as load_test
    from labs.exercises.key import exercise as exercise
    from labs.kinds.sweep.record import Recording as Recording
    from labs.records.errors import BadRecording as BadRecording
    from labs.records.errors import Unusable as Unusable
    from labs.records.experiment import Experiment as Experiment
    from labs.records.experiment import Load as Load
    from labs.records.experiment import Server as Server
    from labs.records.experiment import Workload as Workload
    from labs.records.steps import Step as Step

_HOMES = {
    "BadRecording": "records.errors",
    "Experiment": "records.experiment",
    "Load": "records.experiment",
    "Recording": "kinds.sweep.record",
    "Server": "records.experiment",
    "Step": "records.steps",
    "Unusable": "records.errors",
    "Workload": "records.experiment",
    "exercise": "exercises.key",
    "load_test": "api",
}

__all__ = list(_HOMES)
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
