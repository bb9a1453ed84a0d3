"""The first page of the built book, what the head of each page says of it, and the page for an
address that leads nowhere."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from chapters import ROOT, Page, pages

from labs.site import book_map, not_found, social_picture
from labs.site.book_map import Part, Stop

pytestmark = [pytest.mark.chapters, pytest.mark.timeout(180)]

SITE = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["html"]["baseurl"]


def read(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


def said(head: BeautifulSoup, name: str) -> str:
    (found,) = head.select(f'meta[name="{name}"], meta[property="{name}"]')
    return str(found["content"])


def address(page: Page) -> str:
    return SITE if page.name == "index" else f"{SITE}{page.name}.html"


def test_each_page_says_what_it_is_and_where_it_stands(book: Path) -> None:
    told: dict[str, str] = {}
    for page in pages():
        head = read(book / f"{page.name}.html")
        words = said(head, "description")
        assert 40 <= len(words) <= 200, f"{page.name}: {words}"
        assert not re.search(r"[{}$\\]", words), f"{page.name}: {words}"
        assert words not in told, f"{page.name} and {told[words]} are described alike: {words}"
        told[words] = page.name
        assert said(head, "og:description") == words
        (canonical,) = head.select('link[rel="canonical"]')
        assert canonical["href"] == said(head, "og:url") == address(page)
        (icon,) = head.select('link[rel="icon"]')
        assert (book / f"{page.name}.html").parent.joinpath(str(icon["href"])).is_file()
        assert said(head, "viewport").startswith("width=device-width")
        picture = said(head, "og:image")
        assert picture.startswith(SITE) and (book / picture.removeprefix(SITE)).is_file()
        title = head.title.get_text() if head.title else ""
        assert title.startswith("Wall Time:") if page.name == "index" else "Wall Time" in title


def test_a_search_or_a_list_of_words_is_not_offered_to_search_engines(book: Path) -> None:
    for name in ("search", "genindex"):
        assert not read(book / f"{name}.html").select('link[rel="canonical"]')


def test_a_picture_that_is_out_of_date_fails_the_build(tmp_path: Path) -> None:
    picture = ROOT / "book" / "web" / "social.png"
    assert social_picture.mark(picture) == social_picture.wanted()
    (tmp_path / "web").mkdir()
    (tmp_path / "index.md").write_text("# A page\n")
    (tmp_path / "conf.py").write_text(
        'extensions = ["myst_nb", "labs.site.head"]\nhtml_static_path = ["web"]\n'
    )
    (tmp_path / "web/icon.svg").write_text(social_picture.icon())
    stale = picture.read_bytes().replace(social_picture.wanted().encode(), b"0" * 64)
    (tmp_path / "web/social.png").write_bytes(stale)
    command = [sys.executable, "-m", "sphinx", "-q", tmp_path, tmp_path / "html"]
    made = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert made.returncode != 0 and "Run `make figures`" in made.stderr


def test_the_readme_shows_a_lab_as_it_is_recorded() -> None:
    """Its picture is the figure of the lab, with colours and letters of its own."""
    (name,) = re.findall(r'<img src="([^"]+)"', (ROOT / "README.md").read_text("utf-8"))
    shown = (ROOT / name).read_text("utf-8")
    recorded = (ROOT / "book/recordings/many-cores/figure-1-wide.svg").read_text("utf-8")
    assert re.sub("<style>.*?</style>", "", shown, count=1) == recorded, "Run `make figures`."
    assert SITE in (ROOT / "README.md").read_text("utf-8")


def test_the_map_has_every_page_in_order(book: Path) -> None:
    front = read(book / "index.html")
    drawings = front.select("nav.wt-map > svg")
    assert len(drawings) == 2
    wanted = [f"{page.name}.html" for page in pages()[1:]]
    for drawing in drawings:
        links = drawing.select("a")
        assert [link["href"] for link in links] == wanted
        for link in links:
            assert link.get_text(strip=True) == read(book / str(link["href"])).h1.find(  # type: ignore[union-attr]
                string=True
            )


def test_a_book_of_other_parts_has_no_such_map() -> None:
    one = Part(caption="", stops=(Stop(title="A page", address="a.html"),))
    with pytest.raises(ValueError, match=r"2 parts in _toc\.yml"):
        book_map.drawing([one, one])


def test_one_can_start_here_or_on_binder(book: Path) -> None:
    front = read(book / "index.html")
    start, binder = (str(link["href"]) for link in front.select(".wt-start a"))
    assert (book / start).is_file()
    chapter = read(book / start).select_one('a[href*="mybinder.org"]')
    assert chapter is not None
    there, theirs = urlsplit(binder), urlsplit(str(chapter["href"]))
    assert (there.netloc, there.path) == (theirs.netloc, theirs.path)
    assert parse_qs(there.query) == {"urlpath": ["book/index.html"]}
    assert parse_qs(theirs.query) == {"urlpath": [f"book/{start}"]}


def test_the_page_for_nowhere_is_whole_in_itself(book: Path) -> None:
    page = read(book / "404.html")
    assert not page.select("script, [src], link[rel=stylesheet]")
    assert page.base is not None and page.base["href"] == urlsplit(SITE).path
    links = [str(link["href"]) for link in page.select("[href]") if link.name != "base"]
    assert all((book / link).is_file() for link in links)
    assert {f"{each.name}.html" for each in pages()} <= set(links)
    words = (book / "404.html").read_text("utf-8")
    assert "@import" not in words and "url(" not in words
    assert '<base href="../../">' in not_found.returning(words, "a/b/c.html")
