"""What may leave the machine holds no name: the fingerprint, a recording, a file of progress."""

import getpass
import json
import socket
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from labs.host.hardware import fingerprint
from labs.recordings import store
from labs.records.progress import Saved, written
from labs.records.results import Machine

# All that a fingerprint holds, as SECURITY.md says it. A new field is to be said there.
SAID = {
    "system", "processor", "cores", "logical_cores", "physical_cores", "quota_cores",
    "memory_bytes", "python", "gil", "versions", "core_kinds", "ports", "port_rest_s",
}  # fmt: skip
RECORDINGS = sorted(store.folder().glob("*/*.json"))


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


@pytest.mark.parametrize("file", RECORDINGS, ids=lambda it: it.parent.name)
def test_a_recording_of_the_book_holds_no_place_and_no_name(file: Path) -> None:
    words = file.read_text("utf-8")
    for each in ("/home/", "/Users/", "/tmp/", "@", "token=", "password"):
        assert each not in words
    for name in personal():
        assert name not in words


def test_a_file_for_a_teacher_holds_what_is_said() -> None:
    assert set(json.loads(written(Saved(name="Ann")))) == {
        *("predictions", "answers", "diagnoses", "scenes", "book", "schema", "name")
    }
