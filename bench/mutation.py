"""Small faults to make in a module's code: one pattern each, as somebody's slip would be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

ORDER = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITE = {ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OPPOSITE |= {other: each for each, other in OPPOSITE.items()}
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
ARITHMETIC |= {ast.Pow: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv}
NAMES = {"min": "max", "all": "any", "floor": "ceil", "minimum": "maximum"}
NAMES |= {"max": "min", "any": "all", "ceil": "floor", "maximum": "minimum"}

UNRECKONED = ("decorator_list", "annotation", "returns")  # parts of the code


@dataclass(frozen=True, slots=True)
class Fault:
    """One change, at one place."""

    pattern: str
    line: int
    was: str
    now: str
    place: int  # of the node, of all
    kind: int  # of what could stand there


def faults(source: str) -> Iterator[Fault]:
    """All that there can be, but for annotations and decorators."""
    nodes = list(ast.walk(ast.parse(source)))
    parts = (getattr(node, name, None) or [] for node in nodes for name in UNRECKONED)
    tops = (top for part in parts for top in (part if isinstance(part, list) else [part]))
    unreckoned = {node for top in tops for node in ast.walk(top)}
    for place, node in enumerate(nodes):
        for kind, (pattern, other) in enumerate(_others(node)):
            if node not in unreckoned:
                was, now = ast.unparse(node), ast.unparse(other)
                yield Fault(pattern, getattr(node, "lineno", 0), was, now, place, kind)


def made(source: str, fault: Fault) -> ast.Module:
    """The module with it."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[fault.place]
    _Swap(node, list(_others(node))[fault.kind][1]).generic_visit(tree)
    return ast.fix_missing_locations(tree)


class _Swap(ast.NodeTransformer):
    """Puts one node in another's place."""

    def __init__(self, node: ast.AST, other: ast.AST) -> None:
        self.node, self.other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.other, node) if node is self.node else super().visit(node)


def _others(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What could stand there by mistake, and the name of the mistake."""
    match node:
        case ast.Compare(left=left, ops=[sign, *more], comparators=right):
            for known, name in ((ORDER, "boundary"), (OPPOSITE, "comparison")):
                if type(sign) in known:
                    yield name, ast.Compare(left, [known[type(sign)](), *more], right)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(sign)](), right)
        case ast.AugAssign(target=target, op=sign, value=value) if type(sign) in ARITHMETIC:
            yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(sign)](), value)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield "sign or not", operand
        case ast.BoolOp(op=sign, values=values):
            yield (
                "and, or",
                ast.BoolOp(ast.Or() if isinstance(sign, ast.And) else ast.And(), values),
            )
        case ast.If(test=test, body=body, orelse=orelse):
            yield "condition", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "condition", ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Constant(value=float() as value):
            yield "constant", ast.Constant(value * 2 or 1.0)
            yield "constant", ast.Constant(value / 2 or 0.5)
        case ast.Return(value=ast.expr() as value):
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield "nothing returned", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield "left out", ast.Expr(ast.Constant(None))
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield "another function", ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in NAMES:
            yield "another function", ast.Attribute(value, NAMES[name], ast.Load())
        case ast.Break():
            yield "loop", ast.Continue()
        case ast.Continue():
            yield "loop", ast.Break()
