"""The application and its units of work, without a server."""

import contextlib
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workloads.app import exclusive
from workloads.app.application import LONGEST_WAIT_S, MOST_LOOPS, Asked, application, asked, run
from workloads.app.units import PERIOD, PIECE_KIB, count, digest

MOST, HASHED = MOST_LOOPS["counting"], MOST_LOOPS["hashing"]


def test_counting_visits_every_number_before_it_returns() -> None:
    """So no step is like another that a compiler could leave out, and none outgrows a digit."""
    number, visited = 0, set()
    for _ in range(PERIOD):
        number = (number * 5 + 1) & 0xFFFF
        visited.add(number)
    assert len(visited) == PERIOD
    assert count(PERIOD - 1) != count(PERIOD) == 0


@pytest.mark.parametrize(("work", "few"), [(count, 50_000), (digest, 5_000)])
def test_time_is_proportional_to_loops(work: Callable[[int], object], few: int) -> None:
    def cpu_s(loops: int) -> float:
        start = time.thread_time()
        work(loops)
        return time.thread_time() - start

    # In turn, and the fastest of each: whatever else the machine does only adds.
    small, large = zip(*((cpu_s(few), cpu_s(8 * few)) for _ in range(25)), strict=True)
    assert 5.5 < min(large) / min(small) < 11  # 8 by the law


def test_hashing_is_of_all_that_is_asked_for() -> None:
    assert digest(PIECE_KIB + 1) != digest(PIECE_KIB)


def test_it_computes_then_asks_to_wait_then_answers() -> None:
    work = application("/", "loops=10&wait=0.25")
    assert next(work) == 0.25
    with pytest.raises(StopIteration) as end:
        next(work)
    assert end.value.value[:2] == (200, b"done\n")


@pytest.mark.parametrize("query", ["", "loops=0", "wait=0", "wait=0&loops=7"])
def test_without_a_wait_it_does_not_give_way(query: str) -> None:
    assert run(application("/", query))[:2] == (200, b"done\n")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", Asked()),
        ("loops=12", Asked(12)),
        ("wait=.5", Asked(0, 0.5)),
        ("wait=2e-3&loops=0", Asked(0, 0.002)),
        (f"loops={MOST}&wait={LONGEST_WAIT_S}", Asked(MOST, LONGEST_WAIT_S)),
        ("wait=1&wait_by=backend", Asked(0, 1.0, wait_by="backend")),
        (f"cpu_by=hashing&loops={HASHED}", Asked(HASHED, 0.0, "hashing")),
        ("cpu_by=hashing&loops=3&wait_by=blocking", Asked(3, 0.0, "hashing", "blocking")),
    ],
)
def test_a_query_is_understood(query: str, expected: Asked) -> None:
    assert asked(query) == expected


BAD_QUERIES = {
    "loops=-1": "loops=-1: give a whole number",
    "loops=1.5": "loops=1.5: give a whole number",
    "loops=": "loops=: give a whole number",
    "loops=1e6": "loops=1e6: give a whole number",
    f"loops={MOST + 1}": f"loops={MOST + 1}: {MOST} of counting are the most",
    f"loops={HASHED + 1}&cpu_by=hashing": f"{HASHED} of hashing are the most",
    "loops=" + "9" * 5000: "give a whole number",
    "wait=-0.1": "wait=-0.1: give seconds from 0 to 60",
    "wait=nan": "wait=nan: give seconds",
    "wait=inf": "wait=inf: give seconds",
    "wait=3600": "wait=3600: give seconds",
    "wait=soon": "wait=soon: give seconds",
    "users=4": "users: not a parameter",
    "&": ": not a parameter",
    "cpu_by=guessing": "cpu_by=guessing: choose one of counting, hashing",
    "wait_by=": "wait_by=: choose one of sleep, backend, blocking",
}


@pytest.mark.parametrize(("query", "sentence"), BAD_QUERIES.items(), ids=lambda text: text[:20])
def test_a_bad_query_is_refused_with_a_sentence(query: str, sentence: str) -> None:
    status, body, _ = run(application("/", query))
    assert status == 400
    assert sentence in body.decode()


def test_ready_answers_this_runs_nonce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALL_TIME_NONCE", "a nonce")
    assert run(application("/ready", ""))[:2] == (200, b"a nonce")


def test_it_says_when_it_was_served_and_counts_no_other_cpu_time() -> None:
    """On the clock by which the client times its request. What the thread does while the request
    waits, as an event loop does, is not its own."""
    clocks = [time.get_clock_info(name) for name in ("monotonic", "perf_counter")]
    assert clocks[0].implementation == clocks[1].implementation
    before, work = time.perf_counter(), application("/", "loops=50000&wait=0.25")
    next(work)
    count(2_000_000)
    with pytest.raises(StopIteration) as ended:
        next(work)
    start, end, cpu_s, asked_s = map(float, ended.value.value[2].split())
    assert before - 1e-6 <= start < end <= time.perf_counter() + 1e-6
    assert 0 < cpu_s < (end - start) / 5
    assert asked_s == 0.25


