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

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from labs.exercises.exercise import NoSuchNumber, Numbers
from labs.host.project import BOOK
from labs.records.format import digits

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

WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
PARTS = {
    Fraction(1, 2): "half", Fraction(1, 3): "a third", Fraction(2, 3): "two thirds",
    Fraction(1, 4): "a quarter", Fraction(3, 4): "three quarters", Fraction(1, 5): "a fifth",
    Fraction(1, 6): "a sixth", Fraction(1, 8): "an eighth", Fraction(3, 8): "three eighths",
    Fraction(1, 10): "a tenth", Fraction(9, 10): "nine tenths", Fraction(1): "all",
}  # fmt: skip

PLAIN = (  # TeX and its plain words
    (r"\cdot", "·"), (r"\times", "×"), (r"\le", "≤"), (r"\ge", "≥"), (r"\min", "min"),
    (r"\max", "max"), (r"\mu", "µ"), (r"\lambda", "λ"), (r"\,", ""), (r"\ ", " "),
)  # fmt: skip


class NoWords(LookupError):
    """The book has no words for that exercise, or is not here."""


def place(id: str) -> str:
    """The name of the place in its page where an exercise's question stands.

    >>> place("3.1")
    'exercise-3-1'
    """
    return f"exercise-{id.replace('.', '-')}"


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
    for file in (*BOOK.glob(f"{slug}.md"), *BOOK.glob(f"[0-9]-*/{slug}.md")):
        return file
    raise NoWords(
        f"{slug}.md: the book's pages are not in {BOOK}. "
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

    return CONSTANT.sub(constant, FIELD.sub(said, text))


def constant(match: re.Match[str]) -> str:
    """A number that is always the same, without its braces; braces after TeX are TeX's."""
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
