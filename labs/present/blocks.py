"""Blocks of a page around a run: sentences, tables and figures, as data. Whoever shows them makes
HTML of them at last; whoever needs the words takes them from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup

from labs.present.markup import each_in
from labs.present.tables import Table

SPOKEN = '<div role="status">{}</div>'  # read out when there is time
DATA = '<div class="wt-data">{}</div>'
MORE = '<details class="wt-data"><summary>More about this run</summary>{}</details>'
AT_A_GLANCE = 40  # words of a verdict
VERDICT = '<div class="wt-verdict">{}</div>'


@dataclass(frozen=True, slots=True)
class Said:
    """Sentences, a paragraph each; a label stands before each in bold."""

    sentences: Sequence[str]
    label: str = ""

    @property
    def text(self) -> list[str]:
        """The paragraphs without their looks."""
        return [f"{self.label}. {each}" if self.label else each for each in self.sentences]

    def html(self) -> Markup:
        label = each_in("<b>{}.</b> ", [self.label] if self.label else [])
        return Markup("").join(Markup("<p>{}{}</p>").format(label, s) for s in self.sentences)


class Drawn(NamedTuple):
    """A figure, what it shows in words, and the words under it."""

    figure: dict[str, Any]  # plotly's
    alt: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Within:
    """Blocks inside an element: HTML with one place for them."""

    element: str
    blocks: Sequence[Block]


Block: TypeAlias = Said | Table | Drawn | Within | Markup
Draw = Callable[[Drawn], Markup]


def brief(said: Iterable[Said], rest: Sequence[Block] = ()) -> list[Block]:
    """A verdict that is read at a glance: its first findings, a sentence each, and one at least.
    What remains folds, and `rest` with it."""
    first: list[Block] = []
    more: list[Block] = []
    words = 0
    for each in (Said([finding], part.label) for part in said for finding in part.sentences):
        words += len(" ".join(each.text).split())
        (first if not first or (words <= AT_A_GLANCE and not more) else more).append(each)
    folded = [*more, *rest]
    return [*first, *([Within(MORE, folded)] if folded else [])]


def no_figure(drawn: Drawn) -> Markup:
    """Refuse a figure, where none can be shown between the words."""
    raise TypeError(f"No figure can stand here: {drawn.alt}")


def html(blocks: Iterable[Block], draw: Draw = no_figure) -> Markup:
    """The blocks one after the other; `draw` makes HTML of a figure."""

    def made(block: Block) -> Markup:
        match block:
            case Markup():
                return block
            case Drawn():
                return draw(block)
            case Within(element, inside):
                return Markup(element).format(html(inside, draw))
        return block.html()

    return Markup("").join(map(made, blocks))


def sentences(blocks: Iterable[Block]) -> list[str]:
    """List all that the blocks say in paragraphs of their own."""
    return [text for block in _leaves(blocks) if isinstance(block, Said) for text in block.text]


def figures(blocks: Iterable[Block]) -> list[Drawn]:
    """List the figures among the blocks, in the order in which a page shows them."""
    return [block for block in _leaves(blocks) if isinstance(block, Drawn)]


def _leaves(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Within):
            yield from _leaves(block.blocks)
        else:
            yield block
