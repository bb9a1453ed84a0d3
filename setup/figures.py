"""Draw the pictures of the recorded figures that have changed, and of all scenes: `make figures`.

    .venv/bin/python setup/figures.py [LAB ...]

Those of figures stand beside the recordings and in the pages, one of them in the README, too; those
of scenes in book/scenes and in the pages. A Chromium draws all of them at once, with the page's own
plotly and script (setup/picture.js, built from book/web/src/picture.ts); one that has not changed
stays as it is. With names of labs only their figures are drawn.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from browser import FLAGS, found
from install import ROOT

from labs.recordings import pictures
from labs.recordings.drawings import Drawing, drawings
from labs.recordings.pictures import WIDTHS
from labs.recordings.store import BOOK
from labs.records.errors import BadRecording
from labs.site.roles.scenes import FOLDER, Still, stills

LIB = ROOT / "book" / "web" / "lib"
FONTS = ("latin", "greek")
PATIENCE_S = 110.0  # all hundred pictures take ten seconds on a quiet machine
VIRTUAL_MS = 600_000  # of the browser's own clock, which does not run while it draws
DONE = re.compile(r'<pre id="pictures">(.*?)</pre>', re.DOTALL)
FAILED = re.compile(r'<pre id="problem">(.*?)</pre>', re.DOTALL)


README = ROOT / ".github" / "a-lab.svg"
LAB = "many-cores"  # whose recorded figure the README shows


class CannotDraw(Exception):
    """Says in one sentence what is in the way and what to do."""


def main(labs: Sequence[str]) -> int:
    """Exit code 0 when every figure has its picture, 1 after a sentence on standard error."""
    os.environ["LABS_MODE"] = "replay"
    try:
        every = drawings(labs)
        wanted = [drawing for drawing in every if drawing.stale]
        scenes = [] if labs else stills(BOOK)
        made = drawn(wanted, scenes) if wanted or scenes else {}
        for drawing in wanted:
            for width in WIDTHS:
                drawing.path(width).write_text(made[f"{drawing.mark} {width}"], "utf-8")
        if not labs:
            changed = keep(BOOK, scenes, made)
            belong = {drawing.path(width) for drawing in every for width in WIDTHS}
            for path in set(pictures.files()) - belong:
                path.unlink()  # of a figure that is no more
            README.write_text(standing_alone(pictures.path(LAB, 1, "wide").read_text("utf-8")))
    except (CannotDraw, BadRecording) as problem:
        print(problem, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in pictures.files())
    print(
        f"{len(wanted)} of {len(every)} recorded figures drawn anew; all pictures together are "
        f"{size / 1000:.0f} kB."
    )
    if not labs:
        print(f"{changed} of {len(scenes)} scenes have another picture.")
    return 0


def keep(book: Path, scenes: Sequence[Still], made: Mapping[str, str]) -> int:
    """Put the pictures of a book's scenes in their place, and remove all others there; how many
    are not what they were."""
    folder = book / FOLDER
    folder.mkdir(exist_ok=True)
    before = {path: path.read_text("utf-8") for path in folder.glob("*.svg")}
    now = {scene.path(book): made[scene.mark] for scene in scenes}
    for path in before.keys() - now.keys():
        path.unlink()
    changed = {path: picture for path, picture in now.items() if before.get(path) != picture}
    for path, picture in changed.items():
        path.write_text(picture, "utf-8")
    return len(changed)


def drawn(wanted: Sequence[Drawing], scenes: Sequence[Still]) -> dict[str, str]:
    """The SVG of each figure by its mark and width, and of each scene by its mark. CannotDraw
    without a Chromium, or where it fails."""
    told, complaint = printed("the pictures of figures and scenes", _page(wanted, scenes))
    if done := DONE.search(told):
        made: dict[str, str] = json.loads(unquote(done[1]))
        return made
    problem = FAILED.search(told)
    raise CannotDraw(f"They were not drawn: {problem[1] if problem else complaint}")


def printed(what: str, html: str) -> tuple[str, str]:
    """Let a Chromium print a page: as HTML, and what it complained of. CannotDraw without one, or
    when it takes too long; what: what it is to draw, in words."""
    path = found()
    if path is None:
        raise CannotDraw(
            f"A Chromium or Chrome draws {what} and there is none here: install one (on Debian "
            "`apt install chromium`), or name yours in BROWSER_PATH, and run `make figures`."
        )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(html, "utf-8")
        command = [path, "--headless", "--hide-scrollbars", *FLAGS]
        command += [f"--user-data-dir={folder}/profile"]
        command += [f"--virtual-time-budget={VIRTUAL_MS}", "--dump-dom", page.as_uri()]
        try:
            run = subprocess.run(command, capture_output=True, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise CannotDraw(
                f"{path} took more than {PATIENCE_S:.0f} s for {what}: run `make figures` again "
                "when the machine has less to do."
            ) from None
    said = run.stderr.decode("utf-8", "replace").strip()[-500:]
    return run.stdout.decode("utf-8", "replace"), said or "it said nothing"


def standing_alone(picture: str) -> str:
    """Make a picture a file of its own, light and dark as its reader's system, with letters."""
    packed = (LIB / "fonts" / "source-sans-3-latin-wght-normal.woff2").read_bytes()
    style = (
        "<style>@font-face { font-family: 'Wall Time Sans'; font-weight: 200 900; src: url('data:"
        f"font/woff2;base64,{base64.b64encode(packed).decode()}') format('woff2') }}svg{{color:"
        "#1f2629;font-family:'Wall Time Sans',sans-serif}@media(prefers-color-scheme:dark)"
        "{svg{color:#dfe5e6}}</style>"
    )
    return re.sub(r"(<svg[^>]*>)", lambda svg: svg[1] + style, picture, count=1)


def _page(wanted: Sequence[Drawing], scenes: Sequence[Still]) -> str:
    """Make a page that draws them, as an article of the book, in a colour that no figure has."""
    asked = {
        "figures": [{"mark": each.mark, "figure": each.figure} for each in wanted],
        "scenes": [
            {"mark": each.mark, "name": each.name, "options": dict(each.options)} for each in scenes
        ],
    }
    data = json.dumps(asked).replace("<", "\\u003c")
    fonts = "".join(_font(name) for name in FONTS)
    scripts = (LIB / "plotly.js", ROOT / "setup" / "picture.js")
    return (
        f'<!doctype html><meta charset="utf-8"><style>{fonts}'
        'body{background:#fff;color:rgb(1,2,3);font-family:"Wall Time Sans",sans-serif;margin:0}'
        f'</style><script type="application/json" id="wanted">{data}</script><body>'
        + "".join(f"<script>{script.read_text('utf-8')}</script>" for script in scripts)
    )


def _font(name: str) -> str:
    file = LIB / "fonts" / f"source-sans-3-{name}-wght-normal.woff2"
    packed = base64.b64encode(file.read_bytes()).decode()
    letters = "unicode-range:U+0370-03FF;" if name == "greek" else ""
    return (
        '@font-face{font-family:"Wall Time Sans";font-weight:200 900;'
        f'{letters}src:url("data:font/woff2;base64,{packed}") format("woff2")}}'
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
