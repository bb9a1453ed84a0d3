"""HTML around text. MarkupSafe escapes whatever is put in."""

from __future__ import annotations

from collections.abc import Iterable

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
    paragraphs = Markup("").join(Markup("<p>{}</p>").format(each) for each in sentences)
    return Markup('<div role="status">{}</div>').format(paragraphs)
