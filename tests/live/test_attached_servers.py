"""labs attach on real servers: what limits them is known beforehand, and found from outside."""

import json
import math
import signal
import subprocess
import sys
import threading
import urllib.parse
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
from answering import answering
from own_server import TOKEN
from panel_driver import PanelDriver
from serving import own_server
from waiting import eventually

from labs.__main__ import main
from labs.host.hardware import cores
from labs.host.waiting import Stopped
from labs.kinds.attach.record import Attached
from labs.kinds.attach.run import AttachLab
from labs.kinds.attach.verdict import verdict
from labs.load.locust import LoadFailed, drive
from labs.measure.rig import Rig
from labs.panel.your_server import YourServerPanel
from labs.records.errors import Failed
from labs.records.experiment import Load, Server
from labs.servers.catalogue import missing, row_of
from labs.servers.serve import serve
from workloads.protocol import FAILED, OK

pytestmark = pytest.mark.measures


CALM = 0.1  # cores that others use: beside more, not to know is right, and to name another wrong
FAR = 0.2  # of the forecast: no level of a law may be further off


@dataclass(frozen=True)
class Case:
    """A server with its page, and what is true of it."""

    server: Server
    page: str
    program: str
    limits: tuple[str, ...]  # that may be named; the first is the truth
    size: float | None = None
    behind: str = ""


CASES = {
    "three workers that sleep": Case(
        Server("prefork", processes=3), "/?loops=0&wait=0.1", "gunicorn", ("pool",), 3.0
    ),
    "one worker that sleeps": Case(
        Server("prefork", processes=1),
        "/?loops=0&wait=0.1",
        "gunicorn",
        ("one at a time",),
        1.0,
    ),
    "a loop that counts": Case(
        Server("event-loop"), "/?loops=120000&wait=0", "uvicorn", ("cores", "unknown")
    ),
    "PHP behind nginx": Case(
        Server("prefork", by="nginx-fpm", processes=12),
        "/?loops=1500000&wait=0.02",
        "nginx",
        ("cores", "unknown"),
        behind="php-fpm",
    ),
}


def attach(url: str, **more: object) -> Attached:
    """A whole attachment."""
    found = Rig().perform(AttachLab(url, **more))  # type: ignore[arg-type]
    assert isinstance(found, Attached)
    return found


def connected(url: str) -> int:
    """How many connections to that address are open."""
    port = urllib.parse.urlsplit(url).port
    found = [each for each in psutil.net_connections("tcp") if each.raddr]
    return sum(each.raddr.port == port and each.status == "ESTABLISHED" for each in found)


@pytest.mark.extended
@pytest.mark.performance
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_attach_names_the_limit_of_a_server_that_it_did_not_start(case: Case) -> None:
    if why := missing(row_of(case.server)):
        pytest.skip(why)
    with serve(case.server) as running:
        before = set(running.pids())
        found = attach(running.url + case.page)
        assert set(running.pids()) == before  # nothing of it was ended or started
    run, judged = found.run, verdict(found)
    assert run.found.program == case.program
    calm = all(point.others_cpu < CALM and point.fit for point in run.points)
    assert judged.limit in (case.limits if calm else (*case.limits, "unknown"))
    if case.size is not None and judged.limit == case.limits[0]:
        assert judged.pool_size == pytest.approx(case.size, rel=0.2)
    if case.behind:
        assert any(case.behind in name for name in run.found.behind)
    for point in run.points:
        if point.fit and judged.limit == "cores":  # a pool isn't known before the load
            level = run.forecast.at(point.users)
            assert point.throughput_rps == pytest.approx(level.model_rps, rel=FAR)


@pytest.mark.extended
def test_attach_command_writes_found_points_and_verdict_and_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.json"
    with serve(Server("prefork", processes=2)) as running:
        url = f"{running.url}/?loops=0&wait=0.05"
        command = [sys.executable, "-m", "labs", "attach", url, "--users", "1,2,4,8"]
        done = subprocess.run(
            [*command, "--json", str(out)], capture_output=True, text=True, timeout=180, check=False
        )
        assert done.returncode == 0, done.stderr
        assert len(running.pids()) == 3
    data = json.loads(out.read_text())
    assert data["found"]["program"] == "gunicorn"
    assert data["demand_s"]["low"] <= data["demand_s"]["value"] <= data["demand_s"]["high"]
    assert set(data["verdict"]) == {"limit", "pool_size", "sentences"}
    assert data["verdict"]["sentences"][0] in done.stdout


def test_attach_stops_at_once_when_asked_to_and_the_server_goes_on() -> None:
    stop = threading.Event()
    with serve(Server("prefork", processes=2)) as running:
        rig = Rig(on_event=lambda event: stop.set(), stop=stop)
        with pytest.raises(Stopped):
            rig.perform(AttachLab(f"{running.url}/?loops=0&wait=0.05"))
        running.check()


@pytest.mark.extended
def test_attach_sends_the_headers_with_every_request_and_shows_them_to_nobody() -> None:
    shown: list[str] = []

    def look(event: object) -> None:
        for each in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                shown.extend([*each.cmdline(), *each.environ().values()])

    with own_server("token") as url:
        with pytest.raises(Failed, match="--header @file"):
            attach(url)
        lab = AttachLab(url, users=[1, 2], headers={"Authorization": TOKEN})
        found = Rig(look).perform(lab)
    assert [point.failed for point in found.points] == [0, 0]
    assert all(point.completed for point in found.points)
    assert shown and not any("of-the-reader" in each for each in shown)


