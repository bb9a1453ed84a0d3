"""What students hand in: the CSV of My progress, read back. Pure: text in, rows out.

Anybody may have written such a file. It is refused in a sentence with its name and line, or each
cell is taken for the text or the number that it is.
"""

import csv
import io
import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labs.records.errors import Unusable
from labs.records.reworded import REWORDED

COLUMNS = (
    *("name", "chapter", "kind", "which", "question or seed", "value", "unit"),
    *("right", "tries", "measured", "model", "fit", "when"),
)
FORMULAS = "=+-@\t\r"  # a spreadsheet would calculate a text that begins so
PREDICTION = "prediction"
KINDS = (PREDICTION, "exercise", "diagnosis")
SAID = {"right": ("", "yes", "no", "told"), "fit": ("", "yes", "no")}
DIGITS = 6  # of a number: as many as My progress writes
LEAST, MOST = 1e-6, 1e12  # of a number other than zero: no rate, time or memory lies outside
MOST_LETTERS = 1000  # of a cell
MOST_ROWS = 10_000  # of a file: one reader's whole book has some hundreds
AGAIN = (
    "Ask for the file that “Save as CSV” on the page My progress gives, or “Save as a file” where "
    "there is no Python, and change nothing."
)
ODD = ("Cc", "Zl", "Zp", "Cs")  # letters that steer a terminal or break a line,
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # or turn the text round


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedIn:
    """A line of such a file. Numbers are in its unit."""

    name: str  # as typed; "" where nobody typed one
    chapter: str
    kind: str  # one of KINDS
    which: str  # the lab, or the exercise
    question: str  # of a prediction; a seed of the others
    unit: str
    right: bool  # of an exercise or a diagnosis
    value: float | None = None  # of a prediction, as are the others
    measured: float | None = None
    model: float | None = None
    fit: bool = False  # whether the measurement settles it
    when: str = ""


def read(data: bytes, file: str) -> list[HandedIn]:
    """The rows of one file. Unusable says the file, the line, the rule and the remedy.

    file: its name, for that sentence.
    """
    try:
        text = data.decode("utf-8-sig")  # a spreadsheet puts a mark before it
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Unusable(f"{file}, line {line}: no text in UTF-8. {AGAIN}") from None
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        head = next(lines, [])
        if tuple(head) != COLUMNS:
            raise ValueError("not the columns of My progress (name, chapter, kind, …)")
        return list(_rows(lines))
    except (csv.Error, ValueError) as error:
        raise Unusable(f"{file}, line {max(1, lines.line_num)}: {error}. {AGAIN}") from None


def _rows(lines: Iterator[list[str]]) -> Iterator[HandedIn]:
    """ValueError says what is wrong with the line that was read last."""
    for count, cells in enumerate(lines, 1):
        if count > MOST_ROWS:
            raise ValueError(f"more than {MOST_ROWS} rows")
        if cells:
            yield _row(cells)


def _row(cells: Sequence[str]) -> HandedIn:
    if len(cells) != len(COLUMNS):
        raise ValueError(f"{len(cells)} cells, where there should be {len(COLUMNS)}")
    if long := [
        name for name, cell in zip(COLUMNS, cells, strict=True) if len(cell) > MOST_LETTERS
    ]:
        raise ValueError(f"more than {MOST_LETTERS} letters under “{long[0]}”")
    of = {name: _plainly(cell) for name, cell in zip(COLUMNS, cells, strict=True)}
    for name, words in (("kind", KINDS), *SAID.items()):
        if of[name] not in words:
            known = ", ".join(word for word in words if word)
            raise ValueError(f"“{of[name][:20]}” under “{name}”: must be one of {known}")
    foretold = of["kind"] == PREDICTION
    if foretold and not of["value"]:
        raise ValueError("a prediction without a value")
    value, measured, model = (
        _number(name, of[name]) if foretold else None for name in ("value", "measured", "model")
    )
    return HandedIn(
        name=of["name"].strip(),
        chapter=of["chapter"],
        kind=of["kind"],
        which=of["which"],
        question=REWORDED.get(of["question or seed"], of["question or seed"]),
        unit=of["unit"],
        right=of["right"] == "yes",
        value=value,
        measured=measured,
        model=model,
        fit=of["fit"] == "yes",
        when=of["when"],
    )


def _plainly(cell: str) -> str:
    """Without the mark that keeps a spreadsheet from calculating, and without odd letters."""
    shown = cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULAS else cell
    return "".join("\ufffd" if unicodedata.category(e) in ODD or e in TURNING else e for e in shown)


def _number(name: str, cell: str) -> float | None:
    if not cell:
        return None
    try:
        found = float(cell)
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or (found and not LEAST <= abs(found) <= MOST):
        raise ValueError(f"“{cell[:20]}” under “{name}”: must be an ordinary number")
    return float(f"{found:.{DIGITS}g}")
