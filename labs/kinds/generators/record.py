"""Record of the lab of the load generators: of the same server, what each of them says.

A generator is an instrument: it has a price, an end of its scale, and an error of its own.
Frozen, SI units.
"""

from dataclasses import dataclass

from labs.records.amounts import Amount, NotNegative
from labs.records.errors import BadRecording
from labs.records.experiment import Server, Workload
from labs.records.results import Result, middle, pick
from labs.theory.laws import GENERATOR_FULL

MACHINE_FULL = 0.9  # of all cores: then both sides wait for one
LOCUST = "locust"  # one process
LOCUSTS = {LOCUST: 1, "2 locusts": 2}  # processes that ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The word of a load generator on a server that it asked, and what both used meanwhile. CPU is
    in cores, a mean over `seconds`."""

    command: str = ""  # as a reader would type it
    missing: str = ""  # what to do to have it; then nothing below was measured
    seconds: Amount = 0.0
    requests: NotNegative = 0  # it counted
    failed: NotNegative = 0
    throughput_rps: Amount = 0.0  # as it says
    mean_response_time_s: Amount = 0.0  # as it says
    longest_s: float | None = None  # as it says, where it does
    generator_cpu: float = 0.0  # all its processes
    server_cpu: float = 0.0
    others_cpu: float = 0.0  # everyone else, without this process and its parent

    def __post_init__(self) -> None:
        if not self.missing and not self.throughput_rps > 0:
            who = self.command or "A load generator"
            raise BadRecording(f"{who}: neither measured nor missing. Record it again.")

    @property
    def server_s(self) -> float:
        """CPU seconds that the server spends on a request."""
        return self.server_cpu / self.throughput_rps


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorResult(Asked):
    """Result of one generator on the lab's server."""

    name: str  # locust, 2 locusts, ab, wrk
    program: str  # with its version
    processes: NotNegative = 1
    generator_fullest: float = 0.0  # of them, the one that used most
    server_fullest: float = 0.0
    busy: float = 0.0  # of the whole machine, by anyone: a fraction

    @property
    def generator_s(self) -> float:
        """CPU seconds that the generator spends on a request."""
        return self.generator_cpu / self.throughput_rps

    @property
    def ceiling_rps(self) -> float:
        """Requests per second that one full core of the generator would make."""
        return 1 / self.generator_s if self.generator_cpu else float("inf")

    @property
    def full(self) -> tuple[str, ...]:
        """Name who was full: generator, server, both; the machine, when neither; or nobody."""
        sides = {"generator": self.generator_fullest, "server": self.server_fullest}
        full = tuple(side for side, cores in sides.items() if cores > GENERATOR_FULL)
        return full or (("machine",) if self.busy > MACHINE_FULL else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorsRun:
    """One round of the lab: each generator in its turn."""

    recorded_at: str  # ISO 8601, UTC
    gauges: tuple[GeneratorResult, ...]

    @property
    def measured(self) -> tuple[GeneratorResult, ...]:
        """List the generators that were there."""
        return tuple(gauge for gauge in self.gauges if not gauge.missing)

    def by(self, name: str) -> GeneratorResult:
        """Find what a generator found; KeyError says which there are."""
        return pick(self.gauges, name=name)


class Generators(Result, tag="generators", frozen=True, kw_only=True):
    """Rounds of the lab of the load generators on one machine."""

    holds = ("measured", "load generator")

    server: Server
    workload: Workload
    connections: NotNegative  # that each generator keeps busy
    runs: tuple[GeneratorsRun, ...]

    @property
    def run(self) -> GeneratorsRun:
        """The middle run, by the throughput its first generator saw: the one that is drawn."""
        return middle(self.runs, lambda run: run.measured[0].throughput_rps)
