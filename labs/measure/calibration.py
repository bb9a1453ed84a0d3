"""How fast is this machine, now? Short burns, hot, in processes of their own.

A request's CPU work is a fixed number of loops, never "spin until a clock says so": that
would make cores / demand a tautology and hide hyper-threads, frequency and neighbours.
"""

from __future__ import annotations

import contextlib
import hashlib
import shlex
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import platformdirs

from labs.host import hardware as this_machine
from labs.host.files import write_whole
from labs.host.supervisor import Stopped
from labs.records.errors import Unusable
from labs.records.experiment import CpuBy, Server, Workload
from labs.records.results import Calibration, Machine
from labs.records.server_facts import server_facts
from labs.servers import deployments

BURN_S = 0.12  # each
WARM_S = 0.08  # spun before each, so that the core is awake and at speed
REPEATS = 3  # the best counts: what disturbs a burn only ever slows it
MOST_STEPS = 4  # numbers of busy processes burned; those between are interpolated
KEPT = "calibration.json"


class Overhead(msgspec.Struct, frozen=True):
    """What a request costs a server beside what was burned, as `Calibration` has it."""

    work_ratio: float = 1.0
    delay_s: float = 0.0
    overhead_s: float = 0.0
    generator_s: float = 0.0
    backend_s: float = 0.0
    backend_late_s: float = 0.0


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
    stop: threading.Event | None = None,
) -> Calibration:
    """Burn that unit of work with 1, 2, ... processes on all usable cores; about 0.4 s for each
    number. What PHP or node is to do is counted in that language.

    Raises Stopped, and Unusable for a language whose program does not run. Assumes nothing else
    runs; what did shows as noise.
    """
    machine = machine or this_machine.fingerprint()
    steps = _steps(machine.cores)
    speeds: dict[int, list[float]] = {step: [] for step in steps}
    with _burners(machine.cores, cpu_by, language) as burners:
        for _ in range(REPEATS):
            for step in steps:
                if stop is not None and stop.is_set():
                    raise Stopped
                speeds[step].append(_burn(burners[:step]))
    best = [max(speeds[step]) for step in steps]
    alone = speeds[1]
    found = Calibration(
        loops_per_s=tuple(_between(steps, best, n) for n in range(1, machine.cores + 1)),
        noise_fraction=(max(alone) - min(alone)) / statistics.median(alone),
        timer_s=timer_s(),
        loopback_s=loopback_s(),
        cpu_by=cpu_by,
        language=language,
    )
    keep(machine, found)
    return found


def last(
    machine: Machine | None = None, server: Server | None = None, workload: Workload | None = None
) -> Calibration:
    """The calibration kept from the last run on this machine, or a fresh one.

    With a workload: of the unit that it asks for. With a server: its overhead and the generator's
    as last measured, or zero before that.
    """
    machine, workload = machine or this_machine.fingerprint(), workload or Workload()
    kept = _kept(machine)
    language = language_of(server, workload) if server else "Python"
    known = kept.burns.get(_unit(workload.cpu_by, language)) if kept else None
    found = known or calibrate(machine, cpu_by=workload.cpu_by, language=language)
    if server is not None and kept is not None:
        overhead = kept.overheads.get(_kind(server, workload), Overhead())
        return replace(found, **msgspec.structs.asdict(overhead))
    return found


def keep(
    machine: Machine,
    found: Calibration,
    server: Server | None = None,
    workload: Workload | None = None,
) -> None:
    """Remember a calibration, and with a server its overheads at that workload. A folder that
    cannot be written only means that the next one is measured again."""
    kept = _kept(machine)
    burns, overheads = (kept.burns, kept.overheads) if kept else ({}, {})
    burns[_unit(found.cpu_by, found.language)] = found
    if server is not None:
        overheads[_kind(server, workload or Workload())] = Overhead(
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


def timer_s(times: int = 20) -> float:
    """How late a sleep of 1 ms ends, in seconds: the median of some."""
    late = []
    for _ in range(times):
        start = time.perf_counter()
        time.sleep(0.001)
        late.append(time.perf_counter() - start - 0.001)
    return statistics.median(late)


def loopback_s(times: int = 100) -> float:
    """A byte to a local socket and back, in seconds: the median of some."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here = socket.create_connection(listener.getsockname())
        there, _ = listener.accept()

    def echo() -> None:
        with there:
            while data := there.recv(1):
                there.send(data)

    echoing = threading.Thread(target=echo, daemon=True)
    echoing.start()
    trips = []
    with here:
        here.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(times):
            start = time.perf_counter()
            here.send(b"x")
            here.recv(1)
            trips.append(time.perf_counter() - start)
    echoing.join()
    return statistics.median(trips)


@contextlib.contextmanager
def _burners(number: int, cpu_by: CpuBy, language: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Burning processes at the ready. They end with their input, so with us."""
    python = language == "Python"
    command = [sys.executable, "-m", "workloads.burn", cpu_by]
    command = command if python else deployments.burner(language)
    burners: list[subprocess.Popen[str]] = []
    try:
        for _ in range(number):
            burners.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
        for burner in burners:
            assert burner.stdout is not None
            if burner.stdout.readline() != "ready\n":
                raise OSError(f"it ended with exit code {burner.wait()}")
        yield burners
    except (OSError, ValueError) as error:
        raise Unusable(
            f"{language} cannot be calibrated: {error}. Try it by hand: {shlex.join(command)}"
        ) from None
    finally:
        for burner in burners:
            burner.kill()
            burner.communicate()


def _burn(burners: Sequence[subprocess.Popen[str]]) -> float:
    """Loops per second of these processes together."""
    begin = time.perf_counter() + WARM_S
    for burner in burners:
        assert burner.stdin is not None
        burner.stdin.write(f"{begin} {begin + BURN_S}\n")
        burner.stdin.flush()
    loops = 0
    for burner in burners:
        assert burner.stdout is not None
        loops += int(burner.stdout.readline().split()[0])
    return loops / BURN_S


def _steps(cores: int) -> list[int]:
    """1 and `cores` and a few between."""
    if cores <= MOST_STEPS:
        return list(range(1, cores + 1))
    return sorted({1, 2, cores // 2, cores})


def _between(steps: list[int], speeds: list[float], number: int) -> float:
    for (low, slow), (high, fast) in zip(
        zip(steps, speeds, strict=True), zip(steps[1:], speeds[1:], strict=True), strict=False
    ):
        if low <= number <= high:
            return slow + (fast - slow) * (number - low) / (high - low)
    return speeds[0]


def _folder() -> Path:
    return Path(platformdirs.user_cache_dir("wall-time"))


def _kept(machine: Machine) -> Kept | None:
    try:
        kept = msgspec.json.decode((_folder() / KEPT).read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if kept.of == _of(machine) else None


def _of(machine: Machine) -> str:
    return hashlib.sha256(msgspec.json.encode(machine, order="sorted")).hexdigest()


def _kind(server: Server, workload: Workload) -> str:
    connections = "kept" if server.keep_alive else "closed"
    what = "file" if workload.page == "file" else workload.wait_by
    return f"{server.architecture}/{server.by}/{connections}/{what}"
