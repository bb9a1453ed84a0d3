"""Users on other machines, told and heard as if they were here: Locust's own master and workers.

The labs have two pipes for each worker, as for a Locust that asks by itself. The master hands what
they say to that worker in a message of Locust's, and what the worker keeps comes back the same way,
its times moved to the master's clock. How far apart two clocks are tells the message that went
there and back soonest: it may be wrong by half of that time. A worker that hears nothing for some
seconds ends, since then either the labs or the network are gone. Imported by `workloads.users`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import gevent
from gevent.event import Event
from gevent.fileobject import FileObject
from locust.rpc import Message
from locust.runners import STATE_MISSING, MasterRunner, WorkerRunner

from workloads import protocol
from workloads.protocol import RECORD

ASK_EVERY_S = 0.2  # what the other clock says
LATEST = 25  # of these answers the soonest counts, since clocks drift
LEAST = 5
SILENT_S = 5.0  # more than Locust's own heartbeat needs to miss a worker
ORDER, ASKED, CLOCK, KEPT = "order", "asked", "clock", "kept"  # kinds of message


class Channel:
    """One worker as the labs see it: a pipe of orders, and one of records."""

    def __init__(self, orders: int, records: int) -> None:
        self.orders = FileObject(orders, "rb", close=False)
        self.records = records
        self.client = ""  # what Locust calls the worker
        self.known = Event()  # its clock
        self.clocks: deque[tuple[float, float]] = deque(maxlen=LATEST)
        self.open = True

    def learn(self, sent: float, there: float) -> None:
        """Take note of what the worker's clock said between then and now."""
        now = time.perf_counter()
        self.clocks.append((now - sent, (sent + now) / 2 - there))
        if len(self.clocks) >= LEAST:
            self.known.set()

    def take(self, data: bytes) -> None:
        """Pass on records of the worker, with their times on this clock."""
        _, later = min(self.clocks)
        here = bytearray()
        for kind, user, process, start, end, *service in RECORD.iter_unpack(data):
            here += RECORD.pack(kind, user, process, start + later, end + later, *service)
        while here and self.open:
            del here[: os.write(self.records, here)]

    def close(self) -> None:
        """Let the labs know that nothing comes any more."""
        if self.open:
            self.open = False
            os.close(self.records)


def pass_on(runner: MasterRunner) -> None:
    """Be the master of as many workers as there are pairs of pipes, until the labs hang up."""
    files = zip(*(os.environ[each].split(",") for each in protocol.PIPES), strict=True)
    free = [Channel(int(orders), int(records)) for orders, records in files]
    channels: dict[str, Channel] = {}

    def come(client_id: str, **_: object) -> None:
        if client_id in channels:
            return
        if not free:
            print("More workers came than were expected.", file=sys.stderr, flush=True)
            os._exit(protocol.REFUSED)
        channels[client_id] = channel = free.pop(0)
        channel.client = client_id
        gevent.spawn(hand, runner, channel)

    def heard(msg: Message, **_: object) -> None:
        if channel := channels.get(msg.node_id):
            if msg.type == CLOCK:
                channel.learn(**msg.data)
            else:
                channel.take(msg.data["records"])

    runner.environment.events.worker_connect.add_listener(come)  # type: ignore[no-untyped-call]
    for kind in CLOCK, KEPT:
        runner.register_message(kind, heard)
    gevent.spawn(watch, runner, channels)


def watch(runner: MasterRunner, channels: Mapping[str, Channel]) -> NoReturn:
    """Ask each worker for its clock, again and again; close the channel of one that is gone."""
    while True:
        for client, channel in channels.items():
            if client in runner.clients and runner.clients[client].state != STATE_MISSING:
                runner.send_message(ASKED, {"sent": time.perf_counter()}, client)
            elif channel.clocks:
                channel.close()
        gevent.sleep(ASK_EVERY_S)


def hand(runner: MasterRunner, channel: Channel) -> None:
    """Hand a worker what the labs order. All end with the first that is to end."""
    channel.known.wait()
    runner.send_message(ORDER, {"expected": int(os.environ[protocol.USERS])}, channel.client)
    for line in channel.orders:
        order = json.loads(line)
        if "end" in order:
            break
        runner.send_message(ORDER, order, channel.client)
    runner.quit()
    os._exit(0)


def work_for(runner: WorkerRunner, follow: Callable[[dict[str, Any]], None]) -> None:
    """Be a worker: follow what comes from the master, for as long as anything does."""
    heard = [0.0]

    def obey(msg: Message, **_: object) -> None:
        follow(msg.data)

    def tell(msg: Message, **_: object) -> None:
        heard[0] = time.perf_counter()
        runner.send_message(CLOCK, {**msg.data, "there": heard[0]})

    def listen() -> None:
        while not heard[0] or time.perf_counter() - heard[0] < SILENT_S:
            gevent.sleep(ASK_EVERY_S)
        print("Nothing was heard of the master any more.", file=sys.stderr, flush=True)
        os._exit(1)

    runner.register_message(ORDER, obey)
    runner.register_message(ASKED, tell)
    gevent.spawn(listen)


def deliver(runner: WorkerRunner, data: bytes) -> int:
    """Send records to the master, and say how many bytes they were."""
    runner.send_message(KEPT, {"records": data})
    return len(data)
