"""Machines of other kinds, as files: each text in `machines/` unpacks into a small tree of /proc
and /sys, as such a machine has it, and into how that tree looks a second later.

A line `path: content` is a file, and one with nothing behind the colon begins one of several
lines, indented. {0-3,8} stands for each of these numbers in turn, {} behind it for the same one,
$NAME for a variable of the environment. `machines/sources.md` says what each was compared with.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

MACHINES = Path(__file__).with_name("machines")
LATER = "---"
NAMES = sorted(path.stem for path in MACHINES.glob("*.txt"))


class MachineFiles:
    """That machine, unpacked into a folder."""

    def __init__(self, name: str, root: Path, environment: pytest.MonkeyPatch) -> None:
        self.root, self.environment = root, environment
        for variable in ("CPU_LIMIT", "MEM_LIMIT", "BINDER_SERVICE_HOST", "BINDER_LAUNCH_HOST"):
            environment.delenv(variable, raising=False)
        text = (MACHINES / f"{name}.txt").read_text("utf-8")
        self.now, _, later = text.partition(f"\n{LATER}")
        self.then = later.partition("\n")[2]
        self._unpack(self.now)

    def a_second_later(self) -> None:
        """What has changed by then."""
        self._unpack(self.then)

    def _unpack(self, text: str) -> None:
        files: dict[str, list[str]] = {}
        path = ""
        for line in text.splitlines():
            if line.startswith("  "):
                files[path] += expanded(line.strip())
            elif line and not line.startswith("#"):
                for each in expanded(line):
                    path, _, content = each.partition(":")
                    files[path] = [content.strip()] if content.strip() else []
        for path, lines in files.items():
            if path.startswith("$"):
                self.environment.setenv(path[1:], lines[0])
                continue
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n", "utf-8")


def expanded(line: str) -> Iterator[str]:
    """A line for each of the numbers in braces."""
    found = re.search(r"\{([\d,-]+)\}", line)
    if found is None:
        yield line
        return
    for part in found[1].split(","):
        first, _, last = part.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield line.replace(found[0], str(number)).replace("{}", str(number))
