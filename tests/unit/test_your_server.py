"""The panel of a reader's own server: an address is typed, looked at, bet on and run."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from attachments import SEEN, attached, with_run
from msgspec import structs
from panel_driver import SOON_S, PanelDriver
from waiting import eventually

from labs.kinds.attach.record import Attached
from labs.kinds.attach.run import AttachLab
from labs.measure.rig import Rig
from labs.panel import load_tests
from labs.panel.your_server import YourServerPanel

LOAD_TESTS = Path(__file__).parent.parent / "load_tests"
URL = "http://127.0.0.1:8000/orders"


@pytest.fixture
def panel() -> Iterator[PanelDriver]:
    """A panel whose book's recording is of the book's own server."""
    recorded = structs.replace(four_places(), url="")
    made = PanelDriver(YourServerPanel("your-own-server", AttachLab(), recorded=recorded))
    yield made
    made.shut()


def four_places() -> Attached:
    """Four workers that hold a request for 0.1 s each."""
    return attached(lambda users: min(users, 4) / 0.1, alone_s=0.1, users=(1, 2, 4, 8, 16))


def measured(panel: PanelDriver) -> list[float]:
    """Levels that are drawn as measured in the plot of throughput."""
    traces = [t for t in panel.figure["data"] if t["name"] == "measured" and t["xaxis"] == "x"]
    return list(traces[0]["x"]) if traces else []


def test_panel_starts_with_the_book_s_own_server_and_its_recording(panel: PanelDriver) -> None:
    assert "gunicorn with 4 workers" in panel.said("about") and not panel.lines
    assert panel.panel._look.disabled  # nobody is there before a run
    panel.skip()
    assert panel.can_run and {"forecast", "bound", "recorded"} <= panel.lines
    panel.set(url=URL)
    assert panel.lines == set() and URL in panel.said("about")
    assert not panel.panel._look.disabled and panel.can_run


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"url": "my server"}, "begins with http:// or https://"),
        ({"workers": "four"}, "Workers “four”: must be a whole number"),
        ({"workers": "0"}, "Workers “0”: must be between"),
    ],
)
def test_panel_refuses_in_a_sentence_what_cannot_be_asked(
    panel: PanelDriver, typed: dict[str, str], said: str
) -> None:
    panel.skip()
    panel.set(**typed)
    assert said in panel.said("problem")
    assert not panel.can_run and panel.panel._look.disabled
    panel.set(**dict.fromkeys(typed, ""))
    assert panel.said("problem") == "" and panel.can_run


def test_panel_asks_another_host_only_when_it_is_typed_twice(panel: PanelDriver) -> None:
    mine = panel.panel._mine
    assert mine.layout.display == "none"
    panel.skip()
    panel.set(url="http://shop.example/")
    assert mine.layout.display == "" and "Host, once more" in panel.said("problem")
    panel.set(mine="other.example")
    assert not panel.can_run
    panel.set(mine="shop.example")
    assert panel.can_run and panel.said("problem") == ""


def test_look_says_that_nobody_listens_and_starts_nothing(panel: PanelDriver) -> None:
    panel.set(url="http://127.0.0.1:9/")
    panel.panel._look.click()
    eventually(lambda: "nobody listens" in panel.panel._who.value, SOON_S, "its answer")
    assert panel.job is None and not panel.panel._look.disabled
    panel.set(url=URL)  # what was said is of another address
    assert panel.said("who") == ""


def test_points_land_beside_the_forecast_and_a_bet_is_settled(
    panel: PanelDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Semaphore(0)

    def run(lab: AttachLab, rig: Rig) -> Attached:
        whole = structs.replace(four_places(), url=lab.asked.url)
        for number in range(len(whole.run.points) + 1):
            rig.partial(with_run(whole, points=whole.points[:number]))
            assert rig.until(lambda: go.acquire(blocking=False), SOON_S)
        return whole

    monkeypatch.setattr(AttachLab, "run", run)
    panel.set(url=URL)
    assert not panel.can_run and "a second will it answer at most?" in panel.said("question")
    panel.commit("50")
    job = panel.run()
    eventually(lambda: "forecast" in panel.lines, SOON_S, "the forecast")
    assert measured(panel) == [] and panel.setting("url").disabled
    for landed in ([1], [1, 2], [1, 2, 4]):
        go.release()
        eventually(lambda landed=landed: measured(panel) == landed, SOON_S, "a point")
    go.release(10)
    assert job.join(SOON_S)
    assert measured(panel) == [1, 2, 4, 8, 16]
    assert f"its {SEEN.workers} workers are all it has" in panel.said("verdict")
    assert "gunicorn: 5 processes" in panel.said("verdict")
    assert "You said 50 req/s at most" in panel.said("question")
    assert "it was 40 req/s: yours was 25 % too high" in panel.said("question")
    assert "your-own-server-2-cores.csv" in panel.html("data")
    assert "your-own-server-2-cores.json" in panel.html("data")
    assert not panel.marked
    for typed, said in (("4", "Set now: 4 workers"), ("x", ""), ("", "")):
        panel.set(workers=typed)
        assert said in panel.said("whose") and panel.marked == bool(typed)


def dropped(panel: PanelDriver, **files: bytes) -> None:
    """What the page sends of files that come to lie on the panel."""
    told = {"type": "", "last_modified": 0}
    sent = [
        {"name": f"{name}.txt", "size": len(data), "content": memoryview(data), **told}
        for name, data in files.items()
    ]
    panel.panel._tests.files.set_state({"value": sent})


def test_a_load_test_is_drawn_with_what_the_laws_say_and_a_foreign_file_is_refused(
    panel: PanelDriver,
) -> None:
    tests = panel.panel._tests
    panel.set(workers="8")
    dropped(panel, **{f"ab{n}": (LOAD_TESTS / f"ab-{n}.txt").read_bytes() for n in (2, 16, 4, 8)})
    assert "so the pool is full" in tests._said.value
    assert tests._figure.figure["data"][0]["x"] == [2, 4, 8, 16] and tests.files.value == ()
    for name, data, said in (
        ("mine", b"no load test <b>", "mine.txt: no load test that is known here"),
        ("ab", (LOAD_TESTS / "ab-2.txt").read_bytes()[:400], "ab.txt: ab: "),
    ):
        dropped(panel, **{name: data})
        assert said in tests._said.value
        assert tests._figure.figure["data"] == [] and "<b>" not in tests._said.value


def test_a_load_test_too_large_to_be_read_at_once_is_refused_with_the_command_that_reads_it(
    panel: PanelDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_tests, "MOST_BYTES", 2**20)
    dropped(panel, one=bytes(2**19), other=bytes(2**19 + 1))
    assert "at most 1 MiB" in panel.panel._tests._said.value
    assert "labs import FILE" in panel.panel._tests._said.value
