"""Races, deals, pages and ramps: the scenes of the page against a second teller and our laws."""

import json
import re
from pathlib import Path
from typing import Any

import crowd_reference
import pytest

from labs.site import deal_picture, pages_picture, ramp_picture
from labs.theory import laws, queueing

SCENES = Path(__file__).parents[2] / "book/web/src/scenes"


def agreed(name: str) -> Any:
    return json.loads((SCENES / f"agreed/{name}.json").read_text("utf-8"))


def test_races_deals_pages_and_ramps_are_told_twice() -> None:
    for name, rows in crowd_reference.agreed():
        assert agreed(name) == json.loads(json.dumps(rows)), name


def test_every_sum_between_two_and_all_can_come_of_a_race() -> None:
    for row in agreed("interleavings"):
        everything = row["threads"] * row["rounds"]
        least = everything if row["lock"] else min(2, row["rounds"])
        assert [int(end) for end in row["ends"]] == list(range(least, everything + 1))


@pytest.mark.parametrize("row", agreed("deals"), ids=lambda row: "{N} on {P} x {T}".format(**row))
def test_dealt_connections_are_by_our_law(row: dict[str, Any]) -> None:
    N, P, T = row["N"], row["P"], row["T"]
    assert row["served"] == pytest.approx(queueing.by_coins(N, P, D=0, V=1, W=T), rel=0.02)
    assert row["splits"] and all(sum(split) == N for split in row["splits"])
    drawn = deal_picture.chances(N, P, T)
    assert sum(n * chance for n, chance in enumerate(drawn)) == pytest.approx(row["served"])
    assert drawn[N] == pytest.approx(row["everybody"], abs=1e-12)


def test_as_many_workers_fit_as_the_law_of_memory_says() -> None:
    # What the goal of the scene asks for: 552 pages, 72 of the master, 40 that get written to.
    source = (SCENES / "pages_model.ts").read_text("utf-8")
    told = [int(size) for size in re.findall(r"const [A-Z]+ = (\d+);", source)]
    assert told == [pages_picture.CODE, pages_picture.LOADED, pages_picture.DATA]
    assert told == [crowd_reference.CODE, crowd_reference.LOADED, crowd_reference.DATA]
    assert laws.workers_in_memory(memory=552, base=sum(told), each=told[2]) == 12


def test_still_pictures_say_what_they_show() -> None:
    dealt = deal_picture.picture(64, 4, 16, 0.2)
    assert "293 requests a second on average, where an even deal would give 320" in dealt
    shared, alone = pages_picture.picture(preload=True), pages_picture.picture(preload=False)
    assert "20, 10, 30 of them are copies of its own, so that all together use 132" in shared
    assert "56, 56, 56 of them" in alone and "use 184 pages" in alone
    grown = ramp_picture.picture(users=256, first=5, limit=256)
    assert "6, 8, 12, 20, 36, 68, 100, 132, 164, 196, 228, 256. After 12 s" in grown
