"""A page of its own, written where a reader wants it."""

from pathlib import Path

from labs.host.files import write_whole
from labs.records.errors import Unusable


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
