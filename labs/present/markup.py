"""HTML around text. MarkupSafe escapes whatever is put in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup


def alarm(sentence: str, tag: str = "div") -> Markup:
    """What is wrong, read out at once; the lines after the first are somebody's last words."""
    first, _, rest = sentence.partition("\n")
    more = Markup("<pre>{}</pre>").format(rest) if rest else ""
    return Markup('<{0} class="wt-problem" role="alert">{1}{2}</{0}>').format(tag, first, more)


def status(words: str, tag: str = "span") -> Markup:
    """What goes on, read out when there is time."""
    return Markup('<{0} role="status">{1}</{0}>').format(tag, words)


def spoken(sentences: Iterable[str]) -> Markup:
    """A verdict, a paragraph for each sentence, read out when there is time."""
    return Markup('<div role="status">{}</div>').format(paragraphs(sentences))


def each_in(pattern: str, texts: Iterable[object]) -> Markup:
    """The pattern for each text, one after the other: `<li>{}</li>`."""
    return Markup("").join(Markup(pattern).format(text) for text in texts)


def paragraphs(sentences: Iterable[str]) -> Markup:
    """A paragraph for each."""
    return each_in("<p>{}</p>", sentences)


def labelled(said: Iterable[tuple[str, str]]) -> Markup:
    """A paragraph for each pair of a label, which may be empty, and what is said of it."""
    return Markup("").join(
        Markup("<p>{}{}</p>").format(each_in("<b>{}.</b> ", [label] if label else []), sentences)
        for label, sentences in said
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table of text."""
    top = each_in('<th scope="col">{}</th>', head)
    body = each_in("<tr>{}</tr>", (each_in("<td>{}</td>", row) for row in rows))
    page = "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
    return Markup(page).format(top, body)
