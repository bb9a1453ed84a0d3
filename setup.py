"""What a wheel carries besides its packages: the book's pages, its recordings, and the built site.

`labs.host.project` finds them again. All else about the project is in pyproject.toml.
"""

from collections import defaultdict
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

ROOT = Path(__file__).parent
SHARE = Path("share/wall-time")  # of the installation
SITE = ROOT / "_build" / "html"
PAGES = (
    *("book/*.md", "book/*/*.md", "book/web/lib/plotly.js"),
    *("book/recordings/*/*.json", "book/recordings/*/*.svg"),
)


class WheelWithBook(bdist_wheel):
    """A wheel, unless the site is missing, without which nothing could be read."""

    def run(self):
        if not (SITE / "index.html").is_file():
            raise SystemExit(
                "The wheel carries the built book, and there is none here: build the wheel with "
                "`make wheel`, which builds the book first, or install with `pip install -e .`."
            )
        super().run()


def data_files():
    """Names relative to this folder, by the folder of the installation they go into."""
    found = defaultdict(list)
    for pattern in PAGES:
        for file in sorted(ROOT.glob(pattern)):
            name = file.relative_to(ROOT)
            found[str(SHARE / name.parent)].append(str(name))
    for file in sorted(SITE.rglob("*")):
        if file.is_file():
            place = SHARE / "site" / file.relative_to(SITE).parent
            found[str(place)].append(str(file.relative_to(ROOT)))
    # These enable the extension that serves the book, and open chapters as notebooks in JupyterLab.
    # An editable install leaves them out: `labs read` and binder/start say where they are.
    for file in sorted(ROOT.glob("labs/site/live/etc/jupyter/*/*.json")):
        name = file.relative_to(ROOT)
        found[str(name.parent.relative_to("labs/site/live"))].append(str(name))
    return sorted(found.items())


setup(cmdclass={"bdist_wheel": WheelWithBook}, data_files=data_files())
