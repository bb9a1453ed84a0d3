"""A worked number of the book: an expression of the laws, and nothing else is evaluated. Pure."""

import ast
import inspect
import math
import operator
from collections.abc import Callable, Mapping

from labs.records.errors import Unusable
from labs.theory import laws, queueing

LAWS: dict[str, Callable[..., float]] = {  # those that take numbers only
    name: law
    for module in (laws, queueing)
    for name, law in inspect.getmembers(module, inspect.isfunction)
    if law.__module__ == module.__name__
    and not name.startswith("_")
    and {each.annotation for each in inspect.signature(law).parameters.values()} <= {float, int}
}
FUNCTIONS = LAWS | {
    "min": min,
    "max": max,
    "round": round,
    "ceil": math.ceil,
    "comb": math.comb,
    "gcd": math.gcd,
}
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,  # of floats: a tower of powers overflows instead of growing
}


def evaluate(text: str, numbers: Mapping[str, float] | None = None) -> float:
    """Evaluate `bound(N=16, D=0.05, c=4) / 2` or alike: laws and queueing models, numbers, + - * /
    **, min, max, round, ceil, comb and gcd. With `numbers`, their names too.

    >>> evaluate("bound(N=16, D=0.05, c=4) / 2"), evaluate("2 * users", {"users": 8})
    (40.0, 16)

    Raises Unusable for all else, for what a law refuses, and for what is no ordinary number.
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, numbers)
    except SyntaxError:
        raise Unusable(f"{text}: not an expression of laws and numbers.") from None
    except (ArithmeticError, TypeError, ValueError) as error:
        if isinstance(error, Unusable):
            raise
        raise Unusable(f"{text}: {error}.") from None


def _value(node: ast.expr, numbers: Mapping[str, float] | None) -> float:
    match node:
        case ast.Constant(value=number) if not isinstance(number, bool):
            value: object = number
        case ast.Name(id=name) if numbers is not None:
            value = numbers[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = -_value(operand, numbers)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            value = OPERATORS[type(sign)](_value(left, numbers), _value(right, numbers))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=named):
            if name not in FUNCTIONS:
                raise Unusable(f"{name}: no such law. There are {', '.join(sorted(LAWS))}.")
            given = {each.arg or "**": _value(each.value, numbers) for each in named}
            value = FUNCTIONS[name](*(_value(each, numbers) for each in args), **given)
        case _:
            raise Unusable(f"{ast.unparse(node)}: neither a law nor a number nor + - * / **.")
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Unusable(f"{ast.unparse(node)}: comes to {value}, which no page needs.")
    return value
