"""Power: what decides on the clock of the cores beside their work. Battery, settings, heat.

Linux tells in files (the kernel's documents `power/power_supply_class`, `admin-guide/pm/cpufreq`
and `admin-guide/pm/intel_pstate`), macOS by `pmset`. What nobody tells is taken for well.
"""

import re
from pathlib import Path

import psutil

from labs.host.cgroup import number, read
from labs.host.hardware import CPUS, MACHINE, usable_cores
from labs.host.programs import printing
from labs.records.results import Power

SLOW_PREFERENCES = ("power", "balance_power")
SLOW_GOVERNORS = ("powersave", "conservative")


def power(root: Path = MACHINE) -> Power:
    """Read the power's state: some files a core, and on macOS a program that is run twice."""
    cores = [root / CPUS / f"cpu{core}" for core in usable_cores(root)]
    told = _pmset() if root == MACHINE and not (root / CPUS).is_dir() else Power()
    saving = next(filter(None, map(_saving, cores)), told.saving)
    on_battery = _on_battery(root / "sys/class/power_supply")
    if on_battery is None and root == MACHINE:
        battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
        on_battery = battery is not None and battery.power_plugged is False
    # Each core counts for itself, and for the package that all are in.
    alone = sum(_throttles(core, "core") for core in cores)
    together = max((_throttles(core, "package") for core in cores), default=0)
    return Power(
        on_battery=bool(on_battery), saving=saving, speed=told.speed, throttles=alone + together
    )


def read_pmset(settings: str, heat: str) -> Power:
    """Read `pmset -g` and `pmset -g therm`, the second of which tells of heat on Intel only."""
    saving = re.search(r"^\s*lowpowermode\s+1$", settings, re.MULTILINE)
    limit = re.search(r"CPU_Speed_Limit\s*=\s*(\d+)", heat)
    return Power(
        saving="low power mode" if saving else "", speed=int(limit[1]) / 100 if limit else 1.0
    )


def _on_battery(supplies: Path) -> bool | None:
    """Whether a battery of the system itself is all there is; None where nobody knows of one.
    Under WSL one that empties is said to be "Not charging", so the mains are asked, too."""
    found = {
        (read(each / "type"), read(each / "status") or read(each / "online"))
        for each in (supplies.iterdir() if supplies.is_dir() else ())
        if read(each / "scope") != "Device"  # that of a mouse
    }
    if not any(kind == "Battery" for kind, _ in found):
        return None
    plugged = any(kind != "Battery" and state == "1" for kind, state in found)
    unplugged = not found.isdisjoint({("Battery", "Discharging"), ("Mains", "0")})
    return unplugged and not plugged


def _saving(core: Path) -> str:
    """Name the setting that keeps a core slow, if there is one. Where the processor itself chooses
    its clock, `powersave` is what its governor is called, and the preference counts."""
    governor = read(core / "cpufreq/scaling_governor")
    preference = read(core / "cpufreq/energy_performance_preference")
    if preference:
        return preference if preference in SLOW_PREFERENCES else ""
    return governor if governor in SLOW_GOVERNORS else ""


def _throttles(core: Path, of: str) -> int:
    return int(number(read(core / f"thermal_throttle/{of}_throttle_count")) or 0)


def _pmset() -> Power:
    settings, heat = printing(["pmset", "-g"]), printing(["pmset", "-g", "therm"])
    return read_pmset(settings.stdout, heat.stdout) if settings and heat else Power()
