"""Power: whether the machine runs on its battery, as psutil reads it from Linux and macOS."""

import sys
from contextlib import suppress
from pathlib import Path

import psutil

from labs.records.results import Power

SUPPLIES = Path("/sys/class/power_supply")  # Linux


def power() -> Power:
    """Read the machine's power now: mains where nobody tells. On Linux a mouse has a battery too,
    and only one that is named as the system's own counts."""
    battery = None
    if sys.platform != "linux" or any(SUPPLIES.glob("BAT*")):
        with suppress(OSError):
            battery = psutil.sensors_battery()
    return Power(on_battery=battery is not None and battery.power_plugged is False)
