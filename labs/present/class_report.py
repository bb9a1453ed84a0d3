"""A class on one page: what was answered, and its bets against what its laptops measured. Pure.

Anybody may have written a student's file: its texts stay texts, and its numbers have bounds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TypeGuard

from markupsafe import Markup, escape

from labs.present.bet import CLOSE, is_close
from labs.present.markup import paragraphs
from labs.present.page import drawn, page
from labs.present.palette import GREEN, GREY, ORANGE
from labs.present.plot import Figure, Shown, axis_title, dots, layout, line, log_axis
from labs.present.tables import Table
from labs.records.format import NARROW, digits, printable
from labs.records.progress import LEAST, MOST, Answered, Diagnosed, Foretold, Saved

HEAD = ("answered", "right", "measured", "median bet", "median measured", "question")
PREDICTION = "prediction"
ELSEWHERE = "Elsewhere"  # labs of a reader's own, exercises of another version
MOST_LETTERS = 1000  # of a text
MOST_FIGURES = 20  # of one unit each: the book's bets have seven, and a file may name any number
RULE = (
    "Answered: laptops with an answer. Right: those with a right one; of a bet, one within "
    f"{100 * CLOSE:.0f} % of the first measurement that could be believed. Measured: those with "
    "such a measurement. The medians are of these bets."
)
READING = (
    "A mark on the line came out as said. The bets lie where people expected it; the model's "
    "marks should lie close to the line, on every laptop."
)


Row = Foretold | Answered | Diagnosed  # of a student, with printable texts


@dataclass(frozen=True, slots=True)
class Laptop:
    """One student's rows, under the name that a page may show."""

    name: str
    rows: tuple[Row, ...]


def laptops(files: Iterable[Saved], *, names: bool) -> list[Laptop]:
    """Make a laptop for each name, over all files, and for each file without one. What was handed
    in twice counts once. Without names, and for nobody's: laptop 1, laptop 2."""
    of: dict[tuple[int, str], dict[Row, None]] = {}
    for number, file in enumerate(files):
        if rows := _rows(file):
            name = _plainly(file.name).strip()
            of.setdefault((-1, name) if name else (number, ""), {}).update(dict.fromkeys(rows))
    return [
        Laptop(name if names and name else f"laptop {number}", tuple(rows))
        for number, ((_, name), rows) in enumerate(of.items(), 1)
    ]


def class_table(found: Sequence[Laptop], chapters: Mapping[str, str]) -> Table:
    """Make a row for each question, in the book's order.

    chapters: the name of the chapter of each lab and exercise, in that order.
    """
    asked: dict[tuple[str, ...], list[tuple[Laptop, Row]]] = {}
    for laptop in found:
        for row in laptop.rows:
            asked.setdefault(_key(row), []).append((laptop, row))
    places = {which: place for place, which in enumerate(chapters)}
    keys = sorted(asked, key=lambda key: places.get(key[1], len(places)))
    lines = [_line(chapters.get(key[1], ELSEWHERE), key, asked[key]) for key in keys]
    return Table(HEAD, tuple(lines), RULE)


def figures(found: Sequence[Laptop]) -> list[tuple[str, Figure]]:
    """Draw a figure for each unit, with its description: bets and model over what was measured. Of
    more than MOST_FIGURES units those that the most laptops have."""
    settled: dict[str, list[tuple[Laptop, Foretold]]] = {}
    for laptop in found:
        for row in filter(_settled, laptop.rows):
            settled.setdefault(row.unit, []).append((laptop, row))
    asked = {unit: len({id(laptop) for laptop, _ in settled[unit]}) for unit in settled}
    kept = sorted(settled, key=lambda unit: -asked[unit])[:MOST_FIGURES]
    return [(_alt(unit, settled[unit]), _figure(unit, settled[unit])) for unit in kept]


def class_page(found: Sequence[Laptop], sheet: Table, script: str, left_out: int) -> Markup:
    """Make a class's page, one HTML file that needs no other.

    sheet: its table; script: plotly's; left_out: how many files are not in it.
    """
    pictures = [drawn(alt, figure) for alt, figure in figures(found)]
    said = [f"{len(found)} {'laptop' if len(found) == 1 else 'laptops'}."]
    if left_out:
        said.append(f"Left out, as no files of My progress: {left_out}.")
    undrawn = "No bet has been measured yet, so there is no line to draw."
    said.append(READING if pictures else undrawn)
    table = Markup("<h2>Question by question</h2>{}").format(sheet.html())
    body = [paragraphs(said), *pictures, table]
    return page("a class", "A class on one line", body, script if pictures else "")


