"""Hold the project's weight: `make lint` prints each budget that is overdrawn.

    python3 setup/budgets.py

Whoever raises one says in the commit what a reader gets for it.
"""

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lines(text: str) -> int:
    """Count lines, as `wc -l` does."""
    return text.count("\n")


def words(text: str) -> int:
    """Count words, as `wc -w` does."""
    return len(text.split())


BUDGETS: list[tuple[str, str, Callable[[str], int], int]] = [
    ("labs", "*.py", lines, 31_300),
    ("tests", "*.py", lines, 29_050),
    ("bench", "*.py", lines, 2_250),
    ("book/web/src", "*.ts", lines, 8_950),
    (".", "CONTRIBUTING.md", words, 900),
    (".", "CHANGELOG.md", lines, 60),
]


def main() -> int:
    """Exit code 1 when something weighs more than it may."""
    over = False
    for folder, files, count, most in BUDGETS:
        found = [ROOT / files] if folder == "." else (ROOT / folder).rglob(files)
        own = (file for file in found if "node_modules" not in file.parts)
        weight = sum(count(file.read_text("utf-8")) for file in own)
        if weight > most:
            over = True
            print(f"{folder}/{files}: {weight:,} {count.__name__}, and the budget is {most:,}.")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
