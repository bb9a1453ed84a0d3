"""How fast is this machine, now? Short burns, hot, in processes of their own.

A request's CPU work is a fixed number of loops, never "spin until a clock says so": that
would make cores / demand a tautology and hide hyper-threads, frequency and neighbours.
Loops are counted by the burning processes' own CPU seconds: a quota that holds them back, or a
neighbour who takes a core, makes a core no slower. How much of the cores they got is told apart.
"""

import contextlib
import hashlib
import math
import os
import shlex
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import platformdirs

from labs.analysis.schedule import HOT_S
from labs.host import hardware as this_machine
from labs.host.files import read_whole, write_whole
from labs.host.supervisor import unsettled
from labs.host.waiting import Stopped, readable, wait_until
from labs.measure.latency import loopback_s, timer_s
from labs.records.errors import Unusable
from labs.records.experiment import CpuBy, Experiment, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.server_facts import keeps_connections, server_facts
from labs.servers import deployments

BURN_S = 0.12  # each
WARM_S = 0.08  # spun before each, so that the core is awake and at speed
REPEATS = 3  # with one process and with all; the middle one counts, as a first has more turbo
EVERY_STEP = 8  # numbers of busy processes that are all burned; beyond, half of the cores and all
NOISY = 0.10  # spread of equal burns, relative; then they are burned again,
PATIENCE = 4  # times as many, while no burn gets a core at all
ATTEMPTS = 3  # so many times in all, and the calmest are taken with their noise
ANSWER_S = 20.0  # to a burner's start or answer, on a busy machine
LOOK_S = 0.05  # how often Stop is looked for meanwhile
KEPT = "calibration.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn:
    """What some processes did together."""

    loops_per_s: float  # in all, per CPU second of each of them
    cores: float  # CPU seconds a second that they had


Burns = Mapping[int, Sequence[Burn]]  # by the number of busy processes
Speedometer = Callable[[], float | None]


class Overhead(msgspec.Struct, frozen=True):
    """What a request costs a server beside what was burned, as `Calibration` has it."""

    work_ratio: float = 1.0
    delay_s: float = 0.0
    alone_overhead_s: float | None = None
    alone_spread: float = 0.0
    crowd_ratio: float | None = None
    crowd_overhead_s: float | None = None
    crowd_generator_s: float | None = None
    crowd_work_s: float = 0.0
    crowd_cores: int = 1
    crowd_spread: float = 0.0
    overhead_s: float = 0.0
    generator_s: float = 0.0
    backend_s: float = 0.0
    backend_late_s: float = 0.0
    call_s: float = 0.0
    handover_s: float = 0.0


