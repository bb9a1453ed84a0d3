"""Outputs of tools in the book: each is read by a page, and names nobody."""

import re
from pathlib import Path

import pytest
from chapters import pages

from labs.recordings import outputs

ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
pytestmark = pytest.mark.chapters


def test_every_output_is_read_somewhere() -> None:
    kept = sorted(file.stem for file in outputs.folder().iterdir())
    shown = re.findall(r"^```\{output\} (\S+)$", "".join(page.text for page in pages()), re.M)
    assert sorted(shown) == kept


@pytest.mark.parametrize("file", sorted(outputs.folder().iterdir()), ids=lambda file: file.stem)
def test_an_output_names_nobody_and_no_place(file: Path) -> None:
    text = file.read_text("utf-8")
    for each in ("/home/", "/Users/", "/tmp/", "@", "token=", "password"):
        assert each not in text
    assert set(ADDRESS.findall(text)) <= {"127.0.0.1", "0.0.0.0"}
