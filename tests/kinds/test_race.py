"""The lab of the shared counter: what is found, how it is told, and threads that really race."""

from dataclasses import replace

import examples
import pytest
from examples import count

from labs.kinds.race.record import Count, Race
from labs.kinds.race.run import WAYS, WORK, RaceLab
from labs.measure.rig import Rig
from labs.present.markup import wide_table

pytestmark = pytest.mark.usefixtures("calibrated_in_passing")


def run(counted: int = 50) -> tuple[Count, ...]:
    return (
        count("without a lock", 400, counted, 120.0),
        count("with a lock around the write", 400, counted, 120.0),
        count("with a lock around all of it", 80, 80, 24.0),
        count("with the work outside the lock", 400, 400, 121.0),
        count("computing only, without a lock", 400, 100, 122.0),
    )


def race(*counted: int) -> Race:
    return examples.race(*(run(each) for each in counted or (60, 50, 40)))


# what is found and how it is told


def test_count_lost_is_what_was_asked_and_did_not_arrive() -> None:
    found = race().count("without a lock")
    assert (found.lost, found.lost_fraction) == (350, pytest.approx(0.875))
    lab = RaceLab()
    assert lab.matches(race())
    lab.ways = WAYS[:2]
    assert not lab.matches(race())


def test_wide_table_keeps_a_first_column_without_a_name_first() -> None:
    shown = wide_table(("", "b"), (("1", "2"),))
    assert "<tr><td>1</td><td>2</td></tr>" in shown
    assert '<tr><td></td><th scope="col">b</th></tr>' in shown  # nothing to read out as its name


def test_race_lab_rejects_a_lock_that_loses_and_a_race_without_a_loss() -> None:
    lucky, *others = run(400)
    assert "400 additions were lost" in RaceLab().rejection(examples.race((lucky, *others)))
    bare, write, locked, *others = run()
    found = examples.race((bare, write, replace(locked, counted=79), *others))
    assert "1 of 80 additions were lost" in RaceLab().rejection(found)
    assert RaceLab().rejection(race()) == ""


# real threads


@pytest.mark.performance
def test_race_lab_threads_lose_additions_and_a_lock_keeps_them() -> None:
    told: list[object] = []
    found = Rig(told.append).perform(RaceLab(seconds=1.0))
    assert [len(each.run.counts) for each in told if isinstance(each, Race)] == [1, 2, 3, 4, 5]
    bare, write, locked, outside, computing = found.run.counts
    assert bare.lost > 0
    assert write.lost > 0  # whoever has read before the lock is free writes an old number
    assert computing.lost > 0  # with no wait anywhere
    assert (locked.lost, outside.lost) == (0, 0)
    assert locked.throughput_rps < 1.05 / WORK.wait_s  # one thread at a time
    assert bare.throughput_rps > 1.5 * locked.throughput_rps
    assert outside.throughput_rps > 1.5 * locked.throughput_rps
    assert RaceLab().rejection(found) == ""
