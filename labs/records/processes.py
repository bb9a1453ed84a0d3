"""Processes as they were seen during a run: of a server, or of a load generator."""

from dataclasses import dataclass
from typing import Literal, get_args

Who = Literal["server", "generator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A process of the server's tree or the load generator's, as seen at the last level."""

    who: Who
    number: int  # counted from 1 within its tree; no process id, which says nothing later
    parent: int | None  # its number; None for the first
    threads: int
    cpu: float  # CPU seconds per second
    on_disk: float | None  # threads in a wait for the disk, on average; None: nobody tells
    written_bps: float | None  # bytes per second handed to the disk; None: nobody tells
    files: tuple[str, ...]  # open in the folder that the server's processes share; connections


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process of the server's or the load generator's tree, as long as the run lasted: what
    it did before the first request is left out."""

    who: Who
    pid: int
    parent: int
    began_s: float  # 0 for whoever was there when the run began
    lived_s: float  # of the run
    user_s: float
    system_s: float
    minor_faults: int | None  # None where the system does not tell
    major_faults: int | None

    @property
    def cpu_s(self) -> float:
        return self.user_s + self.system_s


class ProcessTrees:
    """A run's processes, of which the server's and the load generator's are told apart."""

    __slots__ = ()
    processes: tuple[Process, ...]

    def tree(self, who: Who) -> tuple[Process, ...]:
        """Processes of the server or of the load generator. KeyError for anybody else."""
        if who not in get_args(Who):
            raise KeyError(f"tree={who!r}: there are {', '.join(get_args(Who))}.")
        return tuple(process for process in self.processes if process.who == who)

    def cpu_s(self, who: Who) -> float:
        return sum(process.cpu_s for process in self.tree(who))

    def user_share(self, who: Who) -> float:
        """Part of the tree's CPU time that is outside the kernel."""
        whole = self.cpu_s(who)
        return sum(process.user_s for process in self.tree(who)) / whole if whole else 0.0
