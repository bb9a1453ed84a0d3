"""What a tool printed beside a working server: the words, the command, and where and when.

As a file it is text that anybody can read: a few lines `name: value`, a blank one, the output.
"""

from dataclasses import dataclass

import msgspec

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
        """What was printed, line by line."""
        return self.text.splitlines()


def read(text: str, name: str) -> Output:
    """An output from its file. BadRecording, with the file's name, for one that is none."""
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