class Kept(msgspec.Struct):
    """What is remembered between runs: the last burn, and each server's overhead."""

    of: str  # the machine and versions it was measured on
    burns: dict[str, Calibration]  # by the unit of work
    overheads: dict[str, Overhead]  # by the kind of server


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
    processes' CPU clocks tell what they used; who takes the cores from them shows in `use`, and
    who disturbs them otherwise as noise.
    """
    machine = machine or this_machine.fingerprint()
    number = len(cores) if cores else machine.cores
    with (
        hot_burners(number, cpu_by, language, cores, stop) as burners,
        _explained(cpu_by, language),
    ):
        burns = calmest(lambda: _attempt(burners, stop))
    got = min(1.0, max(burn.cores for burn in burns[number]) / number)
    quota = machine.quota_cores  # what its periods leave of a burn as short as one is luck
    found = Calibration(
        loops_per_s=speeds(burns, number),
        noise_fraction=noise(burns[1]),
        timer_s=timer_s(),
        loopback_s=loopback_s(),
        cpu_by=cpu_by,
        language=language,
        use=got if quota is None else min(1.0, quota / number),
    )
    keep(machine, found)
    return found


@contextlib.contextmanager
def speedometer(
    number: int,
    cpu_by: CpuBy,
    language: str,
    cores: Sequence[int] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Speedometer]:
    """What tells, each time it is asked, how fast so many cores are by then: loops per CPU second
    of one burn of all of them. It takes `schedule.SPEED_S`, and goes by the CPU seconds that its
    processes got, so it can be asked while others use the cores.

    Its answers are to be compared with each other only: each process runs an interpreter's loop at
    a speed of its own, some percent apart, and keeps it. None where no
    burn gets a core, or nothing can be burned: what is measured stands without it.
    """
    with contextlib.ExitStack() as stack:
        burners: Sequence[subprocess.Popen[str]] = ()
        with contextlib.suppress(Unusable):
            burners = stack.enter_context(hot_burners(number, cpu_by, language, cores, stop))

        def speed() -> float | None:
            with contextlib.suppress(OSError, ValueError):
                if burners:
                    return burn_once(burners, stop=stop).loops_per_s or None
            return None

        yield speed


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
    """The calibration kept from the last run on this machine, or a fresh one.

    With an experiment: of the unit that its work asks for, and with what such requests cost its
    server and the load generator, as last measured, or zero before that. Raises what `calibrate`
    does.
    """
    machine = machine or this_machine.fingerprint()
    kept, cpu_by, language = _kept(machine), Workload().cpu_by, "Python"
    if experiment is not None:
        cpu_by = experiment.workload.cpu_by
        language = language_of(experiment.server, experiment.workload)
    known = kept.burns.get(_unit(cpu_by, language)) if kept else None
    found = known or calibrate(machine, cpu_by=cpu_by, language=language, stop=stop)
    if experiment is not None and kept is not None:
        overhead = kept.overheads.get(_kind(experiment), Overhead())
        return replace(found, **msgspec.structs.asdict(overhead))
    return found


def keep(machine: Machine, found: Calibration, experiment: Experiment | None = None) -> None:
    """Remember a calibration, if it is of all cores, and with an experiment what its requests
    cost. A folder that cannot be written only means that the next one is measured again."""
    kept = _kept(machine)
    burns, overheads = (kept.burns, kept.overheads) if kept else ({}, {})
    if len(found.loops_per_s) == machine.cores:
        burns[_unit(found.cpu_by, found.language)] = found
    if experiment is not None:
        overheads[_kind(experiment)] = Overhead(
            **{name: getattr(found, name) for name in Overhead.__struct_fields__}
        )
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        fresh = Kept(of=_of(machine), burns=burns, overheads=overheads)
        write_whole(_folder() / KEPT, msgspec.json.encode(fresh))


def language_of(server: Server, workload: Workload) -> str:
    """To burn in: the server's, if it is to do any work."""
    return server_facts(server.by).language if workload.cpu_s else "Python"


def _unit(cpu_by: CpuBy, language: str) -> str:
    return cpu_by if language == "Python" else f"{cpu_by} in {language}"


@contextlib.contextmanager
def hot_burners(
    number: int,
    cpu_by: CpuBy,
    language: str,
    cores: Sequence[int] | None,
    stop: threading.Event | None = None,
) -> Iterator[list[subprocess.Popen[str]]]:
    """Burning processes at the ready, on these cores, and hot. They end with their input, so with
    us."""
    burners: list[subprocess.Popen[str]] = []
    try:
        with _explained(cpu_by, language):
            for _ in range(number):
                burners.append(
                    subprocess.Popen(
                        _command(cpu_by, language),
                        env=unsettled(),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        text=True,
                    )
                )
                if cores is not None and hasattr(os, "sched_setaffinity"):
                    os.sched_setaffinity(burners[-1].pid, cores)
            for burner in burners:
                if (said := _said(burner, stop)) != "ready\n":
                    raise OSError(f"it said {said.strip()!r} instead of 'ready'")
            burn_once(burners, HOT_S - WARM_S, stop)
        yield burners
    finally:
        for burner in burners:
            burner.kill()
            with contextlib.suppress(BrokenPipeError):
                burner.communicate()


