"""Does `labs attach` name the limit of servers that nobody here wrote?

    python -m bench.attach [NAME ...] [--json FILE]

Ten public applications, as `applications.toml` lists them, are got from the package registries into
a folder of the user's cache, once; started, and by how that is done their limit is known; attached
to without a word about it; and ended. A row tells what was found, D and V, the places that are full
of those that there are, the most that was answered, the limit that was named, how far fit levels
and the knee lie from their forecast (levels beyond places that can't be seen have none, their knee
is the places), and seconds from address to verdict. A mark ! stands where a goal is missed; then it
exits with 1. Five minutes, and as many to get them, on Debian as root with pip, npm, go, nginx and
php-fpm; what can't be got is told and left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import shlex
import shutil
import statistics
import string
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import platformdirs

from bench import one_of
from labs.host.hardware import usable_cores
from labs.host.supervisor import supervise
from labs.host.waiting import wait_until
from labs.kinds.attach.record import Attached
from labs.kinds.attach.report import joined
from labs.kinds.attach.run import AttachLab
from labs.kinds.attach.verdict import Verdict, verdict
from labs.kinds.sweep.report import columns
from labs.load.target import Target, first_look
from labs.measure.rig import Rig
from labs.records.errors import Failed, Unusable
from labs.servers.serve import free_port

CACHE = Path(platformdirs.user_cache_dir("wall-time")) / "attach"
START_S = 60.0
RIGHT, MEDIAN, WORST, KNEE, MOST_S = 0.9, 0.05, 0.2, 0.2, 60.0  # the goals; wrong is none
PLACES = 0.2  # so near they are the true ones
HEAD = "application|found|D ms|V ms|places|req/s|named|truth|fit|median|worst|knee|s"


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A public application, as a row of `applications.toml` has it."""

    get: str  # shell commands, in its folder
    start: tuple[str, ...]  # commands, those behind it first, with some values filled in
    page: str = "/"
    limit: str  # that it has, being started so
    places: int | None = None  # requests that it holds at once, where that is its limit
    why: str
    files: dict[str, str] = field(default_factory=dict)


TABLE = Path(__file__).with_name("applications.toml")
APPS = msgspec.convert(tomllib.loads(TABLE.read_text("utf-8")), dict[str, App])


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One application's attachment, beside what is true of it."""

    name: str
    app: App
    found: Attached
    seconds: float

    @property
    def judged(self) -> Verdict:
        return verdict(self.found)

    @property
    def right(self) -> str:
        """Whether the limit that was named is the true one, with its places."""
        named, places = self.judged, self.app.places
        if named.limit == "unknown":
            return "unknown"
        near = places is None or abs((named.pool_size or 0) / places - 1) <= PLACES
        return "right" if named.limit == self.app.limit and near else "wrong"

    @property
    def hidden(self) -> bool:
        """Whether its places can't be seen from outside, so that the forecast is without them."""
        return self.app.places is not None and self.found.run.found.pool is None

    @property
    def misses(self) -> list[float]:
        """How far fit levels lie from their forecast."""
        run, most = self.found.run, self.app.places if self.hidden else None
        told = [p for p in run.points if p.fit and (most is None or p.users <= most)]
        return [p.throughput_rps / run.forecast.at(p.users).model_rps - 1 for p in told]

    @property
    def knee(self) -> float:
        """How far the knee was found from where it was forecast: both are rounds of one user, times
        what is answered at most. Where the places are hidden, from where it is."""
        run = self.found.run
        if self.hidden and self.app.places:
            return (self.judged.pool_size or 0) / self.app.places - 1
        told = [run.forecast.at(point.users).model_rps for point in run.points]
        return self.found.best.throughput_rps / max(told) - 1

    def row(self) -> list[str]:
        """What the table has of it."""
        run, judged, app = self.found.run, self.judged, self.app
        found = run.found
        size = "-" if judged.pool_size is None else f"{judged.pool_size:.1f}"
        misses = list(map(abs, self.misses)) or [math.nan]
        return [
            self.name,
            " + ".join([f"{found.program} {found.processes}/{found.threads}", *found.behind]),
            f"{1000 * run.demand.value:.2f}" if run.demand else "-",
            f"{1000 * run.wait.value:.1f}",
            f"{size} of {app.places}" if app.places else size,
            f"{self.found.best.throughput_rps:.0f}",
            f"{judged.limit}: {self.right}{'!' * (self.right == 'wrong')}",
            f"{app.limit}: {app.why}",
            f"{len(self.misses)}/{len(run.points)}",
            f"{statistics.median(misses):.1%}",
            f"{max(misses):.1%}{'!' * (max(misses) > WORST)}",
            f"{self.knee:+.1%}{'!' * (abs(self.knee) > KNEE)}",
            f"{self.seconds:.0f}{'!' * (self.seconds > MOST_S)}",
        ]


