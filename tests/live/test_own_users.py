"""A reader's own locustfile before a server: it runs as it is, and what it does is heard."""

import json
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from serving import own_server
from waiting import eventually

from labs.__main__ import main
from labs.host import lock
from labs.kinds.attach.record import Attached
from labs.kinds.attach.report import costs_text, joined
from labs.kinds.attach.run import AttachLab
from labs.load.locust import Driver, Refused, drive
from labs.load.target import Target, own_users
from labs.measure.rig import Rig
from labs.records.experiment import Load
from workloads.protocol import FAILED, OK

pytestmark = pytest.mark.measures

SHOP = """
import names  # which lies beside this file
from locust import HttpUser, LoadTestShape, constant, task

class Shopper(HttpUser):
    host = "http://192.0.2.1"  # as it stands in the reader's file; the address given is asked
    wait_time = constant(0.3)

    def on_start(self):
        self.client.post("/login", json={"name": names.NAME})

    @task
    def buy(self):
        self.client.get("/list")
        with self.client.post("/order", data="one", catch_response=True) as answer:
            answer.success()

    def on_stop(self):
        self.client.post("/logout")

class Shape(LoadTestShape):
    def tick(self):
        return None  # it would end the test at once
"""
TWO_KINDS = """
from locust import FastHttpUser, HttpUser, task

class Often(FastHttpUser):
    weight = 3

    @task
    def ask(self):
        self.client.get("/often")

class Seldom(HttpUser):
    @task
    def ask(self):
        self.client.post("/seldom")
"""
UNUSABLE: list[tuple[str | None, tuple[str, ...], str]] = [
    (None, (), "cannot be read (No such file or directory)"),
    ("import no_such_module", (), "cannot be imported (ModuleNotFoundError: No module named"),
    ("raise SystemExit('no\\nmore')", (), "cannot be imported (SystemExit: no more)"),
    ("from locust import HttpUser", (), "has no User class"),
    (SHOP, ("--think", "1"), "wait_time of their own"),
]
USER = """
from locust import HttpUser, task
from locust.exception import StopUser

class Mine(HttpUser):
    @task
    def ask(self):
        self.client.get("/")
        {}
"""


def said(url: str) -> Counter[str]:
    """What the server was asked for so far."""
    with urllib.request.urlopen(f"{url}said") as answer:
        return Counter(json.load(answer))


@contextmanager
def asking(folder: Path, text: str, url: str, users: int) -> Iterator[Driver]:
    """That locustfile's users, at hand."""
    (folder / "mine.py").write_text(text)
    (folder / "names.py").write_text("NAME = 'somebody'\n")
    target = Target(url)
    scenario = own_users(folder / "mine.py", target)
    with drive(Load([users]), scenario=scenario) as driver:
        driver.aim(target.origin, allowed=target.origin)
        yield driver


@pytest.mark.performance
@pytest.mark.extended
def test_a_scenario_runs_as_it_is_and_its_pause_is_measured(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SHOP)
    (tmp_path / "names.py").write_text("NAME = 'somebody'\n")
    with own_server("none") as url:
        found = Rig().perform(AttachLab(url, users=[4, 8], locustfile=str(tmp_path / "mine.py")))
        asked = said(url)
    assert isinstance(found, Attached)
    run = found.run
    assert run.think_time_s == pytest.approx(0.3 / 2, rel=0.2)  # between each two of its requests
    for point in run.points:
        assert not point.failed
        cycle_s = point.mean_response_time_s + run.think_time_s
        assert point.throughput_rps * cycle_s == pytest.approx(point.users, rel=0.2)
        assert point.throughput_rps == pytest.approx(
            run.forecast.at(point.users).model_rps, rel=0.2
        )
    assert asked["POST /login"] == asked["POST /logout"] == 8
    assert asked["GET /list"] == pytest.approx(asked["POST /order"], abs=8)
    assert "of mine.py pause for" in costs_text(found)
    assert joined(found)["locustfile"] == "mine.py"


def test_a_level_has_the_kinds_of_users_by_their_weights(tmp_path: Path) -> None:
    with own_server("none") as url, asking(tmp_path, TWO_KINDS, url, 8) as driver:
        driver.open(4, 0.0)
        eventually(lambda: len(driver.records()) > 100, 30)
        driver.open(1, 0.0)
        eventually(lambda: len(driver.report().flying) <= 1, 30)
        records, asked = driver.records(), said(url)
        assert set(records["user"].tolist()) == {0, 1, 2, 3}
        assert set(records["kind"].tolist()) >= {OK} and FAILED not in records["kind"]
        assert asked["GET /often"] == pytest.approx(3 * asked["POST /seldom"], rel=0.25)
        since = len(driver.records())
        eventually(lambda: len(driver.records()) > since + 5, 30)
        alone = driver.records(since)
        assert set(alone["user"][alone["kind"] == OK].tolist()) == {0}


def test_users_clear_up_after_themselves(tmp_path: Path) -> None:
    with own_server("none") as url, asking(tmp_path, SHOP, url, 4) as driver:
        driver.open(3, 0.0)
        eventually(lambda: said(url)["POST /order"] >= 3, 30)
        driver.dismiss()
        asked = said(url)
    assert asked["POST /login"] == asked["POST /logout"] == 3


def test_who_leaves_has_a_successor_and_a_task_that_breaks_off_has_failed(tmp_path: Path) -> None:
    with own_server("none") as url, asking(tmp_path, USER.format("raise StopUser"), url, 1) as one:
        one.open(1, 0.0)
        eventually(lambda: said(url)["GET /"] >= 2, 30)
        assert FAILED not in one.records()["kind"]
    with own_server("none") as url, asking(tmp_path, USER.format("assert 0"), url, 1) as one:
        one.open(1, 0.0)
        eventually(lambda: {OK, FAILED} <= set(one.records()["kind"].tolist()), 30)


@pytest.mark.parametrize("task", ["/away", "http://example.org/"])
def test_no_other_machine_is_asked_whatever_a_task_or_an_answer_says(
    tmp_path: Path, task: str
) -> None:
    text = USER.format(f"self.client.get({task!r})")
    with own_server("none") as url, asking(tmp_path, text, url, 1) as driver:
        driver.open(1, 0.0)
        with pytest.raises(
            Refused, match=r"mine.py: it asks (192.0.2.1|example.org), which is neither"
        ):
            eventually(driver.check, 30)


def test_a_file_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "LOCK", tmp_path / "turn")  # who is refused measures nothing
    file, out = tmp_path / "mine.py", tmp_path / "out.json"
    out.write_text("as it was")
    with own_server("none") as url:
        for looks, (text, more, why) in enumerate(UNUSABLE, 1):
            if text is not None:
                file.write_text(text)
            asked = ["attach", url, "--locustfile", str(file), *more, "--json", str(out)]
            assert main(asked) == 2
            (line,) = capsys.readouterr().err.strip().splitlines()
            assert why in line and out.read_text() == "as it was"
            assert sum(said(url).values()) <= looks  # and no load
