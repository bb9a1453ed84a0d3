"""Does our way of driving Locust cost requests, and do others see the same throughput?

    python -m bench.load

First our gated users against plain Locust on the same trivial server, in turn. Then one lab's
server as our Locust, ApacheBench and wrk see it, where those are installed.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from labs.calibrate import calibrate
from labs.load import OK, drive
from labs.records import Load, Server, Workload
from labs.servers import Running, serve

USERS = 16
SECONDS = 5
LONG_SECONDS = 15  # where a request takes 80 ms, so that the ends weigh little
ROUNDS = 3
PLAIN = Path(__file__).with_name("plain_users.py")


def ours(
    running: Running, workload: Workload, loops_per_s: float, users: int, seconds: int = SECONDS
) -> float:
    """Requests per second by completions over a long window, as the others count."""
    with drive(running.url, Load([users])) as driver:
        driver.ask_for(workload, loops_per_s)
        driver.open(users, 0.0)
        time.sleep(1.0)
        since, begin = len(driver.records()), time.perf_counter()
        time.sleep(seconds)
        records, end = driver.records(since), time.perf_counter()
    return float((records["kind"] == OK).sum()) / (end - begin)


def plain(running: Running) -> float:
    """Requests per second as plain Locust reports them."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "locust", "-f", str(PLAIN), "--headless"]
        command += ["--host", running.url, "--users", str(USERS), "--spawn-rate", "100"]
        command += ["--run-time", f"{SECONDS + 1}s", "--json", "--loglevel", "ERROR"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    stats = json.loads(done.stdout)[0]
    counts = stats["num_reqs_per_sec"]
    whole = [counts[second] for second in sorted(counts)[1:-1]]  # without the ragged ends
    return float(statistics.mean(whole))


def ab(url: str, users: int) -> float:
    command = ["ab", "-q", "-t", str(LONG_SECONDS), "-n", "1000000", "-c", str(users), url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"Requests per second:\s+([\d.]+)", said)[1])  # type: ignore[index]


def wrk(url: str, users: int) -> float:
    command = ["wrk", "-t", "1", "-c", str(users), "-d", f"{LONG_SECONDS}s", url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])  # type: ignore[index]


def main() -> int:
    with serve(Server("event-loop", by="scratch")) as running:
        pairs = [(ours(running, Workload(), 0.0, USERS), plain(running)) for _ in range(ROUNDS)]
    for mine, theirs in pairs:
        print(f"ours {mine:8.0f} req/s   plain Locust {theirs:8.0f} req/s   {mine / theirs:.3f}")
    print(f"ours over plain, median: {statistics.median(a / b for a, b in pairs):.3f}\n")

    loops_per_s = calibrate().loops_per_s[0]
    users, cpu_s = 8, 0.02
    with serve(Server("prefork", processes=8)) as running:
        url = f"{running.url}/?loops={round(cpu_s * loops_per_s)}&wait=0"
        seen = {"Locust": ours(running, Workload(cpu_s=cpu_s), loops_per_s, users, LONG_SECONDS)}
        for name, tool in (("ab", ab), ("wrk", wrk)):
            if shutil.which(name):
                seen[name] = tool(url, users)
        seen["Locust again"] = ours(
            running, Workload(cpu_s=cpu_s), loops_per_s, users, LONG_SECONDS
        )
    base = statistics.mean([seen["Locust"], seen["Locust again"]])
    for name, rate in seen.items():
        print(f"{name:<14} {rate:8.1f} req/s   {rate / base - 1:+.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
