"""Some rows of the bench that injects faults, one phase of each."""

import sys
from pathlib import Path

import pytest

from bench import faults

pytestmark = [
    pytest.mark.measures,
    pytest.mark.skipif(sys.platform != "linux", reason="the bench reads Linux's own files"),
]


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("all stopped for 6 s", faults.MEASURING),
        ("runtime folder gone", faults.MEASURING),
        ("processes exhausted", faults.STARTING),
    ],
)
def test_a_fault_leaves_nothing_and_loses_nothing(name: str, phase: str, tmp_path: Path) -> None:
    (row,) = (each for each in faults.rows() if (each.fault.name, each.phase) == (name, phase))
    try:
        found = faults.tried(row, tmp_path)
    except PermissionError as error:
        pytest.skip(f"this system lets nobody make a control group: {error}")
    assert not found.wrong
