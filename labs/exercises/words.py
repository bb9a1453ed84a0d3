"""The words of the exercises: question, hints and solution, as they stand in the book's pages.

    ```{exercise} 3.1 · Sixteen users
    {cores} cores, {cpu_ms} ms of CPU time a request, {users} users. How many requests per second?
    ```

and later ```` ```{hint} 3.1 ```` and ```` ```{solution} 3.1 ````. A number in them is a field:

- `{users}` one of the exercise's numbers, `{answer}` among them;
- `{cpu_s:.3f}` formatted; `{cores:words}` eight, `{cores:Words}` Eight, `{part:part}` a quarter,
  `{part:Part}` A quarter, `{part:percent}` 25;
- `{users|your}` of the reader's own run, and what stands there before it;
- `{80}` for a number that is always the same. After TeX the braces stay: `\\frac{1}{D}`.

The pages are those of the clone, or those installed with `labs`.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from labs.exercises.exercise import Exercise, NoSuchNumber, Numbers
from labs.host.project import ROOT
from labs.records.format import digits

BOOKS = (ROOT / "book", Path(sysconfig.get_path("data")) / "share" / "wall-time" / "book")

KINDS = ("exercise", "hint", "solution")
TEX = r"\\\w}^_"  # after one of these, braces are TeX's
DIRECTIVE = re.compile(
    rf"^(?P<fence>`{{3,}})\{{(?P<kind>{'|'.join(KINDS)})\}} *(?P<head>.*)\n"
    r"(?P<body>(?:.*\n)*?)(?P=fence) *$",
    re.MULTILINE,
)
FIELD = re.compile(
    rf"(?<![{TEX}])\{{(?P<name>[a-z]\w*)(?::(?P<format>[^{{}}|]*))?(?:\|(?P<else>[^{{}}]*))?\}}(?!`)"
)
CONSTANT = re.compile(rf"(?P<tex>[{TEX}]?)\{{(?P<number>\d[\d.,]*)\}}")
CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
ROLE = re.compile(r"\{(?P<role>\w+)\}`(?P<text>[^`]*)`")
NO_NUMBER = tuple(  # where digits are none, or are accounted for
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"^(`{3,}).*?^\1$",  # code
        ROLE.pattern,
        CODE.pattern,
        FIELD.pattern,
        CONSTANT.pattern,
        r"\]\([^)]*\)",  # a link's target
        r"</?[a-z][^>]*>",
        r"\b[A-Za-z]+\d+\b",  # S1, a source
        r"\^\d",  # an exponent
        r"\b[Cc]hapters? \d+",
        r"\b[Ee]xercises? \d+\.\d+",
        r"^\s*\d+\. ",  # of a list
    )
)
NUMBER = re.compile(r"\d[\d.,]*")
CELL = re.compile(r'^check\("(?P<id>[^"]*)", \.\.\.\)$', re.MULTILINE)

WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
PARTS = {
    Fraction(1, 2): "half", Fraction(1, 3): "a third", Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter", Fraction(3, 4): "three quarters", Fraction(1, 5): "a fifth",
    Fraction(1, 6): "a sixth", Fraction(1, 8): "an eighth", Fraction(3, 8): "three eighths",
    Fraction(1, 10): "a tenth", Fraction(9, 10): "nine tenths", Fraction(1): "all",
}  # fmt: skip

PLAIN = (  # TeX and its plain words
    (r"\cdot", "·"), (r"\times", "×"), (r"\le", "≤"), (r"\ge", "≥"), (r"\min", "min"),
    (r"\max", "max"), (r"\mu", "µ"), (r"\,", ""), (r"\ ", " "),
)  # fmt: skip


class NoWords(LookupError):
    """The book has no words for that exercise, or is not here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A directive of a page: an exercise's question, a hint or its solution."""

    kind: str
    id: str
    title: str  # of a question
    text: str
    line: int  # of the page, on which it begins
    after: str  # what follows, up to the next

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line of the text with its number in the page."""
        return enumerate(self.text.splitlines(), self.line + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What an exercise says, with its fields still open."""

    title: str
    question: str
    hints: tuple[str, ...]
    solution: str


def parts(page: str) -> list[Part]:
    """The directives of exercises in a page's source, in their order."""
    found = [*DIRECTIVE.finditer(page)]
    ends = (*(each.start() for each in found[1:]), len(page))
    return [_part(page, match, end) for match, end in zip(found, ends, strict=False)]


def _part(page: str, match: re.Match[str], end: int) -> Part:
    id, _, title = match["head"].strip().partition(" · ")
    line = page.count("\n", 0, match.start()) + 1
    after = page[match.end() : end]
    return Part(kind=match["kind"], id=id, title=title, text=match["body"], line=line, after=after)


def of(slug: str, id: str) -> Words:
    """The words of an exercise on the page of that name. NoWords if they are not there."""
    file = page(slug)
    found = [each for each in parts(file.read_text("utf-8")) if each.id == id]
    texts = {kind: [each.text.strip() for each in found if each.kind == kind] for kind in KINDS}
    if not texts["exercise"]:
        raise NoWords(f"{id}: {file} has no such exercise.")
    return Words(
        title=found[0].title,
        question=texts["exercise"][0],
        hints=tuple(texts["hint"]),
        solution="\n\n".join(texts["solution"]),
    )


def page(slug: str) -> Path:
    """The source of the chapter of that name, in the clone or as installed."""
    for book in BOOKS:
        for file in (*book.glob(f"{slug}.md"), *book.glob(f"[0-9]-*/{slug}.md")):
            return file
    raise NoWords(
        f"{slug}.md: the book's pages are not in {' or '.join(map(str, BOOKS))}. "
        "Install wall-time again, or use it from its clone."
    )


