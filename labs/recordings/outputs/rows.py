"""The table of outputs: which tool looks at which server, under which load, and what must show.

A new row is recorded with `python -m labs output NAME` and read in a page with {output}.
"""

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from labs.recordings.outputs import tools
from labs.recordings.outputs.tools import Tool
from labs.records.experiment import Server, WaitBy
from labs.servers.catalogue import ServerRow, row_of
from labs.servers.deployments import Launch, Place

STATUS = """
LoadModule status_module "{modules}/mod_status.so"
<Location "/server-status">
    SetHandler server-status
    FallbackResource disabled
</Location>
"""
CALLS = "strace -c -S name -U time,calls,name -p {worker} 2>&1 | tail -n +3"
LOG = """log_format times '$status  took $request_time s  application $upstream_response_time s';
    access_log "{folder}/access.log" times;"""


@dataclass(frozen=True, slots=True)
class Ask:
    """The load: so many requests at once, and that so many times, one crowd after another."""

    number: int
    _: KW_ONLY
    cpu_s: float = 0.0  # of each, on a core of this machine that does nothing else
    wait_s: float = 0.0  # of each, off the cores
    wait_by: WaitBy = "sleep"
    times: int = 1
    path: str = "/"
    lead_s: float = 1.0  # from its begin to the tool's; negative where the tool begins first


