"""The first page of the built book, what the head of each page says of it, and the page for an
address that leads nowhere."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from chapters import ROOT, pages, soup

pytestmark = [pytest.mark.chapters, pytest.mark.timeout(180)]

SITE = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["html"]["baseurl"]


def part(file: Path, name: str) -> BeautifulSoup:
    """The first element of that name: of a page that is read for nothing else."""
    text = file.read_text("utf-8")
    found = text[text.index(f"<{name}>") : text.index(f"</{name}>")]
    return BeautifulSoup(found, "html.parser")


def said(head: BeautifulSoup, name: str) -> str:
    (found,) = head.select(f'meta[name="{name}"], meta[property="{name}"]')
    return str(found["content"])


def test_each_page_says_what_it_is_and_where_it_stands(book: Path) -> None:
    told: dict[str, str] = {}
    for page in pages():
        head = part(book / f"{page.name}.html", "head")
        words = said(head, "description")
        assert 40 <= len(words) <= 204, f"{page.name}: {words}"
        assert not re.search(r"[{}$\\]", words), f"{page.name}: {words}"
        assert words not in told, f"{page.name} and {told[words]} are described alike: {words}"
        told[words] = page.name
        assert said(head, "og:description") == words
        (canonical,) = head.select('link[rel="canonical"]')
        assert canonical["href"] == f"{SITE}{page.name}.html"
        assert said(head, "og:url") in (canonical["href"], SITE)
        (icon,) = head.select('link[rel="icon"]')
        assert (book / f"{page.name}.html").parent.joinpath(str(icon["href"])).is_file()
        picture = said(head, "og:image")
        assert picture.startswith(SITE) and (book / picture.removeprefix(SITE)).is_file()
        title = head.title.get_text() if head.title else ""
        assert "Wall Time" in title


def test_the_readme_shows_a_lab_as_it_is_recorded() -> None:
    """Its picture is the figure of the lab, with colours and letters of its own."""
    (name,) = re.findall(r'<img src="([^"]+)"', (ROOT / "README.md").read_text("utf-8"))
    shown = (ROOT / name).read_text("utf-8")
    recorded = (ROOT / "book/recordings/many-cores/figure-1-wide.svg").read_text("utf-8")
    assert re.sub("<style>.*?</style>", "", shown, count=1) == recorded, "Run `make figures`."
    assert SITE in (ROOT / "README.md").read_text("utf-8")


def test_the_map_has_every_page_in_order(book: Path) -> None:
    front = soup(book / "index.html")
    drawings = front.select("nav.wt-map > svg")
    assert len(drawings) == 2
    wanted = [
        (f"{page.name}.html", part(book / f"{page.name}.html", "h1").find(string=True))
        for page in pages()[1:]
    ]
    for drawing in drawings:
        links = drawing.select("a")
        assert [(link["href"], link.get_text(strip=True)) for link in links] == wanted


def test_one_can_start_here_or_on_binder(book: Path) -> None:
    front = soup(book / "index.html")
    start, binder = (str(link["href"]) for link in front.select(".wt-start a"))
    assert (book / start).is_file()
    chapter = soup(book / start).select_one('a[href*="mybinder.org"]')
    assert chapter is not None
    there, theirs = urlsplit(binder), urlsplit(str(chapter["href"]))
    assert (there.netloc, there.path) == (theirs.netloc, theirs.path)
    assert parse_qs(there.query) == {"urlpath": ["book/index.html"]}
    assert parse_qs(theirs.query) == {"urlpath": [f"book/{start}"]}


def test_the_page_for_nowhere_leads_to_the_published_pages(book: Path) -> None:
    page = soup(book / "404.html")
    site = urlsplit(SITE).path
    links = {str(link["href"]) for link in page.select("a[href]")}
    assert {f"{site}{each.name}.html" for each in pages()} <= links
    shown = {str(each.get("href") or each.get("src")) for each in page.select("link, [src]")}
    local = [each for each in shown if not each.startswith("https:")]
    assert local and all(each.startswith(site) for each in local)
