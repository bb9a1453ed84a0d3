"""HTML that a lab shows, as a test reads it."""

import re
import textwrap
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser


def check_balanced(html: str) -> None:
    """AssertionError where a tag is closed out of turn, or never."""
    tags = Tags()
    tags.feed(html)
    assert tags.open == [], f"never closed: {tags.open}"


def plain(html: str) -> str:
    """Its text, with a space for each tag and each space that does not break."""
    return re.sub(r"<[^>]+>", " ", html).replace("\u00a0", " ")


def sheet(said: Mapping[str, str]) -> str:
    """Sentences below the names of their cases, for a snapshot that can be read."""
    wrap = textwrap.TextWrapper(96, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(
        f"{name}\n{wrap.fill(plain(each) or '(nothing)')}" for name, each in said.items()
    )


def seen(html: str) -> str:
    """The text that a reader can come to see, without what a page keeps for its scripts."""
    shown = re.sub(r"(?s)<(script|template)\b.*?</\1>", "", html)
    return unescape(re.sub(r"<[^>]+>", "", shown))


class Tags(HTMLParser):
    """Those that are open, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}>: nothing is open"
        innermost = self.open.pop()
        assert innermost == tag, f"</{tag}>: <{innermost}> is still open"
