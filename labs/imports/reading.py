"""Read load tests by other programs: which program's a file is, and what its levels were."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from labs.imports.level import LoadTest
from labs.imports.tools import ab, autocannon, hey, jmeter, k6, locust, vegeta, wrk
from labs.records.errors import Unusable
from labs.records.format import printable

TOOLS = (ab, autocannon, hey, jmeter, k6, locust, vegeta, wrk)
MOST_FILES, MOST_LEVELS = 100, 200
MOST_BYTES = 256 * 2**20
LONGEST_LINE = 2**20  # bytes
HEAD_LETTERS = 4096  # letters that tell a program
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins


def read(names: Sequence[str]) -> LoadTest:
    """Read the levels of files, of one program. Unusable, with the file, says what is wrong."""
    return joined([(name, partial(_opened, name)) for name in names])


def joined(files: Sequence[tuple[str, Callable[[], BinaryIO]]]) -> LoadTest:
    """Read levels as `read` does, of what opens so, each with its name."""
    if not 1 <= len(files) <= MOST_FILES:
        raise Unusable(f"{len(files)} files: give 1 to {MOST_FILES}.")
    tests = [_read(name, opened) for name, opened in files]
    tools = dict.fromkeys(test.tool for test in tests)
    if len(tools) > 1:
        said = f"These files are by {' and '.join(tools)}. Import one program's at a time."
        raise Unusable(said)
    found = [level for test in tests for level in test.levels]
    if len(found) > MOST_LEVELS:
        raise Unusable(f"{len(found)} levels: at most {MOST_LEVELS}. Give fewer files.")
    ordered = sorted(found, key=lambda level: (level.users or 0, level.throughput_rps))
    return replace(tests[0], levels=tuple(ordered))


def _read(name: str, opened: Callable[[], BinaryIO]) -> LoadTest:
    try:
        with opened() as file:
            lines = _lines(file)
            first: list[str] = []
            for line in lines:
                first.append(line)
                if sum(map(len, first)) >= HEAD_LETTERS:
                    break
            head = "".join(first)[:HEAD_LETTERS]
            mine = [tool for tool in TOOLS if tool.KNOWN.match(head)]
            if not mine:
                known = ", ".join(tool.NAME for tool in TOOLS)
                raise Unusable(f"no load test that is known here ({known}). Give such a file.")
            try:
                levels = mine[0].levels(chain(first, lines))
            except Unusable as error:
                raise Unusable(f"{mine[0].NAME}: {error} {mine[0].AGAIN}") from None
    except Unusable as error:
        raise Unusable(f"{printable(name)}: {printable(str(error))}") from None
    except OSError as error:
        why = error.strerror or error
        said = f"{printable(name)}: cannot be read ({why}). Give a load test's file."
        raise Unusable(said) from None
    wrk2 = mine[0] is wrk and wrk.BY_WRK2 in head
    by, at_a_rate = "wrk2" if wrk2 else mine[0].NAME, wrk2 or mine[0] is vegeta
    return LoadTest(tool=by, levels=tuple(levels), at_a_rate=at_a_rate)


def _opened(name: str) -> BinaryIO:
    """An ordinary file of no more than MOST_BYTES: a pipe must not make us wait."""
    try:
        handle = os.open(Path(name), os.O_RDONLY | os.O_NONBLOCK)
    except (TypeError, ValueError):
        raise Unusable("no file's name. Give a load test's file.") from None
    file = os.fdopen(handle, "rb")
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= MOST_BYTES:
        file.close()
        most = f"{MOST_BYTES // 2**20} MiB"
        raise Unusable(f"empty, larger than {most}, or no ordinary file. Give a shorter test's.")
    return file


def _lines(file: BinaryIO) -> Iterator[str]:
    """Read a file line by line. Unusable for a line without end, and for what is no UTF-8."""
    place = left = 0
    while line := file.readline(LONGEST_LINE + 1):
        place, left = place + 1, left + len(line)
        if place == 1 and line.startswith(WIDE):
            raise Unusable("UTF-16, as PowerShell's > writes. Save it as UTF-8.")
        if len(line) > LONGEST_LINE or left > MOST_BYTES or b"\0" in line:
            raise Unusable(f"line {place} is too long or no text. Give a load test's file.")
        try:
            text = line.decode("utf-8-sig" if place == 1 else "utf-8")
        except UnicodeDecodeError:
            raise Unusable(f"line {place} is no UTF-8. Give the file as it was written.") from None
        yield text.replace("\r\n", "\n")
