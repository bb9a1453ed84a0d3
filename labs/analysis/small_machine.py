"""A lab's first settings where it does not fit: on one core, or on a service that others share.
Pure. Nothing is changed silently: a sentence says what, and why.
"""

from dataclasses import replace

from labs.records.experiment import Experiment
from labs.records.format import duration

HEAVY_CPU_S = 0.005  # per request; less than this leaves one core room for the load generator


def scaled_down(
    experiment: Experiment, cores: int, *, shared: bool = False
) -> tuple[Experiment, str]:
    """The experiment as a small machine should begin with, and the sentence why; unchanged and
    no sentence where it fits. shared: a free service that others use as well (Binder)."""
    work = experiment.workload
    if (cores > 1 and not shared) or work.cpu_s <= HEAVY_CPU_S:
        return experiment, ""
    waiting = replace(work, cpu_s=0.0, wait_s=work.cpu_s + work.wait_s)
    whose = "This is a free service that others share" if shared else "This machine has one core"
    why = (
        f"{whose}, and {duration(work.cpu_s)} of CPU a request would leave nothing for the load "
        "generator. So the lab begins with a wait of the same length. What more cores do is in "
        "the recorded run; the sliders bring the CPU work back."
    )
    return replace(experiment, workload=waiting), why
