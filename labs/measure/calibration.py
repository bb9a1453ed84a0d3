"""Calibration: how fast is this machine now? Short burns, and what is kept of them and of trials.

Who disturbs a burn shows as noise, who takes a core from it in `use` (see `burners`)."""

import contextlib
import hashlib
import math
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import platformdirs

from labs.host import hardware as this_machine
from labs.host.files import read_whole, write_whole
from labs.host.waiting import Stopped
from labs.measure.burners import Burn, burn_once, explained, hot_burners
from labs.measure.latency import timer_s
from labs.records.errors import Unusable
from labs.records.experiment import CpuBy, Experiment, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.server_facts import keeps_connections, server_facts

REPEATS = 3  # with one process and with all; the middle one counts, as a first has more turbo
EVERY_STEP = 8  # numbers of busy processes that are all burned; beyond, half of the cores and all
NOISY = 0.10  # spread of equal burns, relative; then they are burned again,
PATIENCE = 4  # times as many, while no burn gets a core at all
ATTEMPTS = 3  # so many times in all, and the calmest are taken with their noise
KEPT = "calibration.json"
LATELY_S = 600.0  # equal burns no older than that tell how far this machine's speed moves

Burns = Mapping[int, Sequence[Burn]]  # by the number of busy processes


class Kept(msgspec.Struct):
    """What a machine remembers between runs: the last burns, and what requests cost each server."""

    of: str  # the machine and versions it was measured on
    burns: dict[str, Calibration] = {}  # by the unit of work
    at: dict[str, float] = {}  # and when that was, in seconds since 1970
    trials: dict[str, Calibration] = {}  # by the kind of server and request


def calibrate(
    machine: Machine | None = None,
    *,
    cpu_by: CpuBy = "counting",
    language: str = "Python",
    cores: Sequence[int] | None = None,
    stop: threading.Event | None = None,
) -> Calibration:
    """Burn that unit of work with 1, 2, ... processes on all usable cores, or on these: where the
    server is to be pinned. What PHP or node is to do is counted in that language. Takes 1.5 s on
    two cores, 2.7 s on eight, and that up to three times on a machine that gives no steady speed.

    Raises Stopped, and Unusable for a language whose program does not run. Assumes that the
    processes' CPU clocks tell what they used.
    """
    machine = machine or this_machine.fingerprint()
    number = len(cores) if cores else machine.cores
    with (
        hot_burners(number, cpu_by, language, cores, stop) as burners,
        explained(cpu_by, language),
    ):
        burns = calmest(lambda: _attempt(burners, stop))
    got = min(1.0, max(burn.cores for burn in burns[number]) / number)
    quota = machine.quota_cores  # what its periods leave of a burn as short as one is luck
    speed = speeds(burns, number)
    found = Calibration(
        loops_per_s=speed,
        noise_fraction=noise(burns[1]),
        spread=_moved(machine, unit_of(cpu_by, language), speed[0]),
        unit=unit_of(cpu_by, language),
        timer_s=timer_s(),
        use=got if quota is None else min(1.0, quota / number),
    )
    keep(machine, found)
    return found


def calmest(attempt: Callable[[], Burns]) -> Burns:
    """Burns whose noise is bearable, or the calmest of so many attempts; more where most of the
    burns, of one alone or of some together, got no core. Unusable where they never do."""

    def off(burns: Burns) -> float:
        return noise(burns[1]) if all(speeds(burns, max(burns))) else math.inf

    attempts = [attempt()]
    while (by := off(attempts[-1])) > NOISY and len(attempts) < ATTEMPTS * (
        PATIENCE if by == math.inf else 1
    ):
        attempts.append(attempt())
    best = min(attempts, key=off)
    if off(best) == math.inf:
        raise Unusable(
            f"The machine is so busy that in {len(attempts)} attempts a calibration got no core. "
            "End other programs and run again."
        )
    return best


def speeds(burns: Burns, number: int) -> tuple[float, ...]:
    """Loops per CPU second of 1, 2, ... busy processes together, from burns of some numbers of
    them; the others lie on straight lines between. Of equal burns the middle one counts."""
    steps = sorted(burns)
    found = [statistics.median(burn.loops_per_s for burn in burns[step]) for step in steps]
    return tuple(np.interp(range(1, number + 1), steps, found).tolist())