def _rows(file: Saved) -> list[Row]:
    bets = [
        replace(
            each,
            lab=_plainly(each.lab),
            question=_plainly(each.question),
            unit=_plainly(each.unit),
            measured=_bounded(each.measured),
            model=_bounded(each.model),
        )
        for each in file.predictions
    ]
    answers = [replace(each, exercise=_plainly(each.exercise)) for each in file.answers]
    diagnoses = [replace(each, lab=_plainly(each.lab)) for each in file.diagnoses]
    return [*bets, *answers, *diagnoses]


def _key(row: Row) -> tuple[str, str, str, str]:
    """Tell what was asked: the kind, the lab or exercise, and of a bet its question and unit."""
    match row:
        case Foretold():
            return PREDICTION, row.lab, row.question, row.unit
        case Answered():
            return "exercise", row.exercise, "", ""
        case Diagnosed():
            return "diagnosis", row.lab, "", ""


def _plainly(text: str) -> str:
    """Replace odd letters, and cut what is no word of ours any more."""
    return printable(text[:MOST_LETTERS])


def _bounded(number: float | None) -> float | None:
    """Keep a number that can be measured, or none."""
    return number if number is not None and LEAST <= number <= MOST else None


def _settled(row: Row) -> TypeGuard[Foretold]:
    return isinstance(row, Foretold) and row.fit and None not in (_bounded(row.value), row.measured)


def _hit(row: Row) -> bool:
    if not isinstance(row, Foretold):
        return row.right
    return _settled(row) and is_close(row.value, row.measured or 0.0, row.unit)


def _line(
    chapter: str, key: tuple[str, ...], pairs: Sequence[tuple[Laptop, Row]]
) -> tuple[str, ...]:
    kind, which, question, unit = key

    def count(of: Iterable[tuple[Laptop, Row]]) -> str:
        return str(len({id(laptop) for laptop, _ in of}))

    settled = [(laptop, row) for laptop, row in pairs if _settled(row)]
    bets = [row.value for _, row in settled]
    measured = [row.measured or 0.0 for _, row in settled]
    medians = [
        f"{digits(median(values))}{NARROW}{unit}" if values else "" for values in (bets, measured)
    ]
    called = f"{chapter}: {kind} {which}" + (f", {question}" if question else "")
    right = count(pair for pair in pairs if _hit(pair[1]))
    foretold = kind == PREDICTION
    return count(pairs), right, count(settled) if foretold else "", *medians, called


def _figure(unit: str, pairs: Sequence[tuple[Laptop, Foretold]]) -> Figure:
    measured = [row.measured or 0.0 for _, row in pairs]
    bets = [row.value for _, row in pairs]
    models = [row.model for _, row in pairs]
    every = [*measured, *bets, *(each for each in models if each is not None)]
    ends = [min(every), max(every)]
    # plotly reads some HTML in what it is told, so that is escaped once more than JSON asks.
    said = [str(escape(f"{laptop.name}, {row.lab}: {row.question}")) for laptop, row in pairs]
    shown = str(escape(unit))
    axis = log_axis(every)
    across, upwards = (
        {**axis, "title": {"text": axis_title(f"{words}, {shown}", axis)}}
        for words in ("Said before", "Measured")  # as My progress has it
    )
    hover = "{said}<br>said {x}, measured {y} " + shown
    bet: Shown = {"said": said, "hover": hover, "size": 9, "symbol": "diamond"}
    model: Shown = {**bet, "size": 7, "symbol": "square"}
    traces = [
        line("as said", ends, ends, GREY, dash="dash"),
        dots("the model", models, measured, ORANGE, **model),
        dots("a bet", bets, measured, GREEN, **bet),
    ]
    margin = {"l": 60, "r": 12, "t": 24, "b": 96}
    return {"data": traces, "layout": layout(480, margin, -0.2, xaxis=across, yaxis=upwards)}


def _alt(unit: str, pairs: Sequence[tuple[Laptop, Foretold]]) -> str:
    close = sum(_hit(row) for _, row in pairs)
    return (
        f"Measurements over bets, in {unit or 'no unit'}, with the line of equality: {len(pairs)} "
        f"bets, {close} of them within {100 * CLOSE:.0f} % of what was measured."
    )
