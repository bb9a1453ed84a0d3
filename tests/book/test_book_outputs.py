"""The tools' output in the book: recorded, telling what the page tells, and nobody's."""

import re

import pytest
from chapters import chapters

from labs.recordings.outputs import shearing, store
from labs.recordings.outputs.rows import ROWS, Row

pytestmark = pytest.mark.chapters

# The chapters that read real output, and at least these tools.
READ = {
    "wall-time": "curl",
    "past-the-plateau": "vmstat",
    "watching": "top dstat ps",
    "the-pool": "ss",
    "prefork": "Apache gunicorn",
    "threads": "grep pidstat",
    "event-loop": "py-spy strace",
    "the-launch": "ss",
    "which-limit": "nginx py-spy",
    "a-small-file": "strace",
}
SHOWN = {page.slug: re.findall(r"^```\{output\} (\S+)$", page.text, re.M) for page in chapters()}


@pytest.mark.parametrize("slug", READ)
def test_a_chapter_reads_the_output_of_its_tools(slug: str) -> None:
    tools = [store.read(name).tool.split()[0] for name in SHOWN[slug]]
    assert tools == READ[slug].split()


def test_every_output_is_of_the_table_and_is_read_somewhere() -> None:
    names = sorted(row.name for row in ROWS)
    assert sorted(file.stem for file in store.folder().iterdir()) == names
    assert sorted(name for shown in SHOWN.values() for name in shown) == names


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_output_shows_what_its_page_tells_and_names_nobody(row: Row) -> None:
    output = store.read(row.name)
    assert row.story.shown(output.text), f"no longer shows that {row.story.because}"
    assert output.what == row.what
    whole = output.written()
    assert not shearing.personal(whole)
    for each in ("/home/", "/Users/", "/tmp/", "@", "token=", "password"):
        assert each not in whole
