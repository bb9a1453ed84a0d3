"""Ask OSV, the open database of vulnerabilities, about every pinned package: `make audit`.

    python setup/audit.py

Of all requirements files, of what the page's scripts are built from, and of what drives Firefox in
the tests. Only the standard library: a tool that checks packages should not bring twenty of its
own. OSV (https://osv.dev) has PyPI's advisories and GitHub's; names and versions are all that it is
sent. Exit code 0 when none is known, 1 when some are, 2 when nobody could be asked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = (
    *("requirements.txt", "requirements-dev.txt"),
    *("setup/requirements-uv.txt", "deploy/requirements-hub.txt"),
)
LOCKS = ("book/web/src/package-lock.json", "tests/browser/firefox/package-lock.json")
DATABASE = "https://api.osv.dev"
SHOWN_AT = "https://osv.dev/vulnerability/"
MOST = 1000  # questions in one request, as OSV allows
PATIENCE_S = 30.0
NONE, SOME, UNKNOWN = 0, 1, 2


class Pin(NamedTuple):
    """One package, as it is installed."""

    ecosystem: str  # as OSV calls it
    name: str
    version: str


class Unreachable(Exception):
    """The database could not be asked. Says why."""


def main(arguments: list[str] | None = None) -> int:
    """Audit the pins; return the exit code."""
    parser = argparse.ArgumentParser(prog="setup/audit.py", description=__doc__)
    parser.add_argument("--database", default=DATABASE, help="another one with OSV's interface")
    database = parser.parse_args(arguments).database.rstrip("/")
    pins = sorted({*python_pins(ROOT), *page_pins(ROOT)})
    try:
        found = vulnerabilities(pins, database)
    except Unreachable as why:
        print(
            f"Nothing is known about the {len(pins)} pins: {database} could not be asked ({why}). "
            "Try again where the network lets you, or look at https://osv.dev yourself.",
            file=sys.stderr,
        )
        return UNKNOWN
    for pin, ids in found.items():
        for each in ids:
            print(f"{pin.name} {pin.version} ({pin.ecosystem})  {SHOWN_AT}{each}")
    known = sum(map(len, found.values()))
    words = "vulnerability" if known == 1 else "vulnerabilities"
    print(f"{len(pins)} pins, {known or 'no'} known {words}.")
    return SOME if found else NONE


def python_pins(root: Path) -> Iterator[Pin]:
    """List what the requirements files pin."""
    for name in REQUIREMENTS:
        for line in (root / name).read_text("utf-8").splitlines():
            if pinned := re.match(r"([\w.-]+)(?:\[[\w,]*\])?==([\w.+!-]+)", line):
                yield Pin("PyPI", *pinned.groups())


def page_pins(root: Path) -> Iterator[Pin]:
    """List what npm's locks pin."""
    locks = [json.loads((root / name).read_text("utf-8"))["packages"] for name in LOCKS]
    for where, package in (item for lock in locks for item in lock.items()):
        if "version" in package and not package.get("link"):
            name = package.get("name") or where.rpartition("node_modules/")[2]
            if name and where:
                yield Pin("npm", name, package["version"])


def vulnerabilities(pins: Sequence[Pin], database: str) -> dict[Pin, list[str]]:
    """Find known vulnerabilities' ids, by the pin; Unreachable where the database can't tell."""
    found: dict[Pin, list[str]] = {}
    for first in range(0, len(pins), MOST):
        asked = [(pin, "") for pin in pins[first : first + MOST]]
        while asked:
            again = []
            for (pin, _), result in zip(asked, _answers(asked, database), strict=True):
                if known := [str(each["id"]) for each in result.get("vulns", ())]:
                    found.setdefault(pin, []).extend(known)
                if page := result.get("next_page_token"):
                    again.append((pin, str(page)))
            asked = again
    return found


def _answers(asked: Sequence[tuple[Pin, str]], database: str) -> list[dict[str, Any]]:
    queries = [
        {
            "package": {"ecosystem": pin.ecosystem, "name": pin.name},
            "version": pin.version,
            **({"page_token": page} if page else {}),
        }
        for pin, page in asked
    ]
    request = Request(
        f"{database}/v1/querybatch",
        data=json.dumps({"queries": queries}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=PATIENCE_S) as answer:
            results = json.loads(answer.read())["results"]
    except HTTPError as error:
        raise Unreachable(f"it answers {error.code}") from None
    except OSError as error:
        raise Unreachable(str(getattr(error, "reason", error))) from None
    except (ValueError, KeyError, TypeError):
        raise Unreachable("its answer is not OSV's") from None
    if not isinstance(results, list) or len(results) != len(asked):
        raise Unreachable("its answer is not OSV's")
    return [each if isinstance(each, dict) else {} for each in results]


if __name__ == "__main__":
    sys.exit(main())
