"""labs attach with workers on machines of their own: network namespaces on one bridge."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from subprocess import PIPE, Popen
from typing import Any

import pytest
from serving import PROJECT
from waiting import eventually

from labs.load.workers import Workers

pytestmark = [
    pytest.mark.measures,
    pytest.mark.extended,
    pytest.mark.skipif(os.getuid() != 0 or not shutil.which("ip"), reason="makes namespaces"),
]

MASTER, SERVER, *WORKERS = (f"10.77.0.{place}" for place in (1, 2, 11, 12, 13))
URL = f"http://{SERVER}:8000/"
WAIT_S = 0.05
SERVE = f"""
import http.server, time
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1  # in one piece, or the body waits for an ACK
    def do_GET(self):
        time.sleep({WAIT_S})
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer.request_queue_size = 128
server = http.server.ThreadingHTTPServer(("{SERVER}", 8000), Page)
print("listening", flush=True)
server.serve_forever()
"""
ATTACH = f"""
import json
from labs.kinds.attach.record import Attached
from labs.kinds.attach.run import AttachLab
from labs.load.workers import Workers
from labs.measure.rig import Rig
from labs.records.errors import Failed
def tell(event):
    if isinstance(event, Attached):
        points = [(p.users, p.throughput_rps, p.mean_response_time_s) for p in event.points]
        print(json.dumps(points), flush=True)
url, workers = "{URL}", Workers(number={len(WORKERS)}, master="{MASTER}")
rig = Rig(tell)
try:
    rig.perform(AttachLab(url, users=(3, 6, 12), mine="{SERVER}", generators=workers))
except Failed as error:
    print(json.dumps([str(error), len(rig.found.points)]), flush=True)
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class Network:
    """Machines on a bridge, each with a process."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack, self.name = stack, f"wt{os.getpid()}"
        for address in (MASTER, SERVER, *WORKERS):
            machine = self.machine(address)
            ip("netns", "add", machine)
            stack.callback(ip, "netns", "del", machine)
            ip("-n", machine, "link", "set", "lo", "up")
            device = "bridge" if address == MASTER else "eth0"
            if address == MASTER:
                ip("-n", machine, "link", "add", device, "type", "bridge")
            else:
                end = ("link", "add", self.end(address), "type", "veth", "peer", "name", device)
                ip("-n", self.machine(MASTER), *end, "netns", machine)
                end = ("link", "set", self.end(address), "master", "bridge", "up")
                ip("-n", self.machine(MASTER), *end)
            ip("-n", machine, "address", "add", f"{address}/24", "dev", device)
            ip("-n", machine, "link", "set", device, "up")
        self.server = self.start(SERVER, "-c", SERVE)
        assert self.server.stdout and "listening" in self.server.stdout.readline()
        worker = Workers(number=len(WORKERS), master=MASTER).line().split()[1:]
        self.workers = {address: self.start(address, *worker) for address in WORKERS}

    def machine(self, address: str) -> str:
        return f"{self.name}-{address.rsplit('.')[-1]}"

    def end(self, address: str) -> str:
        """Of its cable, at the bridge."""
        return f"to{address.rsplit('.')[-1]}"

    def start(self, address: str, *words: str) -> Popen[str]:
        command = ["ip", "netns", "exec", self.machine(address), sys.executable, *words]
        process = self.stack.enter_context(Popen(command, cwd=PROJECT, stdout=PIPE, text=True))
        self.stack.callback(process.kill)
        return process

    def told(self) -> Iterator[Any]:
        """What the attachment says: its points, again and again; at the end, where it failed, why,
        and how many points there still are."""
        attach = self.start(MASTER, "-c", ATTACH)
        assert attach.stdout is not None
        yield from map(json.loads, attach.stdout)


@pytest.fixture
def network() -> Iterator[Network]:
    with ExitStack() as stack:
        yield Network(stack)


def ended(network: Network) -> bool:
    return all(each.poll() is not None for each in network.workers.values())


def test_attach_expects_three_workers_that_ask_as_one_and_end_with_the_run(
    network: Network,
) -> None:
    levels = ("--users", "3,6,12", "--host-is-mine", SERVER, "--json", "-")
    wait_for = ("--expect-workers", str(len(WORKERS)), "--master-bind-host", MASTER)
    printed, _ = network.start(
        MASTER, "-m", "labs", "attach", URL, *levels, *wait_for
    ).communicate()
    points = json.loads(printed)["points"]
    assert [point["users"] for point in points] == [3, 6, 12]
    for point in points:
        response_s = point["mean_response_time_s"]
        assert response_s > WAIT_S
        assert point["throughput_rps"] * response_s == pytest.approx(point["users"], rel=0.2)
    eventually(lambda: ended(network), 30)


def kill(network: Network) -> None:
    network.workers[WORKERS[1]].kill()


def cut(network: Network) -> None:
    ip("-n", network.machine(MASTER), "link", "set", network.end(WORKERS[1]), "down")


@pytest.mark.parametrize("lose", [kill, cut])
def test_a_worker_that_is_lost_ends_the_run_and_leaves_what_was_measured(
    network: Network, lose: Callable[[Network], None]
) -> None:
    told = network.told()
    assert next(filter(None, told))  # the first level is measured
    lose(network)
    *_, (why, kept) = told
    assert "of 3 is gone" in why
    assert kept >= 1
    eventually(lambda: ended(network), 30)
