"""What the labs of this kernel have measured, so that an exercise can ask about it."""

from labs.records.results import Result

_latest: dict[str, Result] = {}


def keep(lab: str, result: Result) -> None:
    """Remember the newest result of a lab."""
    _latest[lab] = result


def latest(lab: str) -> Result | None:
    """The newest result of a lab, None before its first run in this kernel."""
    return _latest.get(lab)
