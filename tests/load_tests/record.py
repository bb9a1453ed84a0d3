"""Record load tests by other tools against a server that counts, and keep both.

`python tests/load_tests/record.py` runs each tool that is on PATH for some seconds at 127.0.0.1,
writes its results into this folder, and into `truth.json` what the server saw of each file: users
(its open connections), seconds, answers, failures and the mean time that it took for an answer.
"""

import asyncio
import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PORT = 8097
URL = f"http://127.0.0.1:{PORT}"
SHORTEST_S, SETTLING = 5.0, 0.2  # of a level, and the part at its start that isn't counted
EVERY = 20  # an answer that is a 503, at /sometimes
LARGE = 40_000  # bytes: a larger file is kept gzipped
# Of k6's twenty metrics these are kept; with all of them a file has 400 kB gzipped.
METRICS = rb"(http_req_duration|http_req_failed|vus)"
KEPT = re.compile(rb'%s,|\{"metric":"%s"|\{"type":"Metric".*"metric":"%s"' % ((METRICS,) * 3))

LOCUSTFILE = """
from locust import FastHttpUser, LoadTestShape, constant, task

class Visitor(FastHttpUser):
    wait_time = constant(0.1)
    @task
    def ask(self):
        self.client.get("/pool")

class Steps(LoadTestShape):
    def tick(self):
        level = int(self.get_run_time() // 30)
        return ((6, 12, 24, 48)[level], 100) if level < 4 else None
"""
K6 = """
import http from "k6/http";
export const options = {stages: [%s]};
export default function () { http.get("%s/%s"); }
"""
STEPS = ", ".join(f"{{duration: '{s}s', target: {n}}}" for n in (8, 16) for s in (0, 20))
THREADS = """
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="G" enabled="true">
<elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<intProp name="LoopController.loops">-1</intProp></elementProp>
<stringProp name="ThreadGroup.num_threads">8</stringProp>
<stringProp name="ThreadGroup.ramp_time">0</stringProp>
<boolProp name="ThreadGroup.scheduler">true</boolProp>
<stringProp name="ThreadGroup.duration">{duration}</stringProp>
<stringProp name="ThreadGroup.delay">{delay}</stringProp>
<stringProp name="ThreadGroup.on_sample_error">continue</stringProp></ThreadGroup>
<hashTree><HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="GET"
enabled="true"><elementProp name="HTTPsampler.Arguments" elementType="Arguments">
<collectionProp name="Arguments.arguments"/></elementProp>
<stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
<stringProp name="HTTPSampler.port">{port}</stringProp>
<stringProp name="HTTPSampler.path">/sometimes</stringProp>
<stringProp name="HTTPSampler.method">GET</stringProp>
<boolProp name="HTTPSampler.use_keepalive">true</boolProp></HTTPSamplerProxy><hashTree/></hashTree>
"""
PLAN = (
    '<?xml version="1.0"?><jmeterTestPlan version="1.2" properties="2.7"><hashTree>'
    '<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="P" enabled="true"/><hashTree>'
    + "".join(
        THREADS.format(duration=end - delay, delay=delay, port=PORT)
        for delay, end in ((0, 40), (20, 40))
    )
    + "</hashTree></hashTree></jmeterTestPlan>"
)
JTL = [
    f"-Jjmeter.save.saveservice.{name}"
    for name in ("output_format=csv", "print_field_names=true", "thread_counts=true")
]
# File, steps (True) or one level, and the command; {out} is the file, else standard output is.
RUNS: list[tuple[str, bool, list[str]]] = [
    *[(f"ab-{n}.txt", False, ["ab", "-k", "-c", f"{n}", "-n", f"{40 * n}", f"{URL}/pool"])
      for n in (2, 4, 8, 16)],
    ("ab-failed.txt", False, ["ab", "-k", "-c", "8", "-n", "240", f"{URL}/sometimes"]),
    *[(f"wrk-{n}.txt", False, ["wrk", "-t1", f"-c{n}", "-d6s", "--latency", f"{URL}/sometimes"])
      for n in (4, 8)],
    ("wrk2.txt", False,
     ["wrk2", "-t1", "-c16", "-d30s", "-R40", "--latency", f"{URL}/"]),
    ("hey.txt", False, ["hey", "-c", "8", "-n", "240", f"{URL}/sometimes"]),
    ("vegeta.json", False,
     ["sh", "-c", f"echo GET {URL}/sometimes | vegeta attack -rate 40 -duration 6s"
      " | vegeta report -type json"]),
    *[(f"autocannon-{n}.json", False,
       ["autocannon", "-c", f"{n}", "-d", "10", "--json", f"{URL}/sometimes"]) for n in (4, 8)],
    ("k6-summary.json", False,
     ["k6", "run", "-q", "--vus", "8", "-d", "6s", "--summary-export", "{out}", "{once}"]),
    ("k6-out.json", True, ["k6", "run", "-q", "--out", "json={out}", "{stages}"]),
    ("k6-out.csv", True, ["k6", "run", "-q", "--out", "csv={out}", "{stages}"]),
    ("jmeter.jtl", True, ["jmeter", "-n", "-t", "{plan}", "-l", "{out}", *JTL]),
    ("locust_stats_history.csv", True,
     ["locust", "-f", "{locustfile}", "--headless", "-H", URL, "--csv", "{stem}"]),
]  # fmt: skip


