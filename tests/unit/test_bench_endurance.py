"""What the benches of faults and of many runs say of what they found."""

from dataclasses import replace

from bench import faults, soak
from bench.faults import Found, Row

COUNT = soak.Count(processes=0, descriptors=9, ports=0, threads=3, files=1, memory_mib=90.0)


def found(clean_s: float, wrong: str = "") -> Found:
    row = Row(faults.FAULTS[0], faults.MEASURING, "gunicorn")
    return Found(row=row, clean_s=clean_s, wrong=wrong, load=1.5)


def test_every_fault_comes_at_each_of_its_phases_and_to_each_of_its_servers() -> None:
    rows = faults.rows()
    assert len(rows) >= faults.GOAL
    assert len({str(row) for row in rows}) == len(rows)
    for fault in faults.FAULTS:
        own = [row for row in rows if row.fault is fault]
        assert {row.phase for row in own} == set(fault.phases) <= set(faults.PHASES)
        assert {row.server for row in own} == set(fault.servers)


def test_a_row_is_survived_only_if_it_is_clean_in_time() -> None:
    rows = [found(0.4), found(0.6), found(3.0), found(0.1, "left: a process")]
    assert [line[-1] for line in faults.table(rows)] == ["", "", "slow", "left: a process"]
    said = faults.summary(rows)
    assert said.startswith("4 tried (goal: 60 or more), 2 survived")
    assert "0.50 in the middle, 0.60 at most" in said


def test_of_whatever_there_is_more_the_soak_says_how_much() -> None:
    after = replace(COUNT, descriptors=11, threads=2, memory_mib=91.0)
    assert soak.more(COUNT, after) == {"descriptors": 2}
    assert soak.verdict([COUNT, after]) == (
        False,
        "2 descriptors more; memory +1.0 MiB (goal: nothing, and below 4 MiB)",
    )
    assert soak.verdict([COUNT, replace(COUNT, memory_mib=91.0)])[0]
    assert not soak.verdict([COUNT, replace(COUNT, memory_mib=99.0)])[0]
    assert soak.growth_mib([1.0] * 10 + [2.0] * 80 + [3.0] * 10) == 2.0
