"""What a lab asks before its run: every kind of the book has a bet, live and on a page without a
kernel."""

import json
import re

import examples
import pytest
from chapters import labs
from markup import sheet
from markupsafe import Markup
from syrupy.assertion import SnapshotAssertion

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


def test_bet_words_of_the_clocks_and_the_checkup(snapshot: SnapshotAssertion) -> None:
    clocks, checkup = ClocksLab(), CheckupLab()
    four, found = checkup.at_scale(4), examples.clocks()
    assert checkup.at_scale(1).question is None
    timed, burned = clocks.answer(found), four.answer(examples.checkup())
    assert timed == Answer(0.25, found.page("both").cpu_fraction)
    assert burned == Answer(measured=examples.checkup().capacity)
    said = {
        "clocks": clocks.question.asked,
        "clocks, 50 %": on_answer(clocks.question, 0.5, timed),
        "checkup": checkup.question.asked,
        "checkup of four cores": four.question.asked,
        "checkup, 2 cores": on_answer(checkup.question, 2, burned),
    }
    assert sheet(said) == snapshot