@contextlib.contextmanager
def _explained(cpu_by: CpuBy, language: str) -> Iterator[None]:
    """Unusable, and what to do, for whatever keeps that from being burned."""
    try:
        yield
    except Unusable:  # which is a ValueError too, and says what to do
        raise
    except (OSError, ValueError) as error:
        by_hand = shlex.join(_command(cpu_by, language))
        raise Unusable(
            f"{language} cannot be calibrated: {error}. Try it by hand: {by_hand}"
        ) from None


def _command(cpu_by: CpuBy, language: str) -> Sequence[str]:
    """What burns that."""
    if language == "Python":
        return [sys.executable, "-m", "workloads.burn", cpu_by]
    return deployments.burner(language)


def _attempt(burners: Sequence[subprocess.Popen[str]], stop: threading.Event | None) -> Burns:
    often = {1, len(burners)}
    times = {step: REPEATS if step in often else 1 for step in _steps(len(burners))}
    return _burned(burners, times, stop)


def _burned(
    burners: Sequence[subprocess.Popen[str]],
    times: Mapping[int, int],
    stop: threading.Event | None,
) -> Burns:
    """So many processes together so many times, by turns."""
    burns: dict[int, list[Burn]] = {step: [] for step in times}
    for repeat in range(max(times.values())):
        for step in (step for step, most in times.items() if repeat < most):
            if stop is not None and stop.is_set():
                raise Stopped
            burns[step].append(burn_once(burners[:step], stop=stop))
    return burns


def burn_once(
    burners: Sequence[subprocess.Popen[str]],
    seconds: float = BURN_S,
    stop: threading.Event | None = None,
) -> Burn:
    """These processes together, once, for so long. OSError for one that ended or stands still."""
    for burner in burners:
        assert burner.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is gone, as its answer will tell
            burner.stdin.write(f"{WARM_S} {seconds}\n")
            burner.stdin.flush()
    loops, used_s = 0, 0.0
    for burner in burners:
        said = _said(burner, stop).split()
        loops, used_s = loops + int(said[0]), used_s + float(said[1])
    return burned(len(burners), loops, used_s, seconds)


def _said(burner: subprocess.Popen[str], stop: threading.Event | None) -> str:
    """The line that it answers with, which is all that its pipe holds. Raises Stopped. OSError for
    one that has ended, or that says nothing: it is ended then, as its answer would be too late."""
    assert burner.stdout is not None
    answer = burner.stdout
    if not wait_until(lambda: readable(answer.fileno(), LOOK_S), ANSWER_S, every_s=0.0, stop=stop):
        burner.kill()
        raise OSError(f"a busy process said nothing for {ANSWER_S:g} s")
    if not (said := answer.readline()):
        raise OSError(f"it ended with exit code {burner.wait()}")
    return said


def burned(processes: int, loops: int, used_s: float, seconds: float) -> Burn:
    """So many processes did these loops in that time, and used so many CPU seconds in all. Where
    their clocks are too coarse to have seen any, the time itself stands in."""
    each_s = used_s / processes or seconds
    return Burn(loops_per_s=loops / each_s, cores=processes * each_s / seconds)


def _steps(cores: int) -> list[int]:
    """Numbers of busy processes to burn with."""
    steps = set(range(1, min(cores, EVERY_STEP) + 1))
    return sorted(steps | {cores // 2, cores} if cores > EVERY_STEP else steps)


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("wall-time"))


def _kept(machine: Machine) -> Kept | None:
    try:
        kept = msgspec.json.decode(read_whole(_folder() / KEPT), type=Kept)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return kept if kept.of == _of(machine) else None


def _of(machine: Machine) -> str:
    return hashlib.sha256(msgspec.json.encode(machine, order="sorted")).hexdigest()


def _kind(experiment: Experiment) -> str:
    """Of requests that cost this server the same beside their work, and whose work costs it as
    much more than burned: with naps between them or without."""
    server, workload = experiment.server, experiment.workload
    connections = "kept" if keeps_connections(server, experiment.load) else "closed"
    what = "file" if workload.page == "file" else workload.wait_by
    work = workload.cpu_by if workload.cpu_s else "none"
    kind = f"{server.architecture}/{server.by}/{connections}/{what}/{work}"
    return f"{kind}/naps" if experiment.naps else kind
