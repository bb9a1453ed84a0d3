"""A class's files of progress, found, read and made into one page on this machine."""

from collections.abc import Sequence
from pathlib import Path

from labs.host.files import read_whole, write_whole
from labs.panel.figure_view import plotly_script
from labs.panel.progress import progress_sheet
from labs.present.class_report import Laptop, laptops, page
from labs.present.handed_in import AGAIN, HandedIn, read
from labs.progress_log import parsed
from labs.recordings.pages import chapters
from labs.records.errors import Unusable

MOST_BYTES = 2**20  # of a file: one reader's whole book has some tens of thousands
MOST_FILES = 2000


def handed_in(places: Sequence[str], *, names: bool) -> tuple[list[Laptop], list[str]]:
    """The laptops of these files, and of the files in these folders; and of each file that
    cannot be used, a sentence. Unusable where there are no files, or too many."""
    files = list(dict.fromkeys(file for place in places for file in _files(Path(place))))
    if len(files) > MOST_FILES:
        raise Unusable(f"{len(files)} files: at most {MOST_FILES}. Take one class at a time.")
    rows: list[list[HandedIn]] = []
    complaints = []
    for file in files:
        try:
            rows.append(read(_sheet(read_whole(file, MOST_BYTES), file), str(file)))
        except Unusable as error:
            complaints.append(_printable(str(error)))
        except OSError as error:
            said = (
                f"{file}: cannot be read ({error.strerror or error}). Give a file of My progress."
            )
            complaints.append(_printable(said))
    return laptops(rows, names=names), complaints


def write_page(name: str, found: Sequence[Laptop], left_out: int) -> None:
    """Write the page, whole or not at all, for its owner only: it may hold names.

    left_out: how many files could not be read. Unusable where it cannot be written.
    """
    file = Path(name)
    if file.suffix != ".html":
        raise Unusable(f"-o {name}: must end in .html, so that no student's file is overwritten.")
    try:
        write_whole(file, page(found, plotly_script(), left_out).encode())
    except OSError as error:
        why = error.strerror or error
        said = f"-o {name}: cannot be written ({why}). Give a file in a folder of yours."
        raise Unusable(said) from None


def _printable(text: str) -> str:
    """In one line, and steering no terminal: a file's name is somebody else's text too."""
    return "".join(each if each.isprintable() or each == "\u00a0" else "\ufffd" for each in text)


def _sheet(data: bytes, file: Path) -> bytes:
    """The CSV; of a page without Python, which saves JSON, what it would be. Nobody's name is in
    that, so the file's own name tells its rows from others."""
    if file.suffix.lower() != ".json":
        return data
    if (kept := parsed(data)) is None:
        raise Unusable(f"{file}: no progress of this book. {AGAIN}")
    return progress_sheet(kept, chapters(), "").csv().encode()


def _files(place: Path) -> list[Path]:
    """That file, or all that lie in that folder: what is none of ours is told, not passed over."""
    if not place.is_dir():
        return [place]
    found = sorted(
        file for file in place.iterdir() if file.is_file() and not file.name.startswith(".")
    )
    if not found:
        raise Unusable(f"{place}: no file in this folder. Put the class's files there.")
    return found