@pytest.mark.parametrize("known", [True, False])
def test_a_write_waits_for_the_disk_where_fsync_does_not(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS has a command of its own for it. Here another one stands for that, whose work shows;
    or one that no file system knows: then it is fsync's turn, which minds what is no file."""
    command = fcntl.F_SETFD if known else 12345
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", command, raising=False)
    with (tmp_path / "file").open("wb") as file:
        assert not os.get_inheritable(file.fileno())
        exclusive.to_disk(file.fileno())
        assert os.get_inheritable(file.fileno()) == known
    reading, writing = os.pipe()
    os.set_inheritable(writing, False)
    refused = contextlib.nullcontext() if known else pytest.raises(OSError, match="Invalid")
    with refused:
        exclusive.to_disk(writing)
    for end in (reading, writing):
        os.close(end)


class Told:
    """A database that others have, so many times, and what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, others: int = 0) -> None:
        self.others, self.statements = others, []
        monkeypatch.setattr(exclusive, "_database", lambda: self)

    def execute(self, statement: str) -> None:
        self.statements.append(statement)
        if self.others:
            self.others -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
            raise error


def test_a_brief_transaction_waits_for_nothing_of_its_callers(monkeypatch) -> None:
    """Between two statements its thread may queue for Python's lock, and others for it meanwhile:
    16 threads with 1 ms of work each got 370 requests a second so, and 580 with one statement."""
    database = Told(monkeypatch)
    assert exclusive.brief_transaction(0.02) == 0.02
    assert database.statements == [exclusive.TAKE_ONE]
    database = Told(monkeypatch, others=2)
    assert exclusive.brief_transaction(0.02) == 0.02
    assert database.statements == 3 * [exclusive.TAKE_ONE]


@pytest.mark.parametrize("address", ["", "hostaddr=127.0.0.1"])
def test_a_transaction_ends_after_its_wait_and_when_the_wait_fails(address, monkeypatch) -> None:
    monkeypatch.setenv(exclusive.POSTGRESQL, address)
    begin = "BEGIN" if address else "BEGIN IMMEDIATE"
    database = Told(monkeypatch)
    assert exclusive.transaction(0.001) == 0.0
    assert database.statements == [begin, exclusive.TAKE_ONE, "COMMIT"]
    monkeypatch.setattr(exclusive.time, "sleep", lambda seconds: 1 / 0)
    database = Told(monkeypatch)
    with pytest.raises(ZeroDivisionError):
        exclusive.transaction(0.001)
    assert database.statements == [begin, exclusive.TAKE_ONE, "ROLLBACK"]


@pytest.fixture
def stock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """The SQLite of a server, as one of its threads has it."""
    monkeypatch.setattr(exclusive, "mine", threading.local())
    monkeypatch.setenv(exclusive.FOLDER, str(tmp_path))
    monkeypatch.delenv(exclusive.POSTGRESQL, raising=False)
    with contextlib.closing(exclusive._database()) as database:
        yield database


TAKE = pytest.mark.parametrize("take", [exclusive.transaction, exclusive.brief_transaction])


@TAKE
def test_who_finds_it_locked_comes_again(take, stock, monkeypatch) -> None:
    def sleep(seconds: float) -> None:
        if other.in_transaction:
            other.execute("COMMIT")

    monkeypatch.setattr(exclusive.time, "sleep", sleep)
    with contextlib.closing(exclusive._sqlite()) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute(exclusive.TAKE_ONE)
        take(0.0)
    assert stock.execute("SELECT pieces FROM stock").fetchone() == (999_998,)


def test_a_database_that_stays_busy_is_answered_with_502(stock, monkeypatch) -> None:
    """The exception would end a worker of our own servers."""
    monkeypatch.setattr(exclusive, "GIVE_UP_S", 0.0)
    with contextlib.closing(exclusive._sqlite()) as other:
        other.execute("BEGIN IMMEDIATE")
        for kind in ("database", "database-briefly"):
            status, body, _ = run(application("/", f"wait=0.01&wait_by={kind}"))
            assert status == 502 and b"locked" in body


@TAKE
def test_what_no_waiting_mends_is_said_at_once(take, stock, monkeypatch) -> None:
    """A full disk, a file that can only be read: in vain it would be tried for a minute."""
    monkeypatch.setattr(exclusive.time, "sleep", lambda seconds: pytest.fail("it waits"))
    stock.execute("PRAGMA query_only = on")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        take(0.0)
    assert not stock.in_transaction
