"""Traces of who runs when, by `labs.theory.turns`; book/web/src/scenes tells the same stories.

`python tests/lanes_reference.py` writes the file that both suites read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labs.theory.turns import course

MS = 1000  # microseconds
AGREED = Path(__file__).parents[1] / "book/web/src/scenes/agreed/lanes.json"


def log_of(trace: dict[str, Any]) -> list[list[Any]]:
    """At (us), what, who, and how long its answer took (us). The trace's times are in ms."""
    given = {name: value for name, value in trace.items() if name not in ("name", "log")}
    return [[at * MS, what, who, took * MS] for at, what, who, took in course(**given)]


def traces() -> Iterator[dict[str, Any]]:
    """One for each kind of server; `turn` 0 is a loop, which interrupts nobody."""
    alone = {"turn": 5, "holds": False, "calls": []}
    four = {"starts": [0, 0, 0, 0], "cpu": 20, "wait": 0, "end": 200}
    yield {"name": "four processes, two cores", "places": 2, **alone, **four}
    yield {"name": "four threads that count", "places": 1, **alone, **four}
    pages = {"starts": [0, 3, 11, 12, 30], "cpu": 12, "wait": 31, "end": 400}
    yield {"name": "threads that count and wait", "places": 1, **alone, **pages}
    yield {"name": "more cores than requests", "places": 8, **alone, **pages}
    loop = {"turn": 0, "holds": True, "places": 1}
    yield {"name": "a loop", **loop, **pages, "calls": []}
    yield {"name": "a loop with a blocking call", **loop, **pages, "calls": [[90, 100]]}
    yield {
        "name": "threads with a blocking call",
        **alone,
        **pages,
        "places": 1,
        "calls": [[90, 100]],
    }


if __name__ == "__main__":
    lines = [json.dumps({**trace, "log": log_of(trace)}) for trace in traces()]
    AGREED.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
