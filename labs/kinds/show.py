"""Show of a result, wherever it is shown: in a panel, in a page, in a file, quoted in prose."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, Generic, TypeVar

import msgspec
from markupsafe import Markup

from labs.present.blocks import SPOKEN, Block, Drawn, Said, Within, brief, sentences
from labs.present.levels import BY_LEVEL, Level, Pace
from labs.present.plot import Figure
from labs.present.quantities import NoSuchNumber, Quantity
from labs.present.tables import MIB, MS, Table, folded
from labs.present.trails import Curve, curves, without_kept
from labs.present.verdict import caption
from labs.records.format import cores, digits, duration, percent, plain, rate, size
from labs.records.processes import Who
from labs.records.results import Check, Result

Found = TypeVar("Found", bound=Result)
Value = TypeVar("Value")
Say = Callable[[Any], str]

SHOWN = "shown"  # the field of a saved file with what a page draws
SHOWN_VERSION = 1

two_places: Say = "{:.2f}".format
two_digits: Say = partial(digits, count=2)  # as many as a ratio is worth

TREES: Mapping[Who, str] = {"server": "server", "generator": "load generator"}

# What follows from the end of a field's name: its words in prose, and its cell in a table.
SAID: Mapping[str, tuple[Say, Say]] = {
    "_rps": (rate, plain),
    "_s": (duration, lambda value: plain(value * MS)),  # the head says ms
    "_bytes": (size, lambda value: plain(value / MIB)),  # the head says MiB
    "_fraction": (percent, percent),
    "_cpu": (lambda value: cores(value, 2), plain),
    "_switches": (two_digits, plain),
}


def three_cores(value: float) -> str:
    """Say cores' worth of work, to three digits."""
    return cores(value, 3)


def to_know(checks: Iterable[Check]) -> str:
    """Say what was checked, as a table does."""
    return " ".join(("Unfit: " if each.unfit else "") + each.sentence for each in checks)


def known(value: Value | None, why: str) -> Value:
    """Return the number, or raise NoSuchNumber that says why there is none."""
    if value is None:
        raise NoSuchNumber(why)
    return value


def quoted(of: Callable[..., Any], say: Say) -> Callable[..., Quantity]:
    """Make a number for prose: `of` a result and what prose gives, in the words of `say`."""

    def quote(*given: Any) -> Quantity:
        value = of(*given)
        return Quantity(value, say(value))

    return quote


def level_by_level(
    levels: Callable[[Found], Sequence[Level]], opening: Callable[[Found], str] = lambda found: ""
) -> Callable[[Found], str]:
    """Put a figure into words: what it shows, and then the sentence of each of its levels."""

    def alt(found: Found) -> str:
        return " ".join([opening(found), *(level.words for level in levels(found))]).strip()

    return alt


def spoken(concluded: Callable[[Found], Sequence[str]]) -> Callable[[Found], list[Block]]:
    """Make the verdict that stands under a figure: a few sentences, the rest folded."""
    return lambda found: [Within(SPOKEN, brief([Said(concluded(found))]))]


