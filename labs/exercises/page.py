"""The exercises of a page, read from its source.

    ```{exercise} 3.1 · Sixteen users
    ---
    kind: compute
    level: warm-up
    minutes: 2
    given:
      cores: [4, 2]
      cpu_ms: [50, 20]
    answer: ceiling(cores, cpu_s)
    ---
    {cores} cores, {cpu_ms} ms of CPU time a request. How many requests per second?
    ```

and later ```` ```{hint} 3.1 ```` and ```` ```{solution} 3.1 ````. Between the dashes stand, as
YAML, the fields of `labs.exercises.exercise.Exercise`; `labs.exercises.words` says what words may
have.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from labs.exercises.exercise import Exercise

KINDS = ("exercise", "hint", "solution")
DIRECTIVE = re.compile(
    rf"^(?P<fence>`{{3,}})\{{(?P<kind>{'|'.join(KINDS)})\}} *(?P<head>.*)\n"
    r"(?P<body>(?:.*\n)*?)(?P=fence) *$",
    re.MULTILINE,
)
OPTIONS = re.compile(r"---\n(?P<yaml>(?:.*\n)*?)---(?:\n|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A directive of a page: an exercise's question, a hint or its solution."""

    kind: str
    id: str
    title: str  # of a question
    options: str  # of a question, as YAML
    text: str
    line: int  # of the page, on which it begins
    text_line: int  # on which its text does

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Number each line of the text as the page does."""
        return enumerate(self.text.splitlines(), self.text_line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page's exercises, and what of them can't be read."""

    parts: list[Part]  # in their order
    exercises: tuple[Exercise, ...]
    unread: list[tuple[int, str]]  # line, and what is wrong with the options that stand there


def read(source: str, name: str = "") -> Page:
    """Read the exercises in the source of the page of that name."""
    parts = [_part(source, match) for match in DIRECTIVE.finditer(source)]
    found, unread = [], []
    for part in parts:
        if part.kind == "exercise":
            try:
                found.append(_exercise(part, [each for each in parts if each.id == part.id], name))
            except msgspec.ValidationError as error:
                unread.append((part.line, f"{part.id}: {error}."))
    return Page(parts=parts, exercises=tuple(found), unread=unread)


def parted(text: str) -> tuple[str, str]:
    """Part a directive's text into its options, with their dashes, and what comes after them."""
    options = OPTIONS.match(text)
    return (options[0], text[options.end() :]) if options else ("", text)


def _part(source: str, match: re.Match[str]) -> Part:
    id, _, title = match["head"].strip().partition(" · ")
    line = source.count("\n", 0, match.start()) + 1
    options, text = parted(match["body"])
    return Part(
        kind=match["kind"],
        id=id,
        title=title,
        options=options,
        text=text,
        line=line,
        text_line=line + 1 + options.count("\n"),
    )


def _exercise(part: Part, own: list[Part], page: str) -> Exercise:
    """Make the exercise whose directives those are. ValidationError says what it lacks."""
    texts = {kind: [each.text.strip() for each in own if each.kind == kind] for kind in KINDS}
    options = _options(part.options)
    if isinstance(slips := options.get("slips"), dict):
        options["slips"] = {str(formula): hint for formula, hint in slips.items()}
    words = {
        "id": part.id,
        "title": part.title,
        "page": page,
        "question": part.text.strip(),
        "hints": texts["hint"],
        "solution": "\n\n".join(texts["solution"]),
    }
    return msgspec.convert({**options, **words}, Exercise)


def _options(block: str) -> dict[str, Any]:
    import yaml  # a reader's Python has no need of it

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first is ten times as fast
        found = yaml.load(match["yaml"] if (match := OPTIONS.match(block)) else "", loader)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line} of them" if where else ""
        raise msgspec.ValidationError(f"its options are no YAML{line}") from None
    return found if isinstance(found, dict) else {}
