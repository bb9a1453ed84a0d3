"""The service worker, by which pages of a built site that were read once can be read without a
network.

It stands beside the first page, for a worker has only what is below it. Its build is the checksum
of the whole site: a browser takes another worker when a byte of it has changed.
book/web/src/offline.ts asks for it, on a website and nowhere else.
"""

import hashlib
from pathlib import Path

from sphinx.application import Sphinx

NAME = "service-worker.js"
TEMPLATE = Path(__file__).with_name("templates") / NAME
BUILD = "{{ build }}"


def build(site: Path) -> str:
    """Name all files of the site in twelve letters, whenever they were written."""
    found = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file() and path != site / NAME and not path.name.startswith("."):
            found.update(str(path.relative_to(site)).encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


def write(app: Sphinx, problem: Exception | None) -> None:
    """Put the service worker into the site."""
    if problem is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    script = TEMPLATE.read_text("utf-8").replace(BUILD, build(site))
    (site / NAME).write_text(script, "utf-8")