@dataclass(frozen=True, slots=True)
class Story:
    """What an output must show, so that a page can tell by it: figures in it, and how they lie."""

    pattern: str
    holds: Callable[..., bool]
    because: str

    def shown(self, text: str) -> bool:
        """Whether it shows in the text. The pattern's groups are numbers."""
        found = re.search(self.pattern, text, re.MULTILINE)
        return found is not None and self.holds(*map(float, found.groups()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One output. In commands stand {port}, {pid} of the server's root, {worker} of one that
    serves, and {folder}."""

    name: str
    tool: Tool
    server: Server
    what: str
    command: str
    story: Story
    load: Ask | None = None
    shown: str = ""  # what the page shows of the command, where it is another
    how: ServerRow | None = None  # to start the server in another way than its row says


def _with_more(server: Server, file: str, change: Callable[[str, Path], str]) -> ServerRow:
    """A server's row, with its configuration changed before it starts."""
    row = row_of(server)
    assert row.product is not None
    launch = row.product.launch

    def changed(server: Server, place: Place) -> Launch:
        made = launch(server, place)
        config = place.folder / file
        config.write_text(change(config.read_text("utf-8"), place.folder), "utf-8")
        return made

    return replace(row, product=replace(row.product, launch=changed))


def _with_status(config: str, _folder: Path) -> str:
    if found := re.search(r'"(.*)/mod_\w+\.so"', config):
        return config + STATUS.format(modules=found[1])
    return config + STATUS.partition('"\n')[2].replace("{modules}", "")


def _with_log(config: str, folder: Path) -> str:
    return config.replace("access_log off;", LOG.format(folder=folder))


SCRATCH = Server("prefork", by="scratch")
ONE_PROCESS = Server("threaded", threads=4)
LOOP = Server("event-loop")
SHORT_LINE = Server("prefork", processes=4, backlog=16)
APACHE = Server("prefork", by="apache", processes=32, start=5)
NGINX_FPM = Server("prefork", by="nginx-fpm", processes=4)
FILES = Server("event-loop", by="nginx")
ALL_TAKEN = Story(
    r"(\d+) accept\w*\n[\s\S]*",
    lambda taken: taken >= 1000,
    "every connection was taken off the line once",
)

ROWS: tuple[Row, ...] = (
    Row(
        name="time-curl",
        tool=tools.CURL,
        server=SCRATCH,
        what="our prefork server, one worker, nobody else",
        command="time curl -s 'http://127.0.0.1:{port}/?loops=1000000&wait=0.15'",
        story=Story(
            r"real\s+0m([\d.]+)s\nuser\s+0m([\d.]+)s\nsys\s+0m([\d.]+)s",
            lambda real, user, system: real > 0.15 and user + system < real / 3,
            "the program that asks hardly computes",
        ),
    ),
    Row(
        name="vmstat-crowd",
        tool=tools.VMSTAT,
        server=replace(SCRATCH, processes=20),
        what="our prefork server, 20 workers, 20 requests that compute",
        command="vmstat 1 4",
        load=Ask(20, cpu_s=1.0),
        story=Story(
            r"\n *(\d+)(?: +\d+){11} +(\d+) +(\d+) +(\d+) +\d+ +\d+\Z",
            lambda running, user, system, idle: 19 <= running <= 22 and idle <= 1,
            "twenty want a core and none is idle",
        ),
    ),
    Row(
        name="top-one-process",
        tool=tools.TOP,
        server=ONE_PROCESS,
        what="gunicorn, one process with 4 threads, 4 requests that compute",
        command="top -b -d 3 -n 2 -p {worker} | tail -n 8",
        load=Ask(4, cpu_s=3.0),
        story=Story(
            r"^%Cpu\(s\): *([\d.]+) us[\s\S]*\s([\d.]+) +[\d.]+ +\S+ \S+$",
            lambda machine, process: 45 < machine < 58 and 95 < process < 105,
            "one busy thread is 100 % of its process and half of two cores",
        ),
    ),
    Row(
        name="dstat-one-user",
        tool=tools.DSTAT,
        server=replace(SCRATCH, processes=8),
        what="our prefork server, 8 workers, one user who asks again at once",
        command="dstat -C 0,1,total --cpu-adv --nocolor 1 4",
        load=Ask(1, cpu_s=0.05, times=150),
        story=Story(
            r"\n *(\d+) .*: *(\d+) .*: *(\d+) .*\Z",
            lambda first, second, both: 40 <= both <= 62 and abs(first + second - 2 * both) <= 3,
            "one user is half of two cores, wherever the requests go",
        ),
    ),
    Row(
        name="ps-children",
        tool=tools.PS,
        server=Server("prefork", processes=4),
        what="gunicorn, 4 workers, 12 requests that wait",
        command="ps --pid {pid} --ppid {pid} -o pid,ppid,stat,time,comm",
        load=Ask(12, wait_s=2.0),
        story=Story(
            r"\A(?:.*\n){5}.*\Z", lambda: True, "one master and four workers are five lines"
        ),
    ),
    Row(
        name="ss-backlog",
        tool=tools.SS,
        server=SHORT_LINE,
        what="gunicorn, 4 workers, a backlog of 16; 40 connections at once, each waits",
        command="ss -lnt 'sport = :{port}'",
        load=Ask(40, wait_s=2.0),
        story=Story(
            r"LISTEN +(\d+) +(\d+) ",
            lambda queue, places: queue == places + 1,
            "the line is longer than its places",
        ),
    ),
    Row(
        name="ss-inside",
        tool=tools.SS,
        server=ONE_PROCESS,
        what="gunicorn, one process with 4 threads, 40 connections at once, each waits",
        command="ss -lnt 'sport = :{port}'; ss -Hnt state established 'sport = :{port}' | wc -l",
        load=Ask(40, wait_s=2.0),
        story=Story(
            r"LISTEN +(\d+) .*\n(\d+)\Z",
            lambda queue, inside: queue == 0 and inside == 40,
            "nobody is at the door, and all are inside",
        ),
    ),
    Row(
        name="server-status",
        tool=tools.APACHE_STATUS,
        server=APACHE,
        what="Apache's prefork, 5 workers at first, 32 at most; 12 requests that wait",
        command="curl -s 'http://127.0.0.1:{port}/server-status?auto' | grep -E 'BusyW|IdleW|Sco'",
        load=Ask(12, wait_s=6.0, lead_s=4.5),
        how=_with_more(APACHE, "httpd.conf", _with_status),
        story=Story(
            r"BusyWorkers: (\d+)\nIdleWorkers: (\d+)\n",
            lambda busy, idle: busy == 13 and idle > 0,
            "twelve wait for their page and one writes this",
        ),
    ),
    Row(
        name="gunicorn-log",
        tool=tools.GUNICORN,
        server=Server("prefork", processes=3),
        what="gunicorn, 3 workers, and one of them is killed",
        command="kill -9 {worker}; sleep 3; cat /proc/{pid}/fd/2",
        shown="kill -9 {worker}; cat gunicorn.log",
        story=Story(
            r"worker[\s\S]*(?:Booting worker with pid[\s\S]*){4}",
            lambda: True,
            "the master makes another",
        ),
    ),
    Row(
        name="proc-status",
        tool=tools.GREP,
        server=Server("threaded", threads=16),
        what="gunicorn, one process with 16 threads, 16 requests that wait",
        command="grep -E 'State|Threads|VmRSS|ctxt' /proc/{worker}/status",
        load=Ask(16, wait_s=2.0),
        story=Story(
            r"State:\s+S [\s\S]*Threads:\s+(\d+)\n",
            lambda threads: threads == 17,
            "sixteen threads serve and one takes connections",
        ),
    ),
    Row(
        name="pidstat-threads",
        tool=tools.PIDSTAT,
        server=ONE_PROCESS,
        what="gunicorn, one process with 4 threads, 4 requests that compute",
        command="pidstat -w -t -p {worker} 2 1 | sed -n 3,9p",
        load=Ask(4, cpu_s=2.0),
        story=Story(
            r"(?:\|__\S+\n.*){4} ([\d.]+) +([\d.]+) +\|__\S+$",
            lambda gave, taken: gave > 20,
            "threads that only compute keep giving their core away",
        ),
    ),
    Row(
        name="py-spy-blocked",
        tool=tools.PY_SPY,
        server=LOOP,
        what="uvicorn, one event loop, 8 requests whose wait blocks",
        command="py-spy dump --pid {worker} | sed -n 4,11p",
        load=Ask(8, wait_s=1.0, wait_by="blocking"),
        story=Story(
            r'"MainThread"\n +wait \(workloads/app/units.py:\d+\)', lambda: True, "the loop waits"
        ),
    ),
    Row(
        name="strace-loop",
        tool=tools.STRACE,
        server=Server("event-loop", by="scratch"),
        what="our event loop, 1000 requests, a hundred at a time, each awaits 10 ms",
        command=f"timeout -s INT 6 {CALLS}",
        load=Ask(100, wait_s=0.01, times=10, lead_s=-1.5),
        story=ALL_TAKEN,
    ),
    Row(
        name="strace-file",
        tool=tools.STRACE,
        server=FILES,
        what="nginx, one process, 1000 requests for a small file, a hundred at a time",
        command=f"timeout -s INT 5 {CALLS}",
        load=Ask(100, path="/file", times=10, lead_s=-1.5),
        story=ALL_TAKEN,
    ),
    Row(
        name="py-spy-lock",
        tool=tools.PY_SPY,
        server=Server("threaded", threads=4),
        what="gunicorn, one process with 4 threads, 4 requests that need one lock",
        command="py-spy dump --pid {worker} | grep -A 2 --no-group-separator ThreadPool",
        load=Ask(4, wait_s=1.0, wait_by="lock"),
        story=Story(
            r"\A(?!(?:[\s\S]* hold ){2})(?:[\s\S]* locked ){3}",
            lambda: True,
            "one holds the lock and three stand in line for it",
        ),
    ),
    Row(
        name="nginx-log",
        tool=tools.NGINX_LOG,
        server=NGINX_FPM,
        what="nginx in front of 4 php-fpm processes; 12 requests at once, each waits a second",
        command="tail -n 12 {folder}/access.log",
        load=Ask(12, wait_s=1.0, lead_s=4.5),
        how=_with_more(NGINX_FPM, "nginx.conf", _with_log),
        story=Story(
            r"\A.*took ([\d.]+) s.*\n(?:.*\n){10}.*took ([\d.]+) s.*\Z",
            lambda first, last: 2.7 < last / first < 3.3,
            "four at a time, three rounds",
        ),
    ),
)
