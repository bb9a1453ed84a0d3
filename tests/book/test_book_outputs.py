"""Outputs of tools in the book: each is read by a page, and names nobody."""

import re
from pathlib import Path

import pytest
from chapters import pages

from labs.recordings import outputs

ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
pytestmark = pytest.mark.chapters

# The pages that read real output, and at least these tools.
READ = {
    "wall-time": "curl",
    "past-the-plateau": "vmstat",
    "watching": "top dstat ps",
    "the-pool": "ss",
    "prefork": "mawk Apache gunicorn",
    "threads": "wrk ab grep pidstat",
    "event-loop": "py-spy strace",
    "the-launch": "ss",
    "which-limit": "nginx py-spy",
    "a-small-file": "strace",
    "monday": "mawk mawk mawk",
}
SHOWN = {page.slug: re.findall(r"^```\{output\} (\S+)$", page.text, re.M) for page in pages()}


@pytest.mark.parametrize("slug", READ)
def test_a_page_reads_the_output_of_its_tools(slug: str) -> None:
    tools = [outputs.read(name).tool.split()[0] for name in SHOWN[slug]]
    assert tools == READ[slug].split()


def test_every_output_is_read_somewhere() -> None:
    kept = sorted(file.stem for file in outputs.folder().iterdir())
    assert sorted(name for shown in SHOWN.values() for name in shown) == kept


@pytest.mark.parametrize("file", sorted(outputs.folder().iterdir()), ids=lambda file: file.stem)
def test_an_output_names_nobody_and_no_place(file: Path) -> None:
    text = file.read_text("utf-8")
    for each in ("/home/", "/Users/", "/tmp/", "@", "token=", "password"):
        assert each not in text
    assert set(ADDRESS.findall(text)) <= {"127.0.0.1", "0.0.0.0"}
