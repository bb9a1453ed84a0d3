"""Where this project lies: below one folder in a clone, and in two places where it is installed.

A wheel has `labs` and `workloads` among the packages; pages, recordings and built site go into
`share/wall-time` of the same installation. Nothing of it is in anybody's home, unless that is where
it was installed: a JupyterHub mounts a volume over the home that its image had.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # has `labs` and `workloads`, to import them from
CLONED = (ROOT / "book" / "your-machine.md").is_file()


def _shared() -> Path:
    """`share/wall-time` of the installation: beside its `lib`, or among the packages where they
    were installed into a folder of their own (`pip install --target`)."""
    installed = [*ROOT.parents][2:3]  # the one of lib/python3.11/site-packages
    places = [folder / "share" / "wall-time" for folder in (*installed, ROOT)]
    return next((place for place in places if place.is_dir()), places[0])


BOOK = ROOT / "book" if CLONED else _shared() / "book"  # pages and recordings
SITE = ROOT / "_build" / "html" if CLONED else _shared() / "site"  # built of them
