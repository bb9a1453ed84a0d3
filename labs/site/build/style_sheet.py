"""One style sheet for all pages.

A page waits for its style sheets before it shows anything, and Sphinx, the theme and the extensions
bring a dozen. Here they become `_static/book.css`, in the same order.
"""

import hashlib
import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SHEET = "book.css"
LINK = re.compile(r'[ \t]*<link [^>]*href="(?P<up>[^":]*)_static/(?P<name>[^"?]+)[^"]*"[^>]*>')
ASKED = re.compile(r"@import\s+(?:url\()?[\"']?(?P<path>[^\"')]+)[\"']?\)?\s*;")
FILE = re.compile(r"url\((?P<mark>[\"']?)(?!data:|https?:|[#/])(?P<path>[^\"')]+)(?P=mark)\)")
VERSION = re.compile(rf"(_static/{re.escape(SHEET)}\?v=)\w+")


class Sheets:
    """The style sheets that the pages of a build name, and the one in their place."""

    def __init__(self) -> None:
        self.names: list[str] = []  # below _static, in order

    def joined(self, head: str) -> str:
        """Replace the several sheets in a head's lines by one. ExtensionError where they are not
        those of the page before."""
        found: list[str] = []

        def link(line: re.Match[str]) -> str:
            if 'rel="stylesheet"' not in line[0] or 'media="print"' in line[0]:
                return line[0]
            found.append(line["name"])
            if len(found) > 1:
                return ""
            return f'    <link rel="stylesheet" href="{line["up"]}_static/{SHEET}?v=new" />'

        joined = LINK.sub(link, head)
        self.names = self.names or found
        if found != self.names:
            raise ExtensionError(
                f"A page has the style sheets {', '.join(found)}, and one before it "
                f"{', '.join(self.names)}. They become one for all pages: name them in "
                "_config.yml, html_css_files."
            )
        return joined

    def write(self, app: Sphinx, problem: Exception | None) -> None:
        """The sheet; its checksum goes into the pages, so that browsers may keep it."""
        if problem is not None or app.builder.name != "html" or not self.names:
            return
        site = Path(app.outdir)
        text = "\n".join(of(site / "_static", name) for name in self.names)
        (site / "_static" / SHEET).write_text(text, "utf-8")
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        for path in site.rglob("*.html"):
            page = path.read_text("utf-8")
            if (changed := VERSION.sub(rf"\g<1>{version}", page)) != page:
                path.write_text(changed, "utf-8")


def of(static: Path, name: str) -> str:
    """Read a sheet as it must be in that folder, after those that it imports; "" without one."""
    if not (static / name).is_file():
        return ""
    text, folder = (static / name).read_text("utf-8"), posixpath.dirname(name)

    def moved(path: str) -> str:
        return posixpath.normpath(posixpath.join(folder, path))

    before = [of(static, moved(each["path"])) for each in ASKED.finditer(text)]
    own = FILE.sub(
        lambda url: f"url({url['mark']}{moved(url['path'])}{url['mark']})", ASKED.sub("", text)
    )
    return "\n".join([*before, own.removeprefix('@charset "utf-8";')])