def noise(burns: Sequence[Burn]) -> float:
    """Spread of equal burns' speeds, (fastest - slowest) / median; beyond all bounds where most of
    them never got a core."""
    found = [burn.loops_per_s for burn in burns]
    middle = statistics.median(found)
    return (max(found) - min(found)) / middle if middle else math.inf


def last(
    machine: Machine | None = None,
    experiment: Experiment | None = None,
    *,
    stop: threading.Event | None = None,
) -> Calibration:
    """Read the calibration kept from the last run on this machine, or a fresh one.

    With an experiment: of the unit that its work asks for, and with what such requests cost its
    server and the load generator, as last measured, or zero before that. Raises what `calibrate`
    does.
    """
    machine = machine or this_machine.fingerprint()
    kept, cpu_by, language = _kept(machine), Workload().cpu_by, "Python"
    if experiment is not None:
        cpu_by = experiment.workload.cpu_by
        language = language_of(experiment.server, experiment.workload)
    burned = kept.burns.get(unit_of(cpu_by, language))
    burned = burned or calibrate(machine, cpu_by=cpu_by, language=language, stop=stop)
    if experiment is None or (tried := kept.trials.get(_kind(experiment))) is None:
        return burned
    speed, off = burned.loops_per_s, burned.noise_fraction
    return replace(tried, loops_per_s=speed, noise_fraction=off, unit=burned.unit)


def keep(machine: Machine, found: Calibration, experiment: Experiment | None = None) -> None:
    """Remember burns, if they are of all cores, or with an experiment what its requests cost. A
    folder that cannot be written only means that the next one is measured again."""
    kept = _kept(machine)
    if experiment is not None:
        kept.trials[_kind(experiment)] = found
    elif len(found.loops_per_s) == machine.cores:
        kept.burns[found.unit] = found
        kept.at[found.unit] = time.time()
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        write_whole(_folder() / KEPT, msgspec.json.encode(kept))


def _moved(machine: Machine, unit: str, loops_per_s: float) -> float:
    """Tell how far a speed is from the last one burned here lately, relative."""
    kept = _kept(machine)
    if unit not in kept.burns or time.time() - kept.at.get(unit, 0.0) > LATELY_S:
        return 0.0
    return abs(kept.burns[unit].loops_per_s[0] / loops_per_s - 1)


def language_of(server: Server, workload: Workload) -> str:
    """Name the language to burn in: the server's, if it is to do any work."""
    return server_facts(server.by).language if workload.cpu_s else "Python"


def unit_of(cpu_by: CpuBy, language: str) -> str:
    """Name the unit of work (`Calibration.unit`) that is burned so."""
    return cpu_by if language == "Python" else f"{cpu_by} in {language}"


def _attempt(burners: Sequence[subprocess.Popen[str]], stop: threading.Event | None) -> Burns:
    """Burn with so many processes so many times, by turns."""
    often = {1, len(burners)}
    times = {step: REPEATS if step in often else 1 for step in _steps(len(burners))}
    burns: dict[int, list[Burn]] = {step: [] for step in times}
    for repeat in range(REPEATS):
        for step in (step for step, most in times.items() if repeat < most):
            if stop is not None and stop.is_set():
                raise Stopped
            burns[step].append(burn_once(burners[:step], stop=stop))
    return burns


def _steps(cores: int) -> list[int]:
    """Numbers of busy processes to burn with."""
    steps = set(range(1, min(cores, EVERY_STEP) + 1))
    return sorted(steps | {cores // 2, cores} if cores > EVERY_STEP else steps)


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("wall-time"))


def _kept(machine: Machine) -> Kept:
    """Read what is remembered of this machine as it is now: nothing, where it was another."""
    nothing = Kept(of=hashlib.sha256(msgspec.json.encode(machine, order="sorted")).hexdigest())
    try:
        kept = msgspec.json.decode(read_whole(_folder() / KEPT), type=Kept)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return nothing
    return kept if kept.of == nothing.of else nothing


def _kind(experiment: Experiment) -> str:
    """Name the kind of requests that cost this server the same beside their work, and whose work
    costs it as much more than burned: with naps between them or without."""
    server, workload = experiment.server, experiment.workload
    connections = "kept" if keeps_connections(server, experiment.load) else "closed"
    what = "file" if workload.page == "file" else workload.wait_by
    work = workload.cpu_by if workload.cpu_s else "none"
    kind = f"{server.architecture}/{server.by}/{connections}/{what}/{work}"
    return f"{kind}/naps" if experiment.naps else kind
