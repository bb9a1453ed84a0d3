"""Says in words what power a run's machine had. Pure: records in, text out."""

from collections.abc import Iterator, Sequence

from labs.records.format import percent
from labs.records.results import Power


def powered(power: Sequence[Power]) -> tuple[str, ...]:
    """Say what may have made the machine slower, or slower as time went on; nothing where all was
    well, or nobody told. `power` is as it was when the run began, and when it ended."""
    return tuple(_powered(power)) if power else ()


def _powered(power: Sequence[Power]) -> Iterator[str]:
    first, last = power[0], power[-1]
    if first.on_battery or last.on_battery:
        when = ""
        if first.on_battery != last.on_battery:
            when = " when the run began" if first.on_battery else " when the run ended"
        yield f"The machine was on battery{when}: it may be slower than plugged in."
    if saving := last.saving or first.saving:
        yield f"The system is set to save power ({saving}), so the cores may not run at full speed."
    if (times := last.throttles - first.throttles) > 0:
        often = "once" if times == 1 else f"{times} times"
        yield (
            f"Heat held the processor back {often} while the lab ran: what was measured late was "
            "measured on a slower machine. Let it cool, and run again."
        )
    if (speed := min(first.speed, last.speed)) < 1:
        yield f"Heat held the processor back to {percent(speed)} of its speed."
