"""Where recordings are kept, which of them is taken, and who asked for it."""

from dataclasses import replace
from pathlib import Path

import examples
import pytest
from msgspec import structs

from labs.host import project
from labs.recordings import store
from labs.records.errors import BadRecording

pytestmark = pytest.mark.usefixtures("shelf")


def put(lab: str, cores: int, *factors: float) -> Path:
    machine = replace(examples.MACHINE, cores=cores)
    where = store.path(lab, machine)
    store.save(structs.replace(examples.recording(*factors), machine=machine), where)
    return where


def test_they_are_the_books_unless_another_place_is_named(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.folder() == shelf
    assert store.path("hop", examples.MACHINE) == shelf / "hop/2-cores.json"
    monkeypatch.setenv("LABS_RECORDINGS", "")
    assert store.folder() == project.BOOK / "recordings"


def test_they_are_listed_by_their_cores_and_nothing_else_is(shelf: Path) -> None:
    for cores in (16, 2, 128, 4):
        put("hop", cores)
    for other in ("some-cores.json", "2-cores.json.bak", "a-2-cores.json", "figure-run.svg"):
        (shelf / "hop" / other).write_text("")
    assert [file.name for file in store.paths("hop")] == [
        f"{cores}-cores.json" for cores in (2, 4, 16, 128)
    ]
    assert store.paths("nobody") == [] and store.chosen("nobody") is None


def test_the_nearest_is_so_by_its_ratio_and_of_equals_the_larger() -> None:
    for cores in (1, 4, 16):
        put("hop", cores)
    nearest = {1: 1, 2: 4, 3: 4, 7: 4, 8: 16, 9: 16, 100: 16}
    for cores, found in nearest.items():
        assert store.chosen("hop", cores) == store.folder() / f"hop/{found}-cores.json"
    assert store.chosen("hop") == store.chosen("hop", 2)


def test_what_was_saved_is_read_and_ends_with_a_line(shelf: Path) -> None:
    where = put("deep/hop", 2, 0.9)
    assert where.read_bytes().endswith(b"}\n") and b'\n "kind"' in where.read_bytes()
    assert where.stat().st_mode & 0o777 == 0o644
    assert store.read(where) == structs.replace(examples.recording(0.9), machine=examples.MACHINE)
    assert store.recording("deep/hop") == store.read(where)


def test_whoever_reads_a_recording_has_all_of_it_while_another_is_saved() -> None:
    before = put("hop", 2, 0.9).read_bytes()
    with store.path("hop", examples.MACHINE).open("rb") as reading:
        assert put("hop", 2).read_bytes() != before == reading.read()


@pytest.mark.parametrize(("lab", "how"), [("hop", "record"), ("classics-nginx", "classics")])
def test_what_is_not_recorded_yet_is_told_with_the_command_for_it(lab: str, how: str) -> None:
    with pytest.raises(BadRecording, match=f"^{lab}: not recorded yet.*`make {how}`"):
        store.recording(lab)
    with pytest.raises(BadRecording, match="cannot be read"):
        store.read(Path("nowhere.json"))


def test_another_version_is_refused_by_its_number(shelf: Path) -> None:
    where = put("hop", 2)
    where.write_bytes(where.read_bytes().replace(b'"schema": ', b'"schema": 9'))
    said = f"recorded in version 9.*this is version {store.SCHEMA}"
    with pytest.raises(BadRecording, match=said):
        store.read(where)
