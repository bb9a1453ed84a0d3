"""Files are written whole or not at all, and nothing else is left beside them."""

import os
from pathlib import Path

import pytest

from labs.host.files import write_whole


def test_a_file_is_written_whole_for_those_it_is_meant_for(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_whole(file, b"old")
    write_whole(file, b"new", mode=0o644)
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["record.json"]


def test_what_cannot_be_put_in_place_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "record.json").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "record.json", b"new")
    assert os.listdir(tmp_path) == ["record.json"]
