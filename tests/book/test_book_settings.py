"""What the labs tell their servers stands on the page of the knobs."""

import re
from pathlib import Path

import pytest

from labs.site.roles.settings_directive import OF, settings, table

BOOK = Path(__file__).parents[2] / "book"
PAGE = (BOOK / "appendix" / "knobs.md").read_text("utf-8")
SAID = {
    name: lines.splitlines()
    for name, lines in re.findall(r"^```\{settings\} (\S+)\n(.*?)^```$", PAGE, re.M | re.S)
}


@pytest.mark.parametrize("program", [*OF, "postgresql"])
def test_the_table_has_each_setting_as_it_is_set(program: str) -> None:
    rows = table(settings(program), SAID[program])
    assert len(rows) > 5
    assert not any("@" in row for row in rows)


def test_a_setting_without_a_row_and_a_row_without_a_setting_are_refused() -> None:
    ours = settings("apache")
    assert "| `MaxKeepAliveRequests` | 0 | 100 | 100 |" in table(ours, SAID["apache"])
    with pytest.raises(ValueError, match="not said here: Win32DisableAcceptEx"):
        table({**ours, "Win32DisableAcceptEx": "1"}, SAID["apache"])
    with pytest.raises(ValueError, match="in no lab: Timeout"):
        table({name: ours[name] for name in ours if name != "Timeout"}, SAID["apache"])
    with pytest.raises(ValueError, match="@unknown has no words"):
        table({**ours, "Timeout": "@unknown"}, SAID["apache"])
