"""Files are written whole or not at all, and nothing else is left beside them."""

import os
from pathlib import Path

import pytest

from labs.host.files import write_whole


def test_what_cannot_be_put_in_place_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "record.json").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "record.json", b"new")
    assert os.listdir(tmp_path) == ["record.json"]