@pytest.mark.extended
def test_attach_takes_a_certificate_that_nobody_vouches_for_only_when_asked_to(
    tmp_path: Path,
) -> None:
    both = tmp_path / "both.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    subprocess.run([*made, *files], check=True, capture_output=True)
    both.write_text((tmp_path / "key.pem").read_text() + (tmp_path / "cert.pem").read_text())
    with own_server("none", str(both)) as url:
        with pytest.raises(Failed, match="--insecure"):
            attach(url)
        with pytest.raises(Failed, match=r"another protocol|reset|closed"):
            attach(url.replace("https", "http"))
        found = attach(url, users=[1, 2], insecure=True)
    assert all(point.completed and not point.failed for point in found.points)


@pytest.mark.extended
def test_attach_stops_at_the_level_at_which_answers_become_errors() -> None:
    with own_server("full") as url:
        found = attach(url, users=[1, 2, 4, 16, 32, 64])
    assert found.points[-1].users == 16
    assert verdict(found).limit == "errors"


def test_attach_names_no_limit_where_a_crowd_is_answered_with_another_page() -> None:
    with own_server("sorry") as url:
        found = attach(url, users=[1, 4, 16, 64])
    judged = verdict(found)
    assert judged.limit == "unknown" and "Is it still your page?" in judged.sentences[0]


def test_attach_forecasts_nothing_of_a_server_that_answers_no_look() -> None:
    said = r"asked as 1 user, it answered no request well\. .*code=500"
    with own_server("once") as url, pytest.raises(LoadFailed, match=said):
        attach(url)


def test_attach_says_that_a_server_has_ended_and_keeps_the_levels_before() -> None:
    with ExitStack() as stack:
        running = stack.enter_context(serve(Server("prefork", processes=2)))
        rig = Rig(on_event=lambda event: getattr(event, "stage", "") == "8 users" and stack.close())
        with pytest.raises(LoadFailed, match="the process that served it has ended"):
            rig.perform(AttachLab(f"{running.url}/?loops=0&wait=0.05", users=[1, 3, 8, 16]))
    assert rig.found is not None and [point.users for point in rig.found.points] == [1, 3]


@pytest.mark.parametrize(("then", "kind"), [("cut off", FAILED), ("all of it", OK)])
def test_an_answer_that_breaks_off_has_failed(then: str, kind: int) -> None:
    headers = "Connection: close\r\nContent-Length: 9"
    with answering(headers, then) as url, drive(Load([1]), url=url) as driver:
        driver.ask_page("/", {}, 0.0)
        driver.open(1, 0.0)
        eventually(lambda: len(driver.records()) > 9, 20, "answers")
        assert {FAILED, OK} & {*driver.records()["kind"].tolist()} == {kind}


@pytest.mark.extended
def test_attach_names_the_listen_queue_whose_turned_away_leave_the_cores_idle() -> None:
    with own_server("knocking") as url:
        found = attach(url, users=[4, 32, 128])
    judged = verdict(found)
    calm = all(point.others_cpu < CALM for point in found.run.points)
    assert judged.limit == "listen queue" or (not calm and judged.limit == "unknown")
    assert ("ss -lnt" in judged.sentences[-1]) == (judged.limit == "listen queue")


@pytest.mark.extended
def test_attach_command_that_is_interrupted_keeps_what_it_has_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.json"
    with serve(Server("threaded", threads=16)) as running:
        url = f"{running.url}/?loops=0&wait=0.6"  # so slow that a few are looked at, and no more
        few = 2 * max(2, math.ceil(cores()))  # users of the last look
        levels = [1, *range(few + 1, few + 13)]  # more than end meanwhile
        users = ",".join(map(str, levels))
        command = [sys.executable, "-m", "labs", "attach", url, "--users", users]
        command += ["--json", str(out)]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A shell's & has it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as labs:
            own = psutil.Process(labs.pid)
            started = partial(own.children, recursive=True)
            eventually(lambda: connected(url) > few, 90.0, "a level with more users than a look")
            below = started()
            labs.send_signal(signal.SIGINT)
            labs.communicate(timeout=30)
        assert labs.returncode == 130
        assert not psutil.wait_procs(below, timeout=10)[1]
    data = json.loads(out.read_text())
    assert data["found"]["visible"]
    assert 0 < len(data["points"]) < len(levels)


def test_attach_command_says_in_a_sentence_that_nobody_listens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["attach", "http://127.0.0.1:9/"]) == 3
    told = capsys.readouterr().err.strip().splitlines()[-1]  # whoever measures is waited for first
    assert "nobody listens" in told


def test_look_says_who_answers_at_the_address_that_is_typed() -> None:
    panel = PanelDriver(YourServerPanel("your-own-server", AttachLab()))
    with serve(Server("prefork", processes=3)) as running:
        panel.set(url=f"{running.url}/?loops=0")
        panel.panel._look.click()
        eventually(lambda: "gunicorn: 4 processes" in panel.said("who"), 30.0, "who answers")
    panel.shut()
