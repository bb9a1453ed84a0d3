"""Where the time went: what servers say of their service, and what the kernel says of a core."""

from __future__ import annotations

import contextlib
import http.client
import time

import pytest

from labs.records.experiment import Server, Workload
from labs.servers.catalogue import CATALOGUE, ServerRow, missing, refuse
from labs.servers.serve import serve

pytestmark = [pytest.mark.measures, pytest.mark.usefixtures("calibrated_in_passing")]
WORK = Workload(cpu_s=0.005, wait_s=0.02)


def row(kind: ServerRow) -> object:
    remedy = missing(kind)
    skipped = pytest.mark.skip(reason=str(remedy))
    return pytest.param(
        kind, marks=[skipped] if remedy else [], id=f"{kind.architecture} {kind.by}"
    )


@pytest.mark.parametrize("kind", [row(kind) for kind in CATALOGUE if kind.by != "nginx"])
def test_every_server_says_when_it_served_on_the_clients_clock(kind: ServerRow) -> None:
    """And the CPU time of its thread in between, and what it was asked to wait."""
    server = Server(kind.architecture, by=kind.by)
    refuse(kind, server, WORK)
    with serve(server) as running:
        connection = http.client.HTTPConnection(running.host, running.port, timeout=20)
        with contextlib.closing(connection):
            before = time.perf_counter()
            connection.request("GET", f"/?loops=200000&wait={WORK.wait_s}")
            answer = connection.getresponse()
            answer.read()
            after = time.perf_counter()
    start, end, cpu_s, asked_s = map(float, answer.headers["X-Service"].split())
    assert before - 1e-6 <= start < end <= after + 1e-6
    assert asked_s == WORK.wait_s
    assert 0 < cpu_s < end - start - asked_s + 1e-3
