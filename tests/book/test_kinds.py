"""What every kind of lab keeps to, and that a new one is a folder and a line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from markup import check_balanced
from naps_tree import NAPS, copy

from labs.kinds.registry import KINDS, lab_kind, show_of, showing
from labs.present.quantities import NoSuchNumber
from labs.recordings import store
from labs.recordings.recorder import cells

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(store.folder().glob("*/*-cores.json"))
FOLDERS = sorted(
    path.name for path in (ROOT / "labs/kinds").iterdir() if (path / "run.py").exists()
)

each_recording = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)


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


# -- a new kind is a folder and a line ----------------------------------------------------------

TRY = """
import json, os, sys
from pathlib import Path
from labs.recordings import recorder, store
from labs.site.roles.measured_role import measured
import labs

rule = recorder.Rule(runs=2)
recorder.record_book(["naps"], lambda line: None, rule, book=Path(sys.argv[1]))
os.environ["LABS_MODE"] = "replay"
replayed = labs.naps("naps")
os.environ["LABS_MODE"] = "live"
panel = labs.naps("naps")
panel._prompt._skip.click()
panel._bar._run.click()
assert panel._job.join(20)
print(json.dumps({
    "file": json.loads(store.paths("naps")[-1].read_text()),
    "html": replayed.html,
    "alt": repr(replayed),
    "quoted": str(measured("naps", 'slept("0.1")')),
    "number": float(measured("naps", 'slept("0.01")')),
    "caption": panel._caption.value,
    "shown": panel._results.data.value,
    "doc": labs.naps.__doc__,
    "public": "naps" in labs.__all__,
}))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return copy(tmp_path / "tree")


@pytest.mark.extended
def test_a_new_kind_is_one_folder_and_one_line(copied: Path, tmp_path: Path) -> None:
    differ = [
        path.relative_to(copied)
        for path in sorted(copied.rglob("*.py"))
        if not (ROOT / path.relative_to(copied)).exists()
        or (ROOT / path.relative_to(copied)).read_bytes() != path.read_bytes()
    ]
    new = [Path("labs/kinds/naps") / path.name for path in sorted(NAPS.glob("*.py"))]
    assert differ == [*new, Path("labs/kinds/registry.py")]
    environment = {
        "LABS_RECORDINGS": str(tmp_path / "recordings"),
        "WALL_TIME_LOCK": str(tmp_path / "lock"),
    }
    said = subprocess.check_output(
        [sys.executable, "-c", TRY, str(copied / "book")],
        cwd=copied,
        text=True,
        env={**os.environ, **environment, "PYTHONPATH": str(copied)},
    )
    found = json.loads(said.splitlines()[-1])
    assert found["file"]["kind"] == "naps" and len(found["file"]["runs"]) == 2
    assert found["alt"].startswith("The longest nap took") and "2 runs" in found["html"]
    check_balanced(found["html"])
    assert re.fullmatch(r"1\d\d(\.\d)? ms", found["quoted"].replace("\u00a0", " "))
    assert 0.01 <= found["number"] < 0.1
    assert "Measured here" in found["caption"] and "slept ms" in found["shown"]
    assert found["doc"] == "How late a sleep ends." and found["public"]