class Counter(asyncio.Protocol):
    """A server that answers after 50 to 150 ms and writes down when; /pool has eight places."""

    opened: list[tuple[float, int]]  # when, and one connection more or less
    answers: list[tuple[float, float, bool]]  # when it came, when it was answered, and well
    places: asyncio.Semaphore

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.opened.append((time.time(), 1))

    def connection_lost(self, exc: Exception | None) -> None:
        self.opened.append((time.time(), -1))

    def data_received(self, data: bytes) -> None:
        self.task = asyncio.ensure_future(self.answer(data.split(b" ", 2)[1], time.time()))

    async def answer(self, path: bytes, came: float) -> None:
        wait = random.uniform(0.05, 0.15)
        if path == b"/pool":
            async with self.places:
                await asyncio.sleep(wait)
        else:
            await asyncio.sleep(wait)
        well = path != b"/sometimes" or len(self.answers) % EVERY != EVERY - 1
        if not self.transport.is_closing():
            self.transport.write(
                b"HTTP/1.1 %s\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nok\n"
                % (b"200 OK" if well else b"503 Busy")
            )
            self.answers.append((came, time.time(), well))


def levels(steps: bool) -> Iterator[dict[str, float]]:
    """What the server saw: of the whole run, or of each long time of as many connections."""
    spans, now = [], 0
    for (at, change), (until, _) in zip(Counter.opened, Counter.opened[1:], strict=False):
        now += change
        spans.append((now, at, until))
    users = max(users for users, _, _ in spans)
    if steps:
        spans = [
            (users, at + SETTLING * (until - at), until)
            for users, at, until in spans
            if until - at >= SHORTEST_S
        ]
    else:
        spans = [(users, Counter.opened[0][0], Counter.answers[-1][1])]
    for users, begin, end in spans:
        took = [(b - a, well) for a, b, well in Counter.answers if begin <= b <= end]
        yield {
            "users": users,
            "seconds": end - begin,
            "completed": sum(well for _, well in took),
            "failed": sum(not well for _, well in took),
            "mean_response_time_s": sum(each for each, _ in took) / len(took),
        }


async def record(names: list[str]) -> None:
    """Run each tool that is here, one after the other."""
    kept = HERE / "truth.json"
    truth = json.loads(kept.read_text()) if kept.exists() else {}
    loop = asyncio.get_running_loop()
    for name, steps, command in RUNS:
        if (names and name not in names) or not shutil.which(command[0]):
            continue
        random.seed(1)
        Counter.opened, Counter.answers, Counter.places = [], [], asyncio.Semaphore(8)
        server = await loop.create_server(Counter, "127.0.0.1", PORT)
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            files = {"out": at / name, "stem": at / name.split("_stats")[0]}
            for key, text in (
                ("once", K6 % ("", URL, "sometimes")),
                ("stages", K6 % (STEPS, URL, "sometimes")),
                ("plan", PLAN),
                ("locustfile", LOCUSTFILE),
            ):
                files[key] = at / f"{key}{'.py' if key == 'locustfile' else '.js'}"
                files[key].write_text(text)
            filled = [part.format(**files) for part in command]
            tool = await asyncio.create_subprocess_exec(
                *filled, stdout=subprocess.PIPE, stderr=sys.stderr, cwd=at
            )
            said, _ = await asyncio.wait_for(tool.communicate(), 180)
            await asyncio.sleep(0.2)
            server.close()
            data = files["out"].read_bytes() if files["out"].exists() else said
            keep(name, data)
            if (whole := at / "locust_stats.csv").exists():
                keep(whole.name, whole.read_bytes())
        truth[name] = {"command": " ".join(command), "levels": list(levels(steps))}
        print(name, truth[name]["levels"])
        kept.write_text(json.dumps(truth, indent=1, sort_keys=True) + "\n")


def keep(name: str, data: bytes) -> None:
    """Write the file beside this one, gzipped where it is large."""
    if name.startswith("k6-out"):
        head, *lines = data.splitlines(keepends=True)
        data = b"".join([head, *(line for line in lines if KEPT.match(line))])
    if len(data) > LARGE:
        name, data = f"{name}.gz", gzip.compress(data, mtime=0)
    (HERE / name).write_bytes(data)


if __name__ == "__main__":
    asyncio.run(record(sys.argv[1:]))
