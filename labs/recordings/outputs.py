"""Read what real tools printed beside real servers: `book/output/<name>.txt`, a file each.

A file begins with the command, what the server was doing meanwhile, the tool and its version, the
day and the machine. `labs.records.output` has the form.
"""

import os
from pathlib import Path

from labs.host import project
from labs.host.files import read_whole
from labs.records.errors import BadRecording
from labs.records.output import Output
from labs.records.output import read as parsed


def folder() -> Path:
    """Where outputs are kept, beside the recordings. LABS_OUTPUT names another place."""
    return Path(os.environ.get("LABS_OUTPUT") or project.BOOK / "output")


def path(name: str) -> Path:
    """Where the output of that name belongs."""
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
