"""Files that nobody can have meant, for `bench.inputs`: recordings, progress files, a class's CSV.

Each begins as a good one and is ruined in one place, which a seeded generator chooses, in a way
that a table names. A number of another size is a measurement like any other: what is written over
a number here can be none (a text, a list, below zero where nothing is).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from labs import progress_log
from labs.present.handed_in import COLUMNS
from labs.recordings import replay, store
from labs.site.class_files import handed_in

Made = Iterator[tuple[str, Callable[[], str]]]  # what it is, and how it is given

BROKEN: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "empty": lambda data, dice: b"",
    "one byte": lambda data, dice: b"{",
    "cut short": lambda data, dice: data[: dice.randrange(1, len(data) - 2)],
    "begun late": lambda data, dice: data[dice.randrange(1, len(data) // 2) :],
    "twice": lambda data, dice: data * 2,
    "noughts": lambda data, dice: bytes(len(data) // 9),
    "noise": lambda data, dice: dice.randbytes(999),
    "no UTF-8": lambda data, dice: data[:3] + b"\xff\xfe" + data[3:],
    "UTF-16": lambda data, dice: data.decode().encode("utf-16"),
    "a list": lambda data, dice: b"[" + data + b"]",
    "a number": lambda data, dice: b"5",
    "nothing": lambda data, dice: b"null",
    "HTML": lambda data, dice: b"<!doctype html><title>404</title>",
    "deep": lambda data, dice: b"[" * 100_000,
    "deep inside": lambda data, dice: data[:-3] + b',"x":' + b"[" * 100_000,
    "single quotes": lambda data, dice: data.replace(b'"', b"'"),
    "a comma more": lambda data, dice: data.rstrip()[:-1] + b",}",
}
WRONG: dict[str, tuple[type, ...]] = {  # instead of what, by its JSON
    '"a word"': (int, float),
    "{}": (int, float, str),
    "[]": (int, float, str),
    "NaN": (int, float),
    "Infinity": (int, float),
    "1e999": (int, float),
    "-7": (int,),
    "5": (str,),
    "null": (list,),
    "true": (list, str),
    "12": (dict, list),
}
POSITIVE = re.compile(  # numbers that are never below zero, by their names
    r"cores$|users$|processes$|threads$|_rps$|_bytes$|completed$|failed$|seconds$|backlog$"
)
NEVER_MISSING = ("runs", "points", "levels", "predictions", "answers", "diagnoses")
HERE = "⟨here⟩"


def dice(seed: int, name: str) -> random.Random:
    """Drawn the same for everybody who gives the same seed."""
    return random.Random(f"{name} {seed}")


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place in that JSON, and what is there."""
    yield path, data
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))


def instead(whole: bytes, path: tuple[Any, ...], text: str) -> bytes:
    """The same file with that JSON in that place."""
    data = json.loads(whole)
    *way, last = path
    into = data
    for key in way:
        into = into[key]
    into[last] = HERE
    return json.dumps(data).replace(json.dumps(HERE), text).encode()


def wrong(whole: bytes, drawn: random.Random, times: int) -> Iterator[tuple[str, bytes]]:
    """The file with something else in one place, so often in each way."""
    places = [each for each in leaves(json.loads(whole)) if each[0]]
    for text, kinds in WRONG.items():
        fitting = [path for path, value in places if type(value) in kinds and _never(path, text)]
        for path in drawn.sample(fitting, min(times, len(fitting))):
            yield f"{text} at {'.'.join(map(str, path))}", instead(whole, path, text)


def _never(path: tuple[Any, ...], text: str) -> bool:
    """Whether that can never stand there: some things may be missing, or be any number."""
    name = str(path[-1])
    if text == "-7":
        return bool(POSITIVE.search(name))
    return text != "null" or name in NEVER_MISSING


def recordings(seed: int, folder: Path) -> Made:
    """Every recording of the book, ruined; it has to be refused when it is read."""
    file = folder / "2-cores.json"

    def give(data: bytes) -> str:
        file.write_bytes(data)
        found = store.read(file)
        replay.page("ruined", found)  # a crash here is one
        return ""

    files = sorted(store.folder().glob("*/2-cores.json"))
    for number, good in enumerate(files):
        whole, drawn = good.read_bytes(), dice(seed, str(good.parent.name))
        names = list(BROKEN)
        for name in (names[number % len(names)], names[(number + 7) % len(names)]):
            broken = BROKEN[name](whole, drawn)
            yield f"{good.parent.name}: {name}", partial(give, broken)
        for name, data in wrong(whole, drawn, 1):
            yield f"{good.parent.name}: {name}", partial(give, data)
        for key in ("schema", "machine"):
            fields = json.loads(whole)
            del fields[key]
            without = json.dumps(fields).encode()
            yield f"{good.parent.name}: without {key}", partial(give, without)
    for name in ("..", "/etc", "", "nope", "\0", "many-cores/2-cores.json"):
        yield f"named {name!r}", partial(_named, name)


