"""One corpus of files that nobody can have meant: whole ones, broken in a way that a table names,
and JSON with something impossible in one place, which a seeded generator draws."""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from labs.recordings import store

Place = tuple[str | int, ...]  # the keys on the way to a value in JSON

BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "one byte": lambda data: b"{",
    "cut short": lambda data: data[: 2 * len(data) // 3],
    "begun late": lambda data: data[len(data) // 3 :],
    "twice": lambda data: data * 2,
    "zeros": lambda data: bytes(len(data) // 9),
    "noise": lambda data: dice(1, "noise").randbytes(999),
    "no UTF-8": lambda data: data[:3] + b"\xff\xfe" + data[3:],
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "half a character": lambda data: data.rstrip()[:-1] + b',"x": "\\ud800"}',
    "a list": lambda data: b"[" + data + b"]",
    "a number": lambda data: b"5",
    "null": lambda data: b"null",
    "NaN": lambda data: b'{"schema": NaN, "answers": NaN}',
    "beyond all numbers": lambda data: b'{"kind": "sweep", "schema": 1e999}',
    "HTML": lambda data: b"<!doctype html><title>404</title>",
    "deep": lambda data: b"[" * 10**6,
    "deep inside": lambda data: data.rstrip()[:-1] + b',"x":' + b"[" * 200_000,
    "single quotes": lambda data: data.replace(b'"', b"'"),
    "a comma more": lambda data: data.rstrip()[:-1] + b",}",
}
WRONG: dict[str, tuple[type, ...]] = {  # JSON, and what it can never stand for
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
SMALLEST = {  # recording of the book, by its kind, which each begins with
    file.read_text("utf-8").split('"')[3]: file
    for file in sorted(store.folder().glob("*/2-cores.json"), key=lambda it: -it.stat().st_size)
}
NEVER_MISSING = ("runs", "points", "levels", "predictions", "answers", "diagnoses")
HERE = "⟨here⟩"


def dice(seed: int, name: str) -> random.Random:
    """A generator that draws the same for everybody who gives the same seed and name."""
    return random.Random(f"{name} {seed}")


def leaves(data: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every place in that JSON, and what is there."""
    yield path, data
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))


def instead(whole: bytes, path: Place, text: str) -> bytes:
    """The same file with that JSON in that place."""
    data = json.loads(whole)
    *way, last = path
    into = data
    for key in way:
        into = into[key]
    into[last] = HERE
    return json.dumps(data).replace(json.dumps(HERE), text).encode()


def wrong(whole: bytes, name: str, times: int) -> Iterator[tuple[str, bytes]]:
    """The file with each of WRONG in so many places; the name seeds which."""
    places = [each for each in leaves(json.loads(whole)) if each[0]]
    for text, kinds in WRONG.items():
        fitting = [path for path, value in places if type(value) in kinds and _never(path, text)]
        for path in dice(1, name).sample(fitting, min(times, len(fitting))):
            yield f"{text} at {'.'.join(map(str, path))}", instead(whole, path, text)


def _never(path: Place, text: str) -> bool:
    """Whether that can never stand there: some things may be missing, or be any number."""
    name = str(path[-1])
    if text == "-7":
        return bool(POSITIVE.search(name))
    return text != "null" or name in NEVER_MISSING
