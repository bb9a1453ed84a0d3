"""`python -m labs output`, with the tools that every Linux has."""

import re
import sys
from pathlib import Path

import pytest

from labs.__main__ import OK, main
from labs.recordings.outputs import shearing, store
from labs.recordings.outputs.rows import ROWS

pytestmark = [pytest.mark.live, pytest.mark.measures]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_outputs_are_recorded_beside_a_server_that_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LABS_OUTPUT", str(tmp_path))
    (row,) = [row for row in ROWS if row.name == "proc-status"]
    assert row.tool.missing is None
    assert main(["output", row.name]) == OK
    assert capsys.readouterr().out.startswith("proc-status: saved")
    output = store.read(row.name)
    assert row.story.shown(output.text)
    assert not shearing.personal(output.written())
    (pid,) = re.findall(r"/proc/(\d+)/status", output.command)
    assert not Path("/proc", pid).exists()
