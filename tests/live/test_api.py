"""What a chapter's cell calls: the recorded run on a page, the recorder, and the public names."""

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import examples
import pytest
from msgspec import structs

import labs
from labs.host.waiting import Stopped
from labs.kinds.clocks.run import ClocksLab
from labs.kinds.comparison.run import ComparisonLab
from labs.kinds.generators.run import GeneratorsLab
from labs.kinds.memory.run import MemoryLab
from labs.kinds.race.run import RaceLab
from labs.kinds.sweep.record import Recording
from labs.kinds.sweep.run import SweepLab
from labs.measure.progress import Progress
from labs.measure.rig import Rig
from labs.recordings import recorder, store
from labs.recordings.recorder import BOOK, record, record_book
from labs.records.errors import Unusable
from labs.records.experiment import Experiment, Load, Server, Workload

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")


@pytest.fixture
def performed(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> list[SweepLab]:
    """The sweeps that are performed, each of which finds the example's points."""
    found: list[SweepLab] = []

    def perform(rig: Rig, lab: SweepLab) -> Recording:
        found.append(lab)
        return structs.replace(examples.recording(), experiment=lab.experiment)

    monkeypatch.setattr(Rig, "perform", perform)
    return found


@pytest.mark.parametrize(
    ("kind", "asked_s", "levels_s"),
    [("level", 1.0, 3.0), ("level", 4.0, 4.0), ("step", 1.0, 1.0)],
    ids=["short", "long enough", "no level"],
)
def test_the_book_measures_each_level_for_longer_than_a_reader_waits(
    performed, kind, asked_s, levels_s
) -> None:
    """And what was measured so is of the lab that its page has."""
    lab = SweepLab(replace(examples.EXPERIMENT, load=Load((1, 8), seconds=asked_s)))
    lab.each = kind  # type: ignore[misc]
    (found,) = record("many-cores", lab)
    assert [each.each_s for each in performed] == [levels_s] * BOOK.runs
    assert lab.matches(found)
    assert lab.matches(store.recording("many-cores"))


@pytest.mark.parametrize("tries", [1, 4])
def test_a_run_that_is_not_fit_is_tried_as_often_as_asked(monkeypatch, performed, tries) -> None:
    monkeypatch.setattr(recorder, "_rule", replace(BOOK, tries=tries))
    monkeypatch.setattr(SweepLab, "rejection", lambda lab, found: "disturbed")
    of = BOOK.runs * tries
    with pytest.raises(Unusable, match=rf"0 of {BOOK.runs} runs were fit after {of} tries"):
        recorder.record("many-cores", SweepLab(examples.EXPERIMENT))
    assert len(performed) == of


@pytest.mark.parametrize(
    ("asked", "recorded"),
    [((), ["one-core", "one-core-two-cores"]), (("one-core-two-cores",), ["one-core-two-cores"])],
    ids=["all of it", "one by its name"],
)
def test_a_lab_is_recorded_under_its_other_settings_too(
    tmp_path, performed, asked, recorded
) -> None:
    page = tmp_path / "1-cpu-time" / "one-core.md"
    page.parent.mkdir()
    page.write_text(OTHER_SETTINGS, "utf-8")
    before = recorded_files("one-core")
    record_book(asked, lambda line: None, book=tmp_path)
    assert [each.experiment.server.cores for each in performed[:: BOOK.runs]] == [
        2 if name.endswith("two-cores") else 1 for name in recorded
    ]
    assert store.recording("one-core-two-cores").experiment.server == Server("prefork", cores=2)
    assert (recorded_files("one-core") == before) is bool(asked)


def recorded_files(lab: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (store.folder() / lab).glob("*")}


OTHER_SETTINGS = """---
file_format: mystnb
---
# A page

```{code-cell} ipython3
from labs import Experiment, Load, Server, Workload, sweep
sweep("one-core", Experiment(
    Server("prefork", cores=1), Workload(cpu_s=0.05), Load([1, 8])),
    also={"two cores": Server("prefork", cores=2)})
```
"""
MANY = Experiment(Server("prefork", processes=256), Workload(wait_s=0.2), Load([256]))
POOLS = {name: replace(examples.EXPERIMENT, load=Load((1, 2), seconds=60.0)) for name in "ab"}


class LongClocks(ClocksLab):
    """The clocks of a page that takes long."""

    pages: ClassVar = {"long": Workload(wait_s=8.0)}


class LargeMemory(MemoryLab):
    """The memory of many processes."""

    sizes: ClassVar = {"process": (1, 256)}


@pytest.mark.extended
@pytest.mark.performance
@pytest.mark.parametrize(
    ("lab", "stage", "after_s"),
    [
        (LongClocks(), "", 0.5),
        (ComparisonLab(POOLS), "", 0.5),
        (SweepLab(MANY), "calibrating", 0.1),
        (SweepLab(MANY), "starting", 0.5),
        (SweepLab(MANY), "warming up", 0.1),
        (GeneratorsLab(seconds=60.0), "", 3.0),
        (LargeMemory(), "256", 0.5),
        (RaceLab(seconds=20.0), "", 8.0),  # past its settling
    ],
    ids=["clocks", "comparison", "burns", "start", "warm-up", "generators", "memory", "race"],
)
def test_stop_ends_a_lab_at_once(lab: Any, stage: str, after_s: float) -> None:
    """While it burns, waits for an answer, drives a load, or starts many processes."""
    stop, pressed = threading.Event(), list[float]()

    def press() -> None:
        pressed.append(time.monotonic())
        stop.set()

    def begun(event: Progress) -> bool:
        return stage in event.stage if stage else event.quiet_s is not None

    timer = threading.Timer(after_s, press)

    def hear(event: object) -> None:
        if isinstance(event, Progress) and timer.ident is None and begun(event):
            timer.start()

    with pytest.raises(Stopped):
        Rig(hear, stop).perform(lab)
    assert time.monotonic() - pressed[0] < 2.0


def test_importing_labs_is_light_and_never_brings_locust() -> None:
    code = (
        "import sys, labs; heavy = {'locust', 'gevent', 'plotly', 'ipywidgets', 'numpy', "
        "'anywidget', 'jupyter_server'} & set(sys.modules); assert not heavy, heavy; "
        "import labs.panel.sweep, labs.panel.lab, labs.recordings.recorder; "
        "assert 'gevent' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_public_names_are_there_and_no_others() -> None:
    assert set(dir(labs)) >= set(labs.__all__)
    assert all(getattr(labs, name) is not None for name in labs.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        labs.nonsense  # noqa: B018
