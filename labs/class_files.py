"""A class's files of progress, found and read on this machine."""

from collections.abc import Sequence
from pathlib import Path

from labs.host.files import read_whole
from labs.present.class_report import Laptop, class_table, laptops
from labs.present.tables import Table
from labs.recordings.pages import chapters
from labs.records.errors import Unusable
from labs.records.format import printable
from labs.records.progress import MOST_BYTES, Saved, parsed

MOST_FILES = 2000
AGAIN = "Ask for the file that “Save” on the page My progress gives, and change nothing"


def collected(places: Sequence[str], *, names: bool) -> tuple[list[Laptop], list[str]]:
    """Find the laptops of these files, and of the files in these folders; and of each file and
    folder that is left out, a sentence. Unusable where there are no files, or too many."""
    files: dict[Path, None] = {}
    complaints = []
    for place in map(Path, places):
        if not place.is_dir():
            files[place] = None
            continue
        inside = sorted(place.iterdir())
        apart = [each for each in inside if each.is_dir() or each.name.startswith(".")]
        files.update(dict.fromkeys(each for each in inside if each not in apart))
        complaints += [f"{each}: {_apart(each)}" for each in apart]
        if not inside:
            raise Unusable(f"{place}: no file in this folder. Put the class's files there.")
    if len(files) > MOST_FILES:
        raise Unusable(f"{len(files)} files: at most {MOST_FILES}. Take one class at a time.")
    found = []
    for file in files:
        try:
            kept = parsed(read_whole(file, MOST_BYTES), Saved)
        except OSError as error:
            complaints.append(f"{file}: cannot be read ({error.strerror or error}). {AGAIN}.")
            continue
        if kept is None:
            complaints.append(f"{file}: no file of My progress, or a damaged one. {AGAIN}.")
        elif kept.empty:
            complaints.append(f"{file}: no bet, answer or goal in it, so it is left out.")
        else:
            found.append(kept)
    return laptops(found, names=names), [printable(each) for each in complaints]


def sheet_of(found: Sequence[Laptop]) -> Table:
    """Make the class's table, in the book's order."""
    names: dict[str, str] = {}
    for chapter in chapters():
        for which in (*chapter.labs, *chapter.exercises):
            names.setdefault(which, chapter.name)
    return class_table(found, names)


def _apart(place: Path) -> str:
    kind = "a folder in the folder" if place.is_dir() else "a hidden file"
    return f"{kind}, so it is left out. Give it by its own name if it is the class's."
