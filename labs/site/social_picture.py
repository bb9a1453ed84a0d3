"""The book's icon, and the picture that stands for the book where somebody passes its address on.

Both are made by code. Social sites take no SVG: setup/social.py has a Chromium turn the picture
into `book/web/social.png`, which keeps a mark of what it was drawn from.
"""

import hashlib
import struct
import zlib
from pathlib import Path

from markupsafe import Markup

from labs.site.scene_numbers import numbers
from labs.site.shop_picture import picture as shop

WIDTH, HEIGHT = 1200, 630  # pixels, as social sites show it
WORDS = (
    "Wall Time. Can this page do a thousand requests a second? A drawing of a server: requests in "
    "line, eight workers, each taken by a request that waits, and two cores with nothing to do."
)
DARK, ACCENT, LIGHT = "#0f2b2c", "#6cc5bf", "#f4f8f7"
SHOP = {"cpu": 0.02, "wait": 1.0, "cores": 2.0, "workers": 8.0, "places": 12.0}
HELD = 30.0  # requests a second, as on the first page
PNG, KEY = b"\x89PNG\r\n\x1a\n", b"wall-time"

CLOCK = Markup(
    '<circle cx="32" cy="32" r="21" fill="none" stroke="{0}" stroke-width="5"/>'
    '<path d="M32 32V17A15 15 0 0 1 44.99 39.5Z" fill="{0}"/>'
)


def icon() -> str:
    """A clock on a wall, a third of whose time a core was at work. SVG."""
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
            '<rect width="64" height="64" rx="14" fill="#0b6b6b"/>{}</svg>\n'
        ).format(CLOCK.format("#fff"))
    )


def picture(fonts: str = "") -> str:
    """The social picture as SVG; `fonts` are @font-face rules for Wall Time Serif and Sans."""
    drawn = shop(numbers(SHOP), held=HELD).replace(
        Markup("<svg "),
        Markup('<svg x="76" y="350" width="1048" height="252" preserveAspectRatio="xMinYMin" '),
        1,
    )
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" '
            'viewBox="0 0 {0} {1}">'
            "<style>{2} text {{ font-family: 'Wall Time Serif', Georgia, serif }} "
            "svg svg text {{ font-family: 'Wall Time Sans', sans-serif }}</style>"
            '<rect width="{0}" height="{1}" fill="{3}"/>'
            '<g transform="translate(70 52) scale(1.9)">{4}</g>'
            '<g fill="{5}"><text x="212" y="146" font-size="98" font-weight="600">Wall Time</text>'
            '<text x="76" y="246" font-size="50">Can this page do a thousand requests</text>'
            '<text x="76" y="310" font-size="50">a second? Measure it.</text></g>'
            '<g color="{6}">{7}</g></svg>\n'
        ).format(
            *(WIDTH, HEIGHT, Markup(fonts), DARK, CLOCK.format(ACCENT), LIGHT, ACCENT, drawn),
        )
    )


def wanted() -> str:
    """The mark of a picture that is up to date."""
    return hashlib.sha256(picture().encode()).hexdigest()


def marked(png: bytes) -> bytes:
    """The PNG with that mark in it, as a text chunk before its end."""
    if not png.startswith(PNG):
        raise ValueError(f"{png[:16]!r}: no PNG. Draw the picture again.")
    data = b"tEXt" + KEY + b"\0" + wanted().encode()
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    return png[:-12] + chunk + png[-12:]


def mark(file: Path) -> str:
    """What a committed PNG was drawn from; empty for one without a mark."""
    _, found, rest = file.read_bytes().partition(b"tEXt" + KEY + b"\0")
    return rest[:64].decode("ascii", "replace") if found else ""
