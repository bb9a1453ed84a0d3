"""What a lab asks before its run: every kind of the book has a bet, live and on a page without a
kernel."""

import json
import re

import examples
import pytest
from chapters import labs
from markupsafe import Markup

from labs.kinds.checkup.run import CheckupLab
from labs.kinds.clocks.run import ClocksLab
from labs.present.bet import Answer, on_answer
from labs.recordings import replay, store
from labs.recordings.recorder import Cell, cells

NO_BET = {
    "classic": "its sources have told their numbers on the same page",
    "mystery": "it asks for a diagnosis, after the run",
}


LABS = labs()


@pytest.mark.parametrize("cell", cells(), ids=lambda cell: cell.lab)
def test_every_lab_of_the_book_asks_before_it_shows_what_came_out(
    cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, found = LABS[cell.lab], store.recording(cell.lab)
    assert isinstance(found, lab.result) and lab.matches(found)  # it is recorded as it is asked for
    monkeypatch.setattr(replay, "page", lambda *_: Markup("<figure>"))  # what is asked about it
    shown = replay.Replayed(cell.lab, lab, found).html
    if cell.kind in NO_BET:
        assert lab.question is None and "wt-bet-data" not in shown
        return
    assert lab.question is not None
    data = re.search(r'class="wt-bet-data">(.*?)</script>', shown)
    assert data and shown.startswith('<div class="wt-replay"')
    bet = json.loads(data[1])
    measured = lab.answer(found).measured
    assert measured and bet["measured"] == measured * lab.question.scale
    assert bet["asked"].startswith(lab.question.words) and bet["measured_said"]


def test_the_clocks_ask_for_the_part_of_the_time_that_a_core_works() -> None:
    lab, found = ClocksLab(), examples.clocks()
    assert lab.question.asked == (
        "for what part of the wall time of “both” (50\u00a0ms of CPU, 150\u00a0ms of waiting) will "
        "a core work, in %?"
    )
    known = lab.answer(found)
    assert known == Answer(0.25, found.page("both").cpu_fraction)
    assert on_answer(lab.question, 0.5, known) == (
        "You said 50\u00a0% of the wall time of “both”, the model 25\u00a0%, and it was "
        "17\u00a0%: yours was 33 percentage points too high."
    )


def test_the_checkup_asks_for_the_work_of_as_many_cores_as_there_are() -> None:
    lab = CheckupLab()
    four, one = lab.at_scale(4), lab.at_scale(1)
    assert lab.question and four.question and one.question is None
    assert lab.question.asked == "how many times the work of one core will 2 cores do together?"
    assert "4 cores" in four.question.asked
    known = four.answer(examples.checkup())
    assert known == Answer(measured=examples.checkup().capacity)
    assert "You said 2 times the work of one core, and it was " in on_answer(lab.question, 2, known)