def _named(name: str) -> str:
    store.recording(name)
    return ""


def progress(seed: int, folder: Path) -> Made:
    """A reader's record, ruined: it is kept aside, and that is said."""
    file = folder / "progress.json"
    at = "2026-11-22T10:00:00+00:00"
    answer = {"exercise": "1.1", "seed": "", "value": 5.0, "right": True, "tries": 1, "at": at}
    bet = {"key": "a", "lab": "one-core", "question": "how many", "unit": "req/s", "value": 5.0}
    bet |= {"at": at}
    guess = {"lab": "which-limit", "seed": 1, "guess": "cpu", "right": True, "tries": 1, "at": at}
    kept = {"predictions": [bet], "answers": [answer], "diagnoses": [guess]}
    whole = json.dumps({**kept, "book": "Wall Time", "schema": 1}).encode()

    def give(data: bytes) -> str:
        for old in folder.glob("progress.json*"):
            old.unlink()
        file.write_bytes(data)
        with progress_log_at(file):
            found, said = progress_log.read()
            aside = [each.read_bytes() for each in folder.glob("progress.json.aside-*")]
        assert aside == [data] or not said, "what was there is lost"
        return " ".join(said) if found.empty else ""

    drawn = dice(seed, "progress")
    for name, ruin in BROKEN.items():
        yield name, partial(give, ruin(whole, drawn))
    for name, data in wrong(whole, drawn, 6):
        yield name, partial(give, data)
    for key, value in (("book", "Another"), ("book", ""), ("schema", 2), ("schema", 0)):
        other = json.dumps({**json.loads(whole), key: value}).encode()
        yield f"{key} {value!r}", partial(give, other)


class progress_log_at:
    """The reader's record is in that file, meanwhile."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __enter__(self) -> None:
        self.before, progress_log.path = progress_log.path, lambda: self.file

    def __exit__(self, *_: object) -> None:
        progress_log.path = self.before


GOOD = "Ann,2,prediction,one-core,how many,20,req/s,,,19,20,yes,2026-11-22T10:00"
CELLS = {  # that can never stand there, by column
    "kind": ("", "guess", "PREDICTION"),
    "value": ("", "abc", "nan", "inf", "1e999", "1e300", "--5", "0x10"),
    "measured": ("abc", "nan", "-inf", "1e-300"),
    "model": ("abc", "nan", "5 5"),
    "right": ("maybe", "YES", "1"),
    "fit": ("maybe", "true", "0"),
    "name": ("x" * 2000,),
}


def class_files(seed: int, folder: Path) -> Made:
    """Files of a class: told with their line, and left out."""
    file = folder / "student.csv"
    head = ",".join(COLUMNS)

    def give(data: bytes) -> str:
        file.write_bytes(data)
        found, said = handed_in([str(file)], names=True)
        return "" if found else " ".join(said)

    whole, drawn = f"{head}\n{GOOD}\n".encode(), dice(seed, "class")
    for name in ("empty", "cut short", "noise", "no UTF-8", "UTF-16", "noughts", "HTML", "deep"):
        data = BROKEN[name](whole, drawn)
        yield name, partial(give, data)
    for column, values in CELLS.items():
        for value in values:
            cells = GOOD.split(",")
            cells[COLUMNS.index(column)] = value
            line = f"{head}\n{','.join(cells)}\n".encode()
            yield f"{column} {value[:20]!r}", partial(give, line)
    for name, text in (
        ("a cell more", f"{head}\n{GOOD},more\n"),
        ("a cell less", f"{head}\n{GOOD.rpartition(',')[0]}\n"),
        ("semicolons", f"{head}\n{GOOD}\n".replace(",", ";")),
        ("no head", f"{GOOD}\n"),
        ("an open quote", f'{head}\n"{GOOD}\n'),
        ("too many rows", f"{head}\n" + f"{GOOD}\n" * 10_001),
    ):
        yield name, partial(give, text.encode())


SURFACES: dict[str, Callable[[int, Path], Made]] = {
    "recordings": recordings,
    "progress files": progress,
    "class files": class_files,
}
