"""A command's ways to its reader: the progress bar, and a JSON file or standard output."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from labs.measure.progress import Progress
from labs.records.errors import Unusable

BAR = 30  # characters


def bar(told: object) -> None:
    """The progress bar, on a terminal."""
    if isinstance(told, Progress):
        done = round(told.fraction * BAR)
        line = f"{'█' * done}{'·' * (BAR - done)} {told.seconds_left:4.0f} s  {told.stage}"
        print(f"\r{line[:110]:<110}", end="", file=sys.stderr, flush=True)


def destination(name: str | None) -> Path | None:
    """Where the JSON goes. A path that cannot be written is refused before anything starts."""
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
