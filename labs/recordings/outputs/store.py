"""The book's outputs: `book/output/<name>.txt`, a file each. `labs.records.output` has the form."""

import os
from pathlib import Path

from labs.host import project
from labs.host.files import read_whole, write_whole
from labs.records.errors import BadRecording
from labs.records.output import REMEDY, Output
from labs.records.output import read as parsed


def folder() -> Path:
    """Where they are kept, beside the recordings. LABS_OUTPUT names another place."""
    return Path(os.environ.get("LABS_OUTPUT") or project.BOOK / "output")


def path(name: str) -> Path:
    """Where the output of that name belongs."""
    return folder() / f"{name}.txt"


def read(name: str) -> Output:
    """The output of that name. BadRecording says what is wrong with its file."""
    try:
        text = read_whole(path(name)).decode("utf-8")
    except OSError:
        known = ", ".join(sorted(file.stem for file in folder().glob("*.txt"))) or "none"
        raise BadRecording(f"{name}: no such output. There are: {known}. {REMEDY}") from None
    except UnicodeDecodeError:
        raise BadRecording(f"{name}: not text. {REMEDY}") from None
    return parsed(text, name)


def save(name: str, output: Output) -> Path:
    """Write it whole or not at all; where it is now."""
    file = path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, output.written().encode(), mode=0o644)
    return file
