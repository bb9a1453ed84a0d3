"""HTML around text. MarkupSafe escapes whatever is put in."""

import json
import re
from collections.abc import Collection, Iterable, Sequence

from markupsafe import Markup

REST = "wt-rest"  # a column that is shown when its table is unfolded
NUMBER = re.compile(r"(more than |[−–-])?\d|–$")  # what a cell begins with that is no word


def alarm(sentence: str, tag: str = "div") -> Markup:
    """Say what is wrong, read out at once; the lines after the first are somebody's last words."""
    first, _, rest = sentence.partition("\n")
    more = Markup("<pre>{}</pre>").format(rest) if rest else ""
    return Markup('<{0} class="wt-problem" role="alert">{1}{2}</{0}>').format(tag, first, more)


def status(words: str, tag: str = "span") -> Markup:
    """Say what goes on, read out when there is time."""
    return Markup('<{0} role="status">{1}</{0}>').format(tag, words)


def spoken(sentences: Iterable[str]) -> Markup:
    """Write a verdict, a paragraph for each sentence, read out when there is time."""
    return Markup('<div role="status">{}</div>').format(paragraphs(sentences))


def each_in(pattern: str, texts: Iterable[object]) -> Markup:
    """Put each text into a pattern, one after the other: `<li>{}</li>`."""
    return Markup("").join(Markup(pattern).format(text) for text in texts)


def paragraphs(sentences: Iterable[str]) -> Markup:
    """Put each text into a paragraph."""
    return each_in("<p>{}</p>", sentences)


def script_data(data: object, **attributes: str) -> Markup:
    """Data for a page's script, as JSON in an element with these attributes (`class_` for class).
    Within such an element only "<" can do harm, as in "</script>"."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    told = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_"), value) for name, value in attributes.items()
    )
    return Markup('<script type="application/json"{}>{}</script>').format(told, Markup(text))


def wide_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    main: Collection[str] = (),
    reason: str = "",
    note: str = "",
) -> Markup:
    """A table of more columns than a page is wide: the `main` ones are shown, and the others
    when it is unfolded, with the `note` on them; all of them, where none is main. What stands in
    the column called `reason` is set below its row, as wide as the table, and not in it."""
    why = head.index(reason) if reason and reason in head else None
    there = [place for place in range(len(head)) if place != why]
    whys = ["" if why is None else row[why] for row in rows]
    looks = {place: _look(head[place], place, rows, main) for place in there}

    def cells(texts: Sequence[str], pattern: str, nameless: str = "") -> Markup:
        return Markup("").join(
            Markup(pattern if texts[place] or not nameless else nameless).format(
                looks[place], texts[place]
            )
            for place in there
        )

    body = Markup("")
    for row, told in zip(rows, whys, strict=True):
        body += Markup("<tr>{}</tr>").format(cells(row, "<td{}>{}</td>"))
        if told:
            below = '<tr class="wt-reason"><td colspan="{}"><div>{}</div></td></tr>'
            body += Markup(below).format(len(there), told)
    more = Markup("")
    if any(REST in look for look in looks.values()):
        unfold = '<details class="wt-more"><summary>All {} columns</summary>{}</details>'
        more = Markup(unfold).format(len(there), paragraphs([note] if note else []))
    page = (
        '{}<div class="wt-scroll"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    )
    top = cells(head, '<th scope="col"{}>{}</th>', nameless="<td{}>{}</td>")
    return Markup('<div class="wt-table">{}</div>').format(Markup(page).format(more, top, body))


def _look(name: str, place: int, rows: Sequence[Sequence[str]], main: Collection[str]) -> Markup:
    """The class of a column's cells: whether it is folded away, and whether it holds words."""
    texts = [row[place] for row in rows if row[place]]
    classes = [REST] * bool(main and name not in main)
    classes += ["wt-words"] * any(not NUMBER.match(text) for text in texts)
    return Markup(' class="{}"').format(" ".join(classes)) if classes else Markup("")
