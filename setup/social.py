"""Draw the book's icon, the picture that social sites show, and the README's, where they are out of
date: part of `make figures`.

    .venv/bin/python setup/social.py
"""

from __future__ import annotations

import base64
import re
import sys
from urllib.parse import quote

from figures import LIB, CannotDraw, printed
from install import ROOT

from labs.recordings import pictures
from labs.site import social_picture

WEB = ROOT / "book" / "web"
README = ROOT / ".github" / "a-lab.svg"
LAB = "many-cores"  # whose recorded figure the README shows
DONE = re.compile(r'<pre id="picture">data:image/png;base64,([^<]+)</pre>')
DRAW = """
const picture = new Image();
picture.onload = () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext('2d').drawImage(picture, 0, 0);
  const told = document.createElement('pre');
  told.id = 'picture';
  told.textContent = canvas.toDataURL('image/png');
  document.body.append(told);
};
picture.src = document.getElementById('wanted').textContent;
"""


def main() -> int:
    """Exit code 0 when they are as the code says, 1 after a sentence on standard error."""
    (WEB / "icon.svg").write_text(social_picture.icon(), "utf-8")
    README.write_text(lab(), "utf-8")
    picture = WEB / "social.png"
    try:
        if not picture.is_file() or social_picture.mark(picture) != social_picture.wanted():
            picture.write_bytes(social_picture.marked(drawn()))
    except CannotDraw as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def lab() -> str:
    """The recorded figure of a lab as a file of its own, light and dark as its reader's system."""
    drawn = pictures.path(LAB, 1, "wide").read_text("utf-8")
    colours = (
        f"<style>{_font('Sans', 'source-sans-3')}svg{{color:#1f2629;font-family:'Wall Time Sans',"
        "sans-serif}@media(prefers-color-scheme:dark){svg{color:#dfe5e6}}</style>"
    )
    return re.sub(r"(<svg[^>]*>)", lambda found: found[1] + colours, drawn, count=1)


def drawn() -> bytes:
    """The social picture as PNG. CannotDraw without a Chromium, or where it fails."""
    svg = social_picture.picture(_font("Serif", "source-serif-4") + _font("Sans", "source-sans-3"))
    address = f"data:image/svg+xml;charset=utf-8,{quote(svg)}"
    told, complaint = printed(
        "the social picture",
        f'<!doctype html><meta charset="utf-8"><body><script type="text/plain" id="wanted">'
        f"{address}</script><script>{DRAW}</script>",
    )
    found = DONE.search(told)
    if not found:
        raise CannotDraw(f"The social picture was not drawn: {complaint}")
    return base64.b64decode(found[1])


def _font(name: str, file: str) -> str:
    packed = (LIB / "fonts" / f"{file}-latin-wght-normal.woff2").read_bytes()
    data = base64.b64encode(packed).decode()
    return (
        f"@font-face {{ font-family: 'Wall Time {name}'; font-weight: 200 900; "
        f"src: url('data:font/woff2;base64,{data}') format('woff2') }}"
    )


if __name__ == "__main__":
    sys.exit(main())
