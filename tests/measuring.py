"""Measure an experiment as a lab's run does: real servers, real load."""

from typing import Any

from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.measure.rig import Rig
from labs.records.experiment import Experiment


def measure(experiment: Experiment, on_event: Any = None) -> Recording:
    """Measure every level of the experiment; a recording with one run."""
    return Rig(on_event).perform(SweepLab(experiment))
