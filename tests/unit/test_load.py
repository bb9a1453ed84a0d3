"""What load generators are told and what they say, and how one waits for it. None is started."""

import contextlib
import json
import math
import os
import re
import resource
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from labs.host.waiting import readable, wait_until
from labs.load import locust, tools
from labs.records.experiment import Load

URL = "http://127.0.0.1:8000/file"
HIGH = 1500  # beyond what select() can take


@pytest.mark.parametrize("seconds", [0.2, 1.5, 2.5, 3.0, 6.5, 12.5])
def test_a_tool_asks_at_least_as_long_as_it_is_watched(seconds: float) -> None:
    by_ab = tools.ab(URL, 8, seconds=seconds)
    by_wrk = tools.wrk(URL, 8, seconds=seconds)
    by_locust = tools.locust(URL, 8, seconds=seconds)
    asked = [
        by_ab[by_ab.index("-t") + 1],
        by_wrk[by_wrk.index("-d") + 1].removesuffix("s"),
        by_locust[by_locust.index("--run-time") + 1].removesuffix("s"),
    ]
    ends_s = 2 * tools.LOCUST_ENDS_S
    assert asked == [str(math.ceil(each)) for each in (seconds, seconds, seconds + ends_s)]


@pytest.mark.parametrize(
    ("counts", "rps"),
    [
        ({"10": 16, "12": 16, "14": 16, "16": 16, "18": 16}, 8.0),  # 16 users who wait for 2 s
        ({"10": 5, "11": 100, "12": 110, "13": 7}, 105.0),
        ({"10": 5, "14": 30, "15": 4}, 7.5),
        ({"10": 20, "13": 20}, 10.0),  # no whole second: all of them
        ({"10": 20}, 20.0),
    ],
)
def test_a_second_in_which_nothing_ended_counts(counts: dict[str, int], rps: float) -> None:
    """And the ragged ends do not."""
    entry = {
        "num_requests": sum(counts.values()),
        "num_failures": 1,
        "num_reqs_per_sec": counts,
        "total_response_time": 10.0 * sum(counts.values()),
        "max_response_time": 1.0,
        "start_time": 10.0,
        "last_request_timestamp": 18.0,
    }
    said = tools.read_locust(f"[]\n{json.dumps([entry])}\n[]\n")
    assert (said.requests, said.failed) == (sum(counts.values()), 1)
    assert (said.throughput_rps, said.mean_response_time_s) == pytest.approx((rps, 0.01))


def test_a_locust_that_cannot_be_started_leaves_no_file_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def supervise(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(locust, "supervise", supervise)
    before = psutil.Process().num_fds()
    for _ in range(3):
        with pytest.raises(OSError, match="no more processes"), locust.drive(Load([1])):
            pass
    assert psutil.Process().num_fds() == before


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that is read from a high file number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = HIGH + 1 if hard == resource.RLIM_INFINITY else min(hard, HIGH + 1)
    if most <= HIGH:
        pytest.skip(f"no more than {hard} files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    low, write = os.pipe()
    with contextlib.ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        stack.callback(os.close, write)
        stack.callback(os.close, low)
        os.dup2(low, HIGH)
        stack.callback(os.close, HIGH)
        yield HIGH, write


def test_readable_takes_a_file_of_any_number(pipe: tuple[int, int]) -> None:
    read, write = pipe
    assert not readable(read, 0.0)
    os.write(write, b"x")
    assert readable(read, 0.0)


def test_wait_until_goes_on_after_a_minute_in_which_we_stood_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = iter([0.0, 0.1, 60.1, 60.2, 60.3])  # stopped for a minute between two looks
    monkeypatch.setattr("labs.host.waiting.time.monotonic", lambda: next(moments))
    looks = iter([False, False, False, True])
    assert wait_until(lambda: next(looks), 20.0, every_s=0.0)
    moments = iter([0.0, *range(4, 100, 4)])
    assert not wait_until(lambda: False, 20.0, every_s=0.0)
    assert next(moments) == 28  # 20 s, and one look more


def test_spawned_is_what_locust_says_of_workers_in_time_and_late() -> None:
    locust_s = find_spec("locust")  # not imported, as it patches the process
    assert locust_s and locust_s.origin
    runners = Path(locust_s.origin).with_name("runners.py").read_text("utf-8")
    said = re.findall(f"({tools.SPAWNED})", runners)
    assert {*said} == {"All users spawned", "Spawning is complete"}
