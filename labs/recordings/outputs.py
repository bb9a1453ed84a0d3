"""Outputs that real tools printed beside real servers: `book/output/<name>.txt`, a file each.

A file is text that anybody can read: a few lines `name: value` (the command, what the server was
doing meanwhile, the tool and its version, the day and the machine), a blank one, the output.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from labs.host import project
from labs.host.files import read_whole
from labs.records.errors import BadRecording
from labs.records.results import Machine

FIELDS = ("command", "what", "tool", "made", "machine")
REMEDY = "Run its command again and write the file as the others are."


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output of one tool, without names of people and places."""

    command: str  # as typed into a terminal
    what: str  # what the server was doing meanwhile
    tool: str  # and its version
    made: str  # when, ISO 8601
    machine: Machine
    text: str  # what was printed

    @property
    def lines(self) -> list[str]:
        """Split what was printed into lines."""
        return self.text.splitlines()


def folder() -> Path:
    """Find the folder of the outputs, beside the recordings. LABS_OUTPUT names another."""
    return Path(os.environ.get("LABS_OUTPUT") or project.BOOK / "output")


def path(name: str) -> Path:
    """Find where the output of that name belongs."""
    return folder() / f"{name}.txt"


def read(name: str) -> Output:
    """Read the output of that name. BadRecording says what is wrong with its file."""
    try:
        text = read_whole(path(name)).decode("utf-8")
    except OSError:
        known = ", ".join(sorted(file.stem for file in folder().glob("*.txt"))) or "none"
        raise BadRecording(f"{name}: no such output. There are: {known}.") from None
    except UnicodeDecodeError:
        raise BadRecording(f"{name}: not text. Run its command again.") from None
    return parsed(text, name)


def parsed(text: str, name: str) -> Output:
    """Read an output from its text. BadRecording, with the file's name, for one that is none."""
    head, _, printed = text.partition("\n\n")
    rows = [line.partition(": ") for line in head.splitlines()]
    if tuple(row[0] for row in rows) != FIELDS or not printed.strip():
        raise BadRecording(
            f"{name}: not an output. It begins with {', '.join(FIELDS)}, a line each, and a blank "
            f"line. {REMEDY}"
        )
    values = {row[0]: row[2] for row in rows}
    try:
        machine = msgspec.json.decode(values.pop("machine"), type=Machine)
    except msgspec.DecodeError as error:
        raise BadRecording(f"{name}: machine: {error}. {REMEDY}") from None
    return Output(**values, machine=machine, text=printed.rstrip("\n"))
