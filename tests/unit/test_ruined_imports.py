"""Load tests' files that are cut, foreign or damaged: each is refused in one sentence."""

import gzip
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labs.__main__ import main

FOLDER = Path(__file__).parent.parent / "load_tests"
NAMES = (*json.loads((FOLDER / "truth.json").read_text("utf-8")), "locust_stats.csv")
VALUE = re.compile(r"(?<=[\s:,])\d+(\.\d+)?")
RENAMED = {  # what another version might call it
    "ab": "Complete requests", "auto": '"2xx"', "hey.": "Requests/sec", "jmet": "allThreads",
    "k6-out.csv": "metric_value", "k6-out.json": '"data"', "k6-s": "http_req_failed",
    "locust_stats.": "Request Count", "locust_stats_": "Total Request Count",
    "vege": "status_codes", "wrk": " requests in ",
}  # fmt: skip
SWAPPED = {
    "jmeter.jtl": ("timeStamp", "elapsed"),
    "k6-out.csv": ("timestamp", "metric_value"),
    "locust_stats_history.csv": ("User Count", "Total Request Count"),
    "locust_stats.csv": ("Request Count", "Average Response Time"),
}


def whole(name: str) -> str:
    file, packed = FOLDER / name, FOLDER / f"{name}.gz"
    data = file.read_bytes() if file.exists() else gzip.decompress(packed.read_bytes())
    return data.decode()


def cut(text: str, share: float) -> str:
    """So much of it, and not up to the end of a line."""
    place = int(share * len(text))
    while text[place - 1] in "\r\n" or text[place] in "\r\n":
        place -= 1
    return text[:place]


def renamed(name: str, text: str) -> str:
    (word,) = {word for start, word in RENAMED.items() if name.startswith(start)}
    return text.replace(word, word[:2] + "_" + word[3:])


def swapped(name: str, text: str) -> str:
    head, _, rest = text.partition("\n")
    names = dict([SWAPPED[name], SWAPPED[name][::-1]])
    return ",".join(names.get(each, each) for each in head.strip().split(",")) + "\n" + rest


RUINS: dict[str, Callable[[str, str], str | bytes]] = {
    "a third": lambda _, text: cut(text, 0.33),
    "two thirds": lambda _, text: cut(text, 0.67),
    "UTF-16": lambda _, text: text.encode("utf-16"),
    "a nought": lambda _, text: f"{text[: len(text) // 3]}\0{text[len(text) // 3 :]}",
    "Latin-1": lambda _, text: text.encode().replace(b" ", b"\xa0").replace(b",", b"\xe4"),
    "a decimal comma": lambda _, text: re.sub(r"(\d)\.(\d)", r"\1,\2", text),
    "negative": lambda _, text: VALUE.sub(r"-\g<0>", text),
    "huge": lambda _, text: VALUE.sub("9" * 30, text),
    "words": lambda _, text: VALUE.sub("many", text),
    "another version": renamed,
    "another head": lambda _, text: f"metric_name,timestamp\n{text}",
    "a strange line": lambda _, text: text.replace("\n", "\n<html>\n", 1) if "\n" in text else "",
}  # fmt: skip
UNHARMED = {  # a line that nobody reads is none of the damage
    (name, "a strange line") for name in NAMES if name.endswith(".txt")
}
FOREIGN: dict[str, str | bytes] = {
    "empty": "",
    "page": "<!DOCTYPE html><title>404</title>",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "gzip": gzip.compress(b"Timestamp,User Count"),
    "JMeter's XML": '<?xml version="1.0"?><testResults version="1.2"></testResults>\n',
    "Locust's failures": "Method,Name,Error,Occurrences\n",
    "an object": "{}",
    "deep metrics": '{"metrics":' * 50_000,
    "NaN": '{"metrics":{"http_reqs":{"count":NaN}}}',
    "a line of megabytes": "This is ApacheBench" + " " * 2**21,
    "only a head": "Timestamp,User Count,Type,Name\n",
    "a quote": 'timeStamp,elapsed,label\n"1,2,3\n',
    "two columns of a name": "metric_name,timestamp,metric_value,timestamp\n",
}


def ruined() -> Iterator[Any]:
    for name in NAMES:
        for way in RUINS:
            if (name, way) not in UNHARMED:
                yield pytest.param(name, RUINS[way], id=f"{name}-{way}")
    for name in SWAPPED:
        if name in NAMES:
            yield pytest.param(name, swapped, id=f"{name}-swapped")
    for name, text in FOREIGN.items():
        yield pytest.param(name, lambda *_, text=text: text, id=name)


def refused(file: str, capsys: Any) -> str:
    """The one line that is said of it; nothing is printed."""
    assert main(["import", file]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert len(line) < 500 and line.isprintable()
    assert re.search(r"[.…] (Give|Write|Save|Import|Run)\b.*\.$", line)
    return str(line)


@pytest.mark.parametrize(("name", "way"), [*ruined()])
def test_import_refuses(
    name: str, way: Callable[[str, str], str | bytes], tmp_path: Path, capsys: Any
) -> None:
    made = way(name, whole(name) if name in NAMES else "")
    file = tmp_path / "file"
    file.write_bytes(made.encode() if isinstance(made, str) else made)
    assert refused(str(file), capsys).startswith(f"{file}: ")


def test_import_refuses_what_is_no_file(tmp_path: Path, capsys: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path, tmp_path / "pipe", tmp_path / "none", "/dev/zero", "a\0b", "a\x1b[2J"):
        refused(str(name), capsys)


def test_import_refuses_a_file_larger_than_the_limit(tmp_path: Path, capsys: Any) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(257 * 2**20)  # which takes no room on the disk
    assert "256 MiB" in refused(str(tmp_path / "large"), capsys)
