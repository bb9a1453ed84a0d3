"""Every lab of the book, for real and small: whatever a chapter calls, runs on this machine."""

from pathlib import Path

import pytest
from short import TRIAL

from labs.host import lock
from labs.kinds.base import LabKind
from labs.kinds.registry import lab_kind, showing
from labs.recordings import recorder, store
from labs.recordings.replay import page

LABS = [  # the classics have servers of their own to find, and tests in tests/kinds
    cell.lab for cell in recorder.cells() if lab_kind(cell.kind).recorded_by == LabKind.recorded_by
]

pytestmark = [
    pytest.mark.live,
    pytest.mark.chapters,
    pytest.mark.usefixtures("calibrated_in_passing"),
]


# A checkup, a timeline and a sweep; the others are as many minutes.
EACH_TIME = {"your-machine", "prefork", "event-loop"}


def _each() -> list[object]:
    assert set(LABS) > EACH_TIME
    return [
        lab if lab in EACH_TIME else pytest.param(lab, marks=pytest.mark.extended) for lab in LABS
    ]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("lab", _each())
def test_a_lab_runs_and_shows_what_it_found(
    lab: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABS_RECORDINGS", str(tmp_path))
    monkeypatch.setattr(lock, "LOCK", tmp_path / "turn")  # what it measures is not looked at
    recorder.record_book([lab], print, TRIAL)
    found = store.recording(lab)
    assert showing(found).alt(found)
    assert "wt-recorded" in page(lab, found)
