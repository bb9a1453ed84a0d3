"""The settings that a panel has, by the names of their fields, and which of them a lab is about."""

from collections.abc import Sequence

from labs.records.errors import Unusable, instance
from labs.records.experiment import Experiment

SETTINGS = (
    *("architecture", "by", "processes", "threads", "cores"),
    *("cpu_s", "cpu_by", "wait_s", "wait_by", "connections", "users"),
)
MOST_NAMED = 3  # more than three are no longer seen at a glance


def check_named(about: Sequence[str]) -> tuple[str, ...]:
    """The names as given. Unusable for what is no setting, and for more than MOST_NAMED."""
    given: object = about
    if isinstance(given, str):
        raise Unusable(f"about={about!r}: give a list of settings, such as about=['processes'].")
    instance("about", about, (list, tuple), "Give a list of settings, such as ['processes'].")
    for name in about:
        if name not in SETTINGS:
            raise Unusable(f"about={name!r}: no setting. Choose from {', '.join(SETTINGS)}.")
    if len(about) > MOST_NAMED:
        raise Unusable(f"about={list(about)}: too many. Name at most {MOST_NAMED} settings.")
    return tuple(about)


def usual(experiment: Experiment) -> tuple[str, ...]:
    """Name the settings of a lab that names none: the number of workers, the longer part of a
    request, and how many users."""
    work = experiment.workload
    longer = "cpu_s" if work.cpu_s >= work.wait_s else "wait_s"
    return ("processes", longer, "users")


def value_of(experiment: Experiment, name: str) -> object:
    """Value of one setting of an experiment."""
    for part in (experiment.server, experiment.workload, experiment.load):
        if hasattr(part, name):
            return getattr(part, name)
    raise KeyError(name)
