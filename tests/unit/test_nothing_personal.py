"""What may leave the machine holds no name: a fingerprint, what the book keeps, a progress file."""

import getpass
import json
import re
import socket
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from labs.host.hardware import fingerprint
from labs.recordings import outputs, store
from labs.records.progress import Saved, written
from labs.records.results import Machine

# All that a fingerprint holds, as SECURITY.md says it. A new field is to be said there.
SAID = {
    "system", "processor", "cores", "logical_cores", "physical_cores", "quota_cores",
    "memory_bytes", "python", "gil", "versions", "core_kinds",
}  # fmt: skip
KEPT = sorted([*store.folder().glob("*/*.json"), *outputs.folder().iterdir()])
ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


def personal() -> list[str]:
    """Names of this user and this host, and where they are at home, that say anything."""
    names = [getpass.getuser(), socket.gethostname(), socket.getfqdn(), str(Path.home())]
    common = {"root", "user", "localhost", "vm", "linux", "runner"}  # of other things, too
    return [each for each in names if len(each) > 3 and each.lower() not in common]


def test_a_fingerprint_holds_what_is_said_and_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "LOGNAME", "HOSTNAME", "HOME"):
        monkeypatch.setenv(name, f"/home/somebody-{name.lower()}")
    found = msgspec.json.encode(fingerprint()).decode()
    assert {each.name for each in fields(Machine)} == SAID
    assert "somebody" not in found
    for each in personal():
        assert each not in found


@pytest.mark.parametrize("file", KEPT, ids=lambda it: f"{it.parent.name}/{it.stem}")
def test_what_the_book_keeps_holds_no_place_and_no_name(file: Path) -> None:
    words = file.read_text("utf-8")
    for each in ("/home/", "/Users/", "/tmp/", "@", "token=", "password"):
        assert each not in words
    assert set(ADDRESS.findall(words)) <= {"127.0.0.1", "0.0.0.0"}
    for name in personal():
        assert name not in words


def test_a_file_for_a_teacher_holds_what_is_said() -> None:
    assert set(json.loads(written(Saved(name="Ann")))) == {
        *("predictions", "answers", "diagnoses", "scenes", "book", "schema", "name")
    }
