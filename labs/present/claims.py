"""A claim: what a sentence says of a recording, so that it can be checked. Pure.

    demand(256) < demand(4) / 3                              in this order (< <= > >= =)
    4.5 <= throughput(200) / throughput(20) <= 5.5           a ratio
    service_time(N) within 5 % of 200 ms with N = 8, 64      each of them

and several joined by `and`. Quantities are named as in {measured}, `lab/part: name(…)` for those of
another lab or of a part; laws of the book are called by the names of what they take, as in
`bound(N=8, D=demand(), c=cores)`. Between them stand + - * / and **, and numbers with a unit (%,
µs, ms, s, KiB, MiB, req/s). `N` may stand in a part's label, too.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from labs.present.quantities import NoSuchNumber, Quantity
from labs.records.errors import Unusable
from labs.records.format import digits
from labs.theory.expression import LAWS, OPERATORS

Quote = Callable[[str, str, Sequence[object]], Quantity]  # of a lab ("": the page's), by name

KINDS = "a < b, or a within 5 % of b, perhaps with N = 1, 2"

EACH = re.compile(r"(?P<said>.+) with N = (?P<values>.+)")
WITHIN = re.compile(r"(?P<of>.+) within (?P<percent>[\d.]+) % of (?P<other>.+)")
N = re.compile(r"(?<![\w\"])N(?![\w\"]| ?=)")
LAB = re.compile(r"(?P<lab>[a-z][a-z0-9-]*(?:/[^:<>=()\"]+)?): (?=[a-z])")
NUMBER = re.compile(r"(?<![\w.\"])(?P<number>\d[\d_.]*) ?(?P<unit>%|µs|ms|s|KiB|MiB|req/s)(?!\w)")
UNITS = {"%": 1e-2, "µs": 1e-6, "ms": 1e-3, "s": 1, "KiB": 2**10, "MiB": 2**20, "req/s": 1}
ORDER = re.compile(r" (<=|>=|<|>|=) ")
ORDERS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


def contradiction(claim: str, quote: Quote) -> str:
    """Tell what a recording says against a claim, with its numbers; "" if it says the same.

    Raises Unusable for what is no claim, NoSuchNumber for a quantity that was not recorded.
    """
    claim = " ".join(claim.split())
    each = EACH.fullmatch(claim)
    clauses = (each["said"] if each else claim).split(" and ")
    values = each["values"].split(", ") if each else []
    if bool(values) != any(map(N.search, clauses)):
        raise Unusable(f"{claim!r}: `N` in a claim and `with N = 1, 2` go together.")
    try:
        return next(filter(None, (_against(each, values, quote) for each in clauses)), "")
    except (ArithmeticError, TypeError, ValueError) as error:
        if isinstance(error, Unusable):
            raise
        raise Unusable(f"{claim!r}: {error}.") from None


def _against(said: str, values: Sequence[str], quote: Quote) -> str:
    """Tell what speaks against a clause: at all its levels, or at the first for which it fails."""
    if not N.search(said):
        clause = _Clause(quote)
        return "" if clause.holds(said) else clause.told(said)
    return next(filter(None, (_against(N.sub(each, said), (), quote) for each in values)), "")


@dataclass(slots=True)
class _Clause:
    """One comparison, and the numbers that were looked up or reckoned for it."""

    quote: Quote
    found: dict[str, str] = field(default_factory=dict)  # by its text

    def told(self, said: str) -> str:
        """Say that the clause is not so, and what is instead."""
        numbers = "; ".join(f"{text} is {value}" for text, value in self.found.items())
        return f"the recording does not say that {said}: {numbers}."

    def holds(self, said: str) -> bool:
        within = WITHIN.fullmatch(said)
        if within:
            this, that = self._number(within["of"]), self._number(within["other"])
            return abs(this - that) <= float(within["percent"]) / 100 * abs(that)
        sides = ORDER.split(said)
        if len(sides) < 3:
            raise Unusable(f"{said!r}: no claim. Say {KINDS}.")
        numbers = [self._number(each) for each in sides[::2]]
        orders = [ORDERS[each] for each in sides[1::2]]
        return all(order(*both) for order, both in zip(orders, pairwise(numbers), strict=True))

    def _number(self, text: str) -> float:
        node = _parsed(text)
        value = self._value(node)
        if isinstance(node, (ast.BinOp, ast.Call)) and text not in self.found:
            self.found[text] = digits(value, 4) if math.isfinite(value) else "no number"
        return value

    def _value(self, node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return OPERATORS[type(sign)](self._value(left), self._value(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[_, *_] as named):
                if name not in LAWS:
                    raise Unusable(f"{name}: no such law. There are {', '.join(sorted(LAWS))}.")
                given = {each.arg or "**": self._value(each.value) for each in named}
                return LAWS[name](*map(self._value, args), **given)
        lab, name, arguments = _named(node)
        quantity = self.quote(lab, name, arguments)
        told = ", ".join(f'"{each}"' if isinstance(each, str) else str(each) for each in arguments)
        text = (f"{lab}: " if lab else "") + name + (f"({told})" if told else "")
        self.found[text] = _in_words(quantity)
        return float(quantity)


def _in_words(quantity: Quantity) -> str:
    """Name a quantity as the page does; with its value where the words hide it."""
    number = digits(quantity.value, 4) if math.isfinite(quantity.value) else "no number"
    return str(quantity) if re.match(r"[\d>−-]", str(quantity)) else f"{quantity} ({number})"


def _parsed(text: str) -> ast.expr:
    """Parse a claim, `lab/part: name(…)` as an attribute of its lab, and numbers without their
    units."""

    def bare(found: re.Match[str]) -> str:
        return f"({found['number']} * {UNITS[found['unit']]!r})"

    text = LAB.sub(lambda found: f"_[{found['lab']!r}].", text)
    # What stands in quotes is a name, whatever it looks like.
    pieces = re.split(r"(\"[^\"]*\"|'[^']*')", text)
    text = "".join(NUMBER.sub(bare, piece) if piece[:1] not in "\"'" else piece for piece in pieces)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise Unusable(f"{text!r}: no claim. Say {KINDS}.") from None


def quantity(text: str) -> tuple[str, str, list[object]]:
    """The lab ("" for the page's own), name and arguments of `name`, `name(1, "page")` or
    `lab/part: name(8)`. Unusable for what is no quantity, NoSuchNumber for what it can't be given.
    """
    return _named(_parsed(text))


def _named(node: ast.expr) -> tuple[str, str, list[object]]:
    """Read a quantity's lab ("" for the page's own), name, and what is given to it."""
    given: list[object] = []
    shown = ast.unparse(node)
    if isinstance(node, ast.Call):
        if node.keywords or not all(isinstance(each, ast.Constant) for each in node.args):
            raise NoSuchNumber(f"{shown}: give plain numbers or names, as in throughput(8).")
        given = [each.value for each in node.args if isinstance(each, ast.Constant)]
        node = node.func
    match node:
        case ast.Name(id=name):
            return "", name, given
        case ast.Attribute(
            value=ast.Subscript(value=ast.Name(id="_"), slice=ast.Constant(value=str(lab))),
            attr=name,
        ):
            return lab, name, given
    raise Unusable(f"{shown}: neither a quantity nor a law nor a number.")


TOGETHER = re.compile(r"(?P<words>.*\S)\s*\[(?P<claim>[^\[\]]+)\]\s*", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """The words and the claim of `words [claim]`. Unusable if they are not both there."""
    found = TOGETHER.fullmatch(text)
    if found is None:
        raise Unusable("words and their claim: say it fell to a third [demand(8) < demand(1) / 3].")
    return found["words"], found["claim"]