# What every result can say of its machine.
MACHINE: Mapping[str, Callable[[Result], Quantity]] = {
    "machine": lambda found: Quantity(found.machine.cores, found.machine.caption),
    "cores": quoted(attrgetter("machine.cores"), cores),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number of a row: a column of the table and its CSV, and a number for prose, or one of
    the two. `of` is a field of the row (`workload.cpu_s` of a field of it), or takes the number
    from it."""

    of: str | Callable[[Any], Any]
    head: str = ""  # in the table; "" for one that is only quoted
    quote: str = ""  # its name in prose; "" for one that is only in the table
    said: Say | None = None  # in prose; else as the field's name ends
    cell: Say | None = None  # in the table; else as the field's name ends
    there: Callable[[Any], bool] = lambda found: True  # whether that result's table has it
    main: bool = False  # one of the few that a page's table shows before it is unfolded
    reason: bool = False  # it says what to think of its row: below it, and never folded

    def value(self, row: Any) -> Any:
        """Read a row's number; None where it was not measured."""
        return attrgetter(self.of)(row) if isinstance(self.of, str) else self.of(row)

    def text(self, row: Any) -> str:
        """Say a row's number in the table."""
        value = self.value(row)
        if value is None:
            return ""
        return (self.cell or self._usual(value)[1])(value)

    def quantity(self, row: Any) -> Quantity:
        """Quote a row's number in prose. NoSuchNumber where it was not measured."""
        value = known(self.value(row), f"{self.quote}: was not counted on that system.")
        return Quantity(value, (self.said or self._usual(value)[0])(value))

    def _usual(self, value: Any) -> tuple[Say, Say]:
        if isinstance(value, str):
            return str, str
        name = self.of if isinstance(self.of, str) else ""
        counted: tuple[Say, Say] = (lambda number: digits(number, 6)), str
        usual = counted if isinstance(value, int) else (digits, plain)
        return next((say for end, say in SAID.items() if name.endswith(end)), usual)


class Measured(Column):
    """A number of a row that may instead say what was `missing`: then it was not measured."""

    __slots__ = ()

    def value(self, row: Any) -> Any:
        return None if row.missing else Column.value(self, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Show(Generic[Found]):
    """Show of a kind's results."""

    result: type[Found]
    draw: Callable[[Found], Figure]
    alt: Callable[[Found], str]  # the figure in words
    split: Callable[[Found], Drawn | None] = lambda found: None  # where the time went, below
    kept: Callable[[Found], Sequence[Curve]] | None = None  # what stays of it, if no whole traces
    columns: Sequence[Column]
    rows: Callable[[Found], Iterable[Any]] | None = None  # of the table: a record each
    row: Callable[..., Any] | None = None  # of a result and what prose gives: what it quotes from
    quotes: Mapping[str, Callable[..., Quantity]] = field(default_factory=dict)  # what is no column
    parts: Callable[[Found], Mapping[str, Result]] = lambda found: {}  # to be quoted by a label
    about: Callable[[Found], str] = lambda found: ""  # for the figure's caption
    middle_by: str = ""  # by what the run that is drawn is the middle one; "": it is not
    verdict: Callable[[Found], Sequence[Block]] = lambda found: ()  # under the figure
    levels: Callable[[Found], Sequence[Level]] = lambda found: ()  # by which a page replays it
    pace: Pace = BY_LEVEL  # and how it does
    concluded: Callable[[Found], Sequence[str]] = lambda found: ()  # the sentences at their end
    note: Callable[[Found], str] = lambda found: ""  # a sentence below the table
    data: Callable[[Found], Mapping[str, object]] = msgspec.to_builtins  # for the JSON file
    measured: Callable[[Found], bool] = lambda found: True  # whether there is more than a forecast
    folds: bool = True  # whether the table is folded away; False: `verdict` has it

    def figure(self, found: Found) -> Figure:
        """Draw the figure as it is shown."""
        return without_kept(self.draw(found))

    def curves(self, found: Found) -> Sequence[Curve]:
        """Keep what stays of the figure beside a later run, pale."""
        return self.kept(found) if self.kept else curves(self.draw(found))

    def table(self, found: Found) -> Table:
        """Make the table of a result's numbers, to read and to take away."""
        columns = [column for column in self.columns if column.head and column.there(found)]
        rows = self.rows(found) if self.rows else ()
        return Table(
            head=tuple(column.head for column in columns),
            rows=tuple(tuple(column.text(row) for column in columns) for row in rows),
            note=self.note(found),
            main=tuple(column.head for column in columns if column.main),
            reason=next((column.head for column in columns if column.reason), ""),
        )

    def caption(self, found: Found) -> str:
        """Caption the figure: what was measured, on which machine and how often."""
        return (
            f"{self.about(found)} {caption(found.machine, len(found.runs), self.middle_by)}".strip()
        )

    def downloads(self, name: str, found: Found) -> Markup:
        """Put all numbers of a result into HTML: a folded table, and the files to take away."""
        file = f"{name}-{found.machine.cores}-cores"
        data = {**self.data(found), SHOWN: self.shown(name, found)}
        return folded(file, self.table(found), data, shown=self.folds)

    def shown(self, name: str, found: Found) -> dict[str, Any]:
        """Gather what a page without Python draws of a result: the figure, and the sentences as
        text (book/web/src/dropped.ts). Whoever reads the file as a recording passes this by."""
        table = self.table(found)
        said = [*self.concluded(found), *sentences(self.verdict(found))]
        return {
            "version": SHOWN_VERSION,
            "lab": name,
            "figure": self.figure(found),
            "alt": self.alt(found),
            "caption": self.caption(found),
            "said": list({" ".join(each.split()): each for each in said}.values()),
            "table": {"head": table.head, "rows": table.rows},
        }

    def part(self, found: Found, label: str) -> Result:
        """Find one of a result's parts. NoSuchNumber says which there are."""
        parts = self.parts(found)
        if not parts:
            raise NoSuchNumber(f"{label!r}: that lab has no parts.")
        if label not in parts:
            raise NoSuchNumber(f"{label!r}: no such part. There are {', '.join(parts)}.")
        return parts[label]

    def quote(self, found: Found, name: str, *given: object) -> Quantity:
        """Quote a number in prose. NoSuchNumber says which there are, or what this one needs."""
        columns = {column.quote: column for column in self.columns if column.quote}
        try:
            if name in self.quotes:
                return self.quotes[name](found, *given)
            if name in columns and self.row is not None:
                return columns[name].quantity(self.row(found, *given))
        except KeyError as error:
            raise NoSuchNumber(error.args[0]) from None
        except TypeError:
            raise NoSuchNumber(f"{name} {given}: not what {name} needs.") from None
        names = sorted([*self.quotes, *columns, *MACHINE])
        if name not in MACHINE:
            raise NoSuchNumber(f"{name!r}: no such number. There are {', '.join(names)}.")
        return MACHINE[name](found)
