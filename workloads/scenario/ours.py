"""The users of a reader's own locustfile, gated and heard. What they do stays theirs.

Run by `labs.load.locust` as `locust -f workloads/scenario/ours.py`; nothing here is imported by the
labs. It loads the reader's file as Locust itself does, in the folder and with the home that the
reader has. All users are spawned at once; each waits at the gate of `workloads.users` before it
starts and before each of its tasks, so a level begins and ends without a request that is cut off.
Requests go to this machine, or to the one host that the reader typed twice, and nowhere else.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn

import gevent
from gevent.event import Event
from locust import User, events
from locust.clients import HttpSession
from locust.contrib.fasthttp import FastHttpSession
from locust.user.task import TaskSet
from locust.util.load_locustfile import load_locustfile

from workloads import protocol
from workloads.protocol import FAILED, OK, Scenario
from workloads.users import EXPECTED, SHOWN_FAILURES, gate, keep

GIVEN = Scenario(**json.loads(os.environ[protocol.SCENARIO]))
NAME = Path(GIVEN.file).name
AGAIN_S = 1.0  # after which one who left at once comes back
there = Event()  # all users
crowd: dict[type[User], list[User]] = {}
numbers: dict[User, int] = {}
ending = Event()


def refuse(why: str) -> NoReturn:
    """End this process with a sentence for the reader."""
    print(f"{NAME}: {why}", file=sys.stderr, flush=True)
    os._exit(protocol.REFUSED)


# ---- where requests may go -----------------------------------------------------------------------


def addresses(host: str) -> set[str]:
    """Find the names and addresses by which a host that the reader named is known now."""
    if not host:
        return set()
    return {host, *(str(each[4][0]) for each in socket.getaddrinfo(host, None))}


NAMED = {"localhost", *addresses(GIVEN.mine)}


def guard(event: str, arguments: tuple[Any, ...]) -> None:
    """Let nothing go to another machine, whatever asks it to: a URL in a task, a redirect."""
    if event == "socket.getaddrinfo":  # not even its address is asked for
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    try:
        fine = host in NAMED or ipaddress.ip_address(host).is_loopback
    except ValueError:
        fine = False
    if not fine:
        refuse(
            f"it asks {host}, which is neither this machine nor a host that you named; nothing was "
            "sent there. Another machine of yours is asked with --host-is-mine."
        )


# ---- the reader's file ---------------------------------------------------------------------------


def move(folder: str, home: str) -> tuple[str, str]:
    """Go to a folder and a home; return those before."""
    before = os.getcwd(), os.environ["HOME"]
    os.chdir(folder)
    os.environ["HOME"] = home
    return before


def theirs() -> dict[str, type[User]]:
    """Load their file's User classes. A load shape of theirs isn't taken: the levels are ours."""
    before = move(GIVEN.folder, GIVEN.home)
    try:
        found, _ = load_locustfile(GIVEN.file)
    except BaseException as error:  # a file may end the process, too
        said = " ".join(str(error).split())
        refuse(f"cannot be imported ({type(error).__name__}: {said[:300]}).")
    move(*before)  # where Locust finds no settings
    if not found:
        refuse("has no User class. Give a locustfile with one, such as an HttpUser with a @task.")
    return found


sys.addaudithook(guard)
globals().update(theirs())


@events.init.add_listener
def settle(**_: object) -> None:
    """Let the users find, from now on, what lies beside their file."""
    move(GIVEN.folder, GIVEN.home)


@events.test_stopping.add_listener
def end(**_: object) -> None:
    """Let no user that ends come back."""
    ending.set()


# ---- the gate ------------------------------------------------------------------------------------


def number_all() -> None:
    """Number the users: any first few have about as many of each class as all of them."""
    places = [
        ((place + 0.5) / len(users), user)
        for users in crowd.values()
        for place, user in enumerate(users)
    ]
    for number, (_, user) in enumerate(sorted(places, key=itemgetter(0))):
        numbers[user] = number


def take_turn(user: User) -> None:
    """Wait while this user isn't one of those who may ask."""
    if (number := numbers[user]) >= gate.open_to:
        gate.wait(number, lambda: hang_up(user))


def hang_up(user: User) -> None:
    """Close a user's connections, where they are no others' too."""
    shared = getattr(user, "client_pool", None) or getattr(user, "pool_manager", None)
    client = getattr(user, "client", None)
    if not shared and isinstance(client, HttpSession):
        client.close()
    elif not shared and isinstance(client, FastHttpSession):
        client.client.close()


def gated(run: Callable[[User], None]) -> Callable[[User], None]:
    """Make a user wait for its turn before it begins. One that leaves has a successor."""

    def run_in_turn(user: User) -> None:
        crowd.setdefault(type(user), []).append(user)
        if gate.arrive() + 1 == EXPECTED:
            number_all()
            there.set()
        there.wait()
        while not ending.is_set():
            take_turn(user)
            begun = time.perf_counter()
            with contextlib.suppress(Exception):  # of its start; `stumble` has heard it
                run(user)
            gevent.sleep(max(0.0, AGAIN_S - (time.perf_counter() - begun)))

    return run_in_turn


def in_turn(execute: Callable[[TaskSet], None]) -> Callable[[TaskSet], None]:
    """Make a task begin when it is its user's turn."""

    def execute_in_turn(tasks: TaskSet) -> None:
        take_turn(tasks.user)
        execute(tasks)

    return execute_in_turn


# ---- what is heard -------------------------------------------------------------------------------


def open_while(request: Callable[..., Any]) -> Callable[..., Any]:
    """Make a request known to be under way. Of one user there may be several."""

    def asked(client: Any, *given: Any, **more: Any) -> Any:
        number = numbers.get(client.user)
        if number is None:
            return request(client, *given, **more)
        gevent.getcurrent().asking = number
        place = number
        while place in gate.in_flight:
            place += EXPECTED
        gate.in_flight[place] = time.perf_counter()
        try:
            return request(client, *given, **more)
        finally:
            del gate.in_flight[place]

    return asked


@events.request.add_listener
def hear(
    response_time: float | None = None,
    exception: Exception | None = None,
    start_time: float | None = None,
    **_: object,
) -> None:
    """Keep the raw times of a request that Locust tells of. It has failed where Locust says so."""
    now, seconds = time.perf_counter(), (response_time or 0.0) / 1000
    start = now - seconds if start_time is None else now - (time.time() - start_time)
    number = getattr(gevent.getcurrent(), "asking", 0)
    if exception is None:
        keep(OK, number, 0, start, start + seconds)
    else:
        fail(number, start, start + seconds, exception)


@events.user_error.add_listener
def stumble(user_instance: User, exception: Exception, **_: object) -> None:
    """Count a task that broke off as a request that failed."""
    now = time.perf_counter()
    fail(numbers.get(user_instance, 0), now, now, exception)


def fail(number: int, start: float, end: float, why: Exception) -> None:
    """Keep a failed request, and show the first of them."""
    keep(FAILED, number, getattr(why, "errno", None) or 0, start, end)
    gate.failures += 1
    if gate.failures <= SHOWN_FAILURES:
        said = " ".join(f"{type(why).__name__}: {why}".split())
        print(f"request failed: {said[:300]}", file=sys.stderr, flush=True)


User.run = gated(User.run)  # type: ignore[method-assign, misc]
TaskSet.execute_next_task = in_turn(TaskSet.execute_next_task)  # type: ignore[method-assign]
for each in HttpSession, FastHttpSession:
    each.request = open_while(each.request)  # type: ignore[method-assign]
