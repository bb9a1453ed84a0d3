"""Processes that burn a unit of work: hot, on the cores that they are told, until they are ended.

A request's CPU work is a fixed number of loops, never "spin until a clock says so": that
would make cores / demand a tautology and hide hyper-threads, frequency and neighbours.
Loops are counted by the burning processes' own CPU seconds: a quota that holds them back, or a
neighbour who takes a core, makes a core no slower. How much of the cores they got is told apart.
"""

import contextlib
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from labs.analysis.schedule import HOT_S
from labs.host.supervisor import unsettled
from labs.host.waiting import readable, wait_until
from labs.records.errors import Unusable
from labs.records.experiment import CpuBy
from labs.servers import products

BURN_S = 0.12  # each
WARM_S = 0.08  # spun before each, so that the core is awake and at speed
ANSWER_S = 20.0  # to a burner's start or answer, on a busy machine
LOOK_S = 0.05  # how often Stop is looked for meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class Burn:
    """The work that some processes did together."""

    loops_per_s: float  # in all, per CPU second of each of them
    cores: float  # CPU seconds a second that they had


Speedometer = Callable[[], float | None]


@contextlib.contextmanager
def speedometer(
    number: int,
    cpu_by: CpuBy,
    language: str,
    cores: Sequence[int] | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Speedometer]:
    """Make a meter that tells, each time it is asked, how fast so many cores are by then: loops per
    CPU second of one burn of all of them. It takes `schedule.SPEED_S`, and goes by the CPU seconds
    that its processes got, so it can be asked while others use the cores.

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


@contextlib.contextmanager
def hot_burners(
    number: int,
    cpu_by: CpuBy,
    language: str,
    cores: Sequence[int] | None,
    stop: threading.Event | None = None,
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start burning processes on these cores, at the ready and hot. They end with their input, so
    with us."""
    burners: list[subprocess.Popen[str]] = []
    try:
        with explained(cpu_by, language):
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
def explained(cpu_by: CpuBy, language: str) -> Iterator[None]:
    """Turn whatever keeps work from being burned into Unusable, with what to do."""
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
    """The command that burns work in a language."""
    if language == "Python":
        return [sys.executable, "-m", "workloads.burn", cpu_by]
    return products.burner(language)


def burn_once(
    burners: Sequence[subprocess.Popen[str]],
    seconds: float = BURN_S,
    stop: threading.Event | None = None,
) -> Burn:
    """Burn with these processes, once, for so long. OSError for one that ended or stands still."""
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
    """Read a burner's answer, a line, which is all that its pipe holds. Raises Stopped. OSError for
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
    """Sum up a burn by its processes, loops in all, CPU seconds in all and length. Where their
    clocks are too coarse to have seen any, the time itself stands in."""
    each_s = used_s / processes or seconds
    return Burn(loops_per_s=loops / each_s, cores=processes * each_s / seconds)
