"""What every kind of lab keeps to."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from chapters import FILES, each_recording

from labs.kinds.registry import KINDS, lab_kind, show_of, showing
from labs.present.quantities import NoSuchNumber
from labs.recordings import store
from labs.recordings.recorder import cells

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(
    path.name for path in (ROOT / "labs/kinds").iterdir() if (path / "run.py").exists()
)


@cache
def read(file: Path) -> Any:
    return store.read(file)


def test_every_folder_is_a_kind_and_every_kind_is_in_the_book() -> None:
    assert sorted(line.partition(".")[0] for line in KINDS.values()) == FOLDERS
    assert {cell.kind for cell in cells()} == set(KINDS)
    assert {showing(read(file)).result for file in FILES} == {
        show_of(folder).result for folder in FOLDERS
    }


@pytest.mark.parametrize("call", KINDS)
def test_a_kind_says_what_it_is(call: str) -> None:
    kind = lab_kind(call)
    folder = KINDS[call].partition(".")[0]
    assert kind.__doc__ and kind.result.__struct_config__.tag == folder
    assert show_of(folder).result is kind.result
    first, *_ = kind.signature().parameters
    assert first == "name"


@each_recording
def test_a_recording_says_what_it_is_and_goes_to_a_file_and_back(
    file: Path, tmp_path: Path
) -> None:
    result = read(file)
    assert json.loads(file.read_bytes())["kind"] == type(result).__struct_config__.tag
    store.save(result, tmp_path / "again.json")
    assert store.read(tmp_path / "again.json") == result
    again = json.loads((tmp_path / "again.json").read_bytes())
    assert json.loads(file.read_bytes()) == again


@each_recording
def test_a_number_that_is_not_there_is_refused_with_those_that_are(file: Path) -> None:
    result = read(file)
    show = showing(result)
    assert show.quote(result, "cores").value == result.machine.cores
    with pytest.raises(
        NoSuchNumber, match=r"'speed': no such number\. There are .*cores, .*machine"
    ):
        show.quote(result, "speed")
    names = [*show.quotes, *(column.quote for column in show.columns if column.quote)]
    assert len(names) == len(set(names))
    for name in names:  # too much is told in a sentence, whatever it is
        with pytest.raises(NoSuchNumber, match=name):
            show.quote(result, name, 1, 2, 3, 4, 5, 6, 7)
