"""Says in words what power a run's machine had. Pure: records in, text out."""

from collections.abc import Sequence

from labs.records.results import Power


def powered(power: Sequence[Power]) -> tuple[str, ...]:
    """Say that the machine was on battery; nothing where it was not, or nobody told. `power` is as
    it was when the run began, and when it ended."""
    told = [each.on_battery for each in (*power[:1], *power[-1:])]
    if not any(told):
        return ()
    when = ""
    if not all(told):
        when = " when the run began" if told[0] else " when the run ended"
    return (f"The machine was on battery{when}: it may be slower than plugged in.",)