def got(name: str) -> Path:
    """The folder of an application, got if it isn't there. Failed says why not."""
    app, home = APPS[name], CACHE / name
    done = home / "got"
    if not done.exists() or done.read_text() != app.get:
        print(f"{name}: is got", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        write(app, home)
        ran = subprocess.run(["sh", "-ec", app.get], cwd=home, capture_output=True, text=True)
        if ran.returncode:
            raise Failed(f"{name}: can't be had here. {ran.stderr[-500:]}")
        done.write_text(app.get)
    return home


def write(app: App, home: Path, **values: object) -> None:
    """Write its files; those that need values are written again at each start."""
    for file, text in app.files.items():
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text(string.Template(text).safe_substitute(values | {"home": home}))


@contextlib.contextmanager
def started(app: App, home: Path) -> Iterator[str]:
    """Have it run for the block; its address. Failed, with its last words, if it doesn't answer."""
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(free_port()) for _ in range(2)]
        values = {"port": ports[0], "back": ports[1], "cores": len(usable_cores())}
        write(app, home, **values)
        log = stack.enter_context(tempfile.TemporaryFile())
        for command in app.start:
            words = shlex.split(string.Template(command).substitute(values, home=home))
            stack.enter_context(supervise(words, cwd=home, stdout=log, stderr=log))
        url = f"http://127.0.0.1:{ports[0]}{app.page}"
        if not wait_until(lambda: answers(url), START_S, every_s=0.2):
            log.seek(0)
            raise Failed(f"{url}: no answer. {log.read()[-500:].decode(errors='replace')}")
        yield url


def answers(url: str) -> bool:
    """Whether it can be attached to."""
    with contextlib.suppress(Failed):
        return bool(first_look(Target(url)))
    return False


def attached(name: str) -> Outcome:
    """Get it, start it, attach to it, end it."""
    with started(APPS[name], got(name)) as url:
        begin = time.perf_counter()
        found = Rig().perform(AttachLab(url))
        return Outcome(name=name, app=APPS[name], found=found, seconds=time.perf_counter() - begin)


def told(outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """The table with its sums, and whether all goals are met."""
    named = [each.right for each in outcomes]
    misses = [abs(miss) for each in outcomes for miss in each.misses] or [math.nan]
    median, worst = statistics.median(misses), max(misses)
    knee = max(abs(each.knee) for each in outcomes)
    slowest = max(each.seconds for each in outcomes)
    right = named.count("right")
    sums = {
        f"{right} of {len(named)} limits right": right >= RIGHT * len(named),
        f"{named.count('wrong')} wrong": "wrong" not in named,
        f"{len(misses)} fit levels {median:.1%} from their forecast": median <= MEDIAN,
        f"{worst:.1%} at worst": worst <= WORST,
        f"knee within {knee:.1%}": knee <= KNEE,
        f"{slowest:.0f} s at most": slowest <= MOST_S,
    }
    said = ", ".join(text + "!" * (not met) for text, met in sums.items())
    table = columns([HEAD.split("|"), *(each.row() for each in outcomes)])
    return f"{table}\n{said}", all(sums.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", type=one_of(APPS), metavar="NAME")
    parser.add_argument("--json", metavar="FILE", help="write all that was found there")
    asked = parser.parse_args()
    outcomes: list[Outcome] = []
    for name in asked.names or APPS:
        try:
            outcomes.append(attached(name))
        except (Failed, Unusable) as error:
            print(error, file=sys.stderr)
            continue
        print(f"{name}: {' '.join(outcomes[-1].judged.sentences)}", file=sys.stderr, flush=True)
        if asked.json:
            found = {o.name: {"seconds": o.seconds, **joined(o.found)} for o in outcomes}
            Path(asked.json).write_text(json.dumps(found, indent=1))
    if not outcomes:
        return 1
    table, met = told(outcomes)
    print(table)
    return 0 if met and len(outcomes) == len(asked.names or APPS) else 1


if __name__ == "__main__":
    sys.exit(main())
