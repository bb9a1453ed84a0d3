"""Terminal, and a command's other ways to its reader: text, a JSON file, and the exit code."""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from labs.host.files import write_whole
from labs.records.errors import Failed, Unusable, used_up

if TYPE_CHECKING:
    from labs.measure.rig import Lab

OK, UNUSABLE, FAILED, INTERRUPTED = 0, 2, 3, 130
BAR = 30  # characters

Found = TypeVar("Found")


def told(error: Exception) -> int:
    """Say what the system has no more of; any other error is raised on."""
    if not (said := used_up(error)):
        raise error
    print(f"\n{said}", file=sys.stderr)
    return FAILED


def performed(lab: Lab[Found]) -> tuple[Found | None, int]:
    """Run a lab with a progress bar: what it found, if only in part, and the exit code."""
    from labs.measure.rig import Rig

    rig, code = Rig(bar if sys.stderr.isatty() else waits), OK
    try:
        rig.perform(lab)
    except Failed as error:
        print(f"\n{error}", file=sys.stderr)
        code = FAILED
    except OSError as error:
        code = told(error)
    except KeyboardInterrupt:
        code = INTERRUPTED
    return rig.found, code


def say(out: Path | None, *paragraphs: str) -> None:
    """Print paragraphs, beside a JSON that takes standard output on standard error."""
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print("\n\n".join(paragraphs), file=sys.stderr if str(out) == "-" else sys.stdout)


def bar(told: object) -> None:
    """Draw the progress bar, on a terminal."""
    from labs.measure.progress import Progress

    if isinstance(told, Progress):
        done = round(told.fraction * BAR)
        line = f"{'█' * done}{'·' * (BAR - done)} {told.seconds_left:4.0f} s  {told.stage}"
        print(f"\r{line[:110]:<110}", end="", file=sys.stderr, flush=True)


def waits(told: object) -> None:
    """Say once, where no bar is drawn, what the run waits for."""
    stage = str(getattr(told, "stage", ""))
    if stage.startswith("waiting"):
        _say_once(stage)


@functools.cache
def _say_once(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def destination(name: str | None) -> Path | None:
    """Find where the JSON goes. A path that can't be written is refused before anything starts."""
    if name is None or name == "-":
        return Path("-") if name else None
    path, folder = Path(name), Path(name).absolute().parent
    good = os.access(path if path.exists() else folder, os.W_OK)
    if not good or not folder.is_dir() or path.is_dir() or "\0" in name:
        raise Unusable(f"--json {name}: cannot be written. Give a file in a folder of yours.")
    return path


def write(path: Path | None, data: dict[str, Any]) -> None:
    """Write the JSON where it was asked for."""
    if path is None:
        return
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text)


def write_page(name: str, text: str) -> None:
    """Write a page, whole or not at all, for its owner only: it may hold names. Unusable where it
    cannot be written."""
    file = Path(name)
    if file.suffix != ".html":
        raise Unusable(f"-o {name}: must end in .html, so that no other file is overwritten.")
    try:
        write_whole(file, text.encode())
    except OSError as error:
        why = error.strerror or error
        said = f"-o {name}: cannot be written ({why}). Give a file in a folder of yours."
        raise Unusable(said) from None
