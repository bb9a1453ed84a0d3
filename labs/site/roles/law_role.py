r"""Sphinx's role for worked numbers: {law}`bound(N=16, D=0.05, c=4)`, from the laws of the book.

An expression (see `labs.theory.expression`), then perhaps a unit: s, req/s, or ms, µs and % for
which seconds and fractions are scaled. Said to four digits at most, or as asked for:
{law}`response_time(N=100, X=25200) ms to 3 digits`, {law}`users(X=5.04, R=0.198) to 2 places`.
In a displayed formula, which is then the directive {law}, it is \law{…}, without a unit.
"""

import re

from docutils import nodes
from sphinx.directives.patches import MathDirective

from labs.records import format
from labs.records.errors import Unusable
from labs.site.roles.number_role import NumberRole
from labs.theory.expression import evaluate

DIGITS = 4
UNMARKED = 10_000  # below it no thousands mark: 1280, but 12,800

UNITS = {"s": 1, "req/s": 1, "ms": 1e3, "µs": 1e6, "%": 1e2}
FORM = re.compile(
    r"(?P<expression>.+?)(?: (?P<unit>[^\s\d()]+))?"
    r"(?: to (?P<count>[1-9]) (?P<rounded>digit|place)s?)?"
)
IN_FORMULA = re.compile(r"\\law\{([^{}]*)\}")


class LawRole(NumberRole):
    """One worked number, by a law."""

    refused = (Unusable,)

    def number(self) -> str:
        return worked(self.text)


class LawDirective(MathDirective):
    """A displayed formula with worked numbers in it."""

    def run(self) -> list[nodes.Node]:
        try:
            for at, line in enumerate(self.content):
                self.content[at] = IN_FORMULA.sub(_in_formula, line)
        except Unusable as error:
            report = self.state.document.reporter
            return [report.warning(f"{{law}}: {error}", line=self.lineno)]
        return super().run()


def worked(text: str) -> str:
    """Say what a page has for `expression`, `expression ms` or `expression % to 2 digits`.

    >>> worked("bound(N=16, D=0.05, c=4)"), worked("response_time_bound(N=8, D=0.05, c=4) ms")
    ('80', '100\\xa0ms')

    Raises Unusable.
    """
    found = FORM.fullmatch(" ".join(text.split()))
    if found is None:
        raise Unusable(f"{text!r}: an expression, as in bound(N=16, D=0.05, c=4) ms.")
    unit = found["unit"]
    if unit and unit not in UNITS:
        raise Unusable(f"{unit}: no unit of worked numbers. There are {', '.join(UNITS)}.")
    value = evaluate(found["expression"]) * UNITS.get(unit, 1)
    if found["rounded"] == "place":
        number = f"{value:,.{found['count']}f}"
    else:
        number = format.digits(value, int(found["count"] or DIGITS))
    if abs(value) < UNMARKED:
        number = number.replace(",", "")
    return f"{number}{format.NARROW}{unit}" if unit else number


def _in_formula(found: re.Match[str]) -> str:
    number = worked(found[1])
    if format.NARROW in number:
        raise Unusable(f"{found[0]}: TeX sets the unit; scale the number, as in 1000 * demand(…).")
    return number.replace(",", r"\,")