def fill(text: str, numbers: Numbers) -> str:
    """The text with the numbers in place of its fields. NoSuchNumber where there is none."""

    def said(match: re.Match[str]) -> str:
        try:
            return _formatted(numbers, match["name"], match["format"] or "")
        except NoSuchNumber:
            if match["else"] is None:
                raise
            return match["else"]

    return CONSTANT.sub(_constant, FIELD.sub(said, text))


def _constant(match: re.Match[str]) -> str:
    return match[0] if match["tex"] else match["number"]


def _formatted(numbers: Numbers, name: str, form: str) -> str:
    value = float(numbers[name])
    match form.lower():
        case "":
            return numbers.said(name)
        case "words":
            whole = value.is_integer() and 0 <= value < len(WORDS)
            said = WORDS[int(value)] if whole else numbers.said(name)
        case "part":
            said = PARTS.get(Fraction(value).limit_denominator(100), f"{digits(100 * value)} %")
        case "percent":
            return digits(100 * value)
        case _:
            return format(value, form)
    return said[:1].upper() + said[1:] if form[0].isupper() else said


def plain(text: str) -> str:
    """Paragraphs without marks, for whoever reads them outside the book's pages."""

    def formula(match: re.Match[str]) -> str:
        tex = match[1]
        for mark, word in PLAIN:
            tex = re.sub(re.escape(mark) + r"(?![a-z])", word, tex)
        tex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", tex)
        tex = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", tex)
        return re.sub(r"\\text\b|[{}]", "", tex)

    text = re.sub(r"\{term\}`([^`<]*?)(?: *<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$([^$]+)\$", formula, text)
    text = re.sub(r"(?<!\*)(\*{1,2})(?!\s)([^*]+)\1", r"\2", text)
    text = CODE.sub(lambda match: match["code"], text)
    return "\n\n".join(" ".join(each.split()) for each in re.split(r"\n\s*\n", text.strip()))


def bare(text: str) -> Iterator[tuple[int, str]]:
    """Numbers that are no fields, each with its line, counted from 0."""

    def away(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") or " "

    for pattern in NO_NUMBER:
        text = pattern.sub(away, text)
    for number, line in enumerate(text.split("\n")):
        for found in NUMBER.finditer(line):
            yield number, found[0].rstrip(".,")


def complaints(page: str, rows: Sequence[Exercise]) -> list[tuple[int, str]]:
    """What is wrong with the exercises on a page, by line: fields, numbers, ids, their order, and
    what a row or the words lack. `rows` are those of the page's chapter."""
    rows = [row for row in rows if not row.question]
    found = parts(page)
    asked = [each for each in found if each.kind == "exercise"]
    said = [(each.line, sentence) for each, sentence in _misplaced(asked, rows)]
    known = {row.id: row for row in rows}
    last = asked[-1].line if asked else 1
    ids = {each.id for each in asked}
    said += [(last, f"{id}: has a row but no words.") for id in known if id not in ids]
    for each in found:
        if each.id in known:
            said += _unfit(each, known[each.id])
        elif each.kind != "exercise":
            said.append((each.line, f"{each.id}: no exercise of this page has that id."))
    for each in asked:
        if each.id in known:
            own = [part for part in found if part.id == each.id]
            said += [(each.line, f"{each.id}: {what}") for what in _lacking(own, known[each.id])]
    return sorted(said)


def _misplaced(asked: list[Part], rows: Sequence[Exercise]) -> Iterator[tuple[Part, str]]:
    ids = [row.id for row in rows]
    before = -1
    for each in asked:
        if each.id not in ids:
            yield each, f"{each.id}: no row of this chapter has that id."
            continue
        place = ids.index(each.id)
        if place <= before:
            yield each, f"{each.id}: stands after {ids[before]}. Give ids once and in order."
        before = max(before, place)


def _unfit(part: Part, row: Exercise) -> Iterator[tuple[int, str]]:
    numbers = row.numbers()
    for line, text in part.lines:
        try:
            fill(text, numbers)
        except (NoSuchNumber, ValueError) as error:
            yield line, f"{row.id}: {error}"
    for number, found in bare(part.text):
        yield (
            part.line + 1 + number,
            f"{row.id}: {found} is no field. Name a number of the row, or write {{{found}}} if it "
            "is always the same.",
        )
    if (part.kind != "solution" or row.fixed) and (odd := _odd(part.text)):
        yield part.line, f"{row.id}: {odd} cannot be said in plain words."


def _odd(text: str) -> str:
    """What `plain` leaves of the page's marks."""
    text = CONSTANT.sub(_constant, FIELD.sub("0", text))
    text = re.sub(CODE, "", re.sub(r"\{term\}`[^`]*`", "", text))
    found = re.search(r"\{\w*\}|\\\w+|[$\\`]", plain(text))
    return found[0] if found else ""


def _lacking(own: list[Part], row: Exercise) -> Iterator[str]:
    text = {kind: "".join(each.text for each in own if each.kind == kind) for kind in KINDS}
    for kind in KINDS:
        if not text[kind].strip():
            yield f"has no {kind}."
    if sum(each.kind == "solution" for each in own) > 1:
        yield "has more than one solution."
    cells = [id for each in own for id in CELL.findall(each.after)]
    wanted = [] if row.answer is None else [row.id]
    if cells != wanted:
        yield f'wants {"a cell" if wanted else "no cell"} with check("{row.id}", ...).'
    if row.fixed:
        for name in _unused(row.given, text["exercise"]):
            yield f"the question does not say {{{name}}}."
        for name in _unused(["answer"], text["solution"]):
            yield f"the solution does not say {{{name}}}."


def _unused(names: Iterable[str], text: str) -> list[str]:
    used = {match["name"] for match in FIELD.finditer(text)}
    return [name for name in names if name not in used]
