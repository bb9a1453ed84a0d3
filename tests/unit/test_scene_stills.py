"""Still pictures of scenes: each as its page has it, in the page's colours; and `{scene}`."""

import re
from pathlib import Path
from xml.etree import ElementTree

from chapters import build

from labs.recordings.store import BOOK
from labs.site.roles.scenes import FOLDER, SCENES, Still, stills

LARGEST, ALL = 60_000, 400_000  # bytes
ELEMENTS = {"svg", "path", "text", "clipPath", "g"}
SVG = '<svg role="img" aria-label="A pool." data-scene="{}"></svg>\n'


def test_every_scene_has_its_still_and_no_other_lies_about() -> None:
    every = stills(BOOK)
    missing = [str(each.path(BOOK)) for each in every if each.picture(BOOK) is None]
    assert missing == [], "Run `make figures`."
    assert {each.path(BOOK) for each in every} == set((BOOK / FOLDER).iterdir())
    assert {each.name for each in every} == set(SCENES["scenes"])  # each stands on some page


def test_stills_are_small_drawings_in_the_page_s_colours() -> None:
    files = sorted((BOOK / FOLDER).iterdir())
    sizes = [file.stat().st_size for file in files]
    assert max(sizes) < LARGEST and sum(sizes) < ALL
    for file in files:
        drawn = file.read_text("utf-8")
        nodes = ElementTree.fromstring(drawn).iter()
        assert {node.tag.rpartition("}")[2] for node in nodes} <= ELEMENTS
        colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', drawn))
        assert all(re.fullmatch(r"none|currentColor|var\(--wt-[a-z-]+\)", each) for each in colours)
        assert "NaN" not in drawn and "undefined" not in drawn
        ids = set(re.findall(r' id="([^"]+)"', drawn))
        assert set(re.findall(r"url\(#([\w-]+)\)", drawn)) == ids


def test_a_still_says_what_is_seen() -> None:
    said = {
        file.stem: re.findall(r'role="img" aria-label="(Simulated: [^"]{60,})"', file.read_text())
        for file in (BOOK / FOLDER).iterdir()
    }
    assert [name for name, words in said.items() if len(words) != 1] == []


# -- the directive -----------------------------------------------------------------------------


def page(folder: Path, *scenes: str) -> None:
    """A book of one page with these scenes: name, options, and words."""
    (folder / FOLDER).mkdir(exist_ok=True)
    blocks = "\n\n".join(f"```{{scene}} {scene}\n```" for scene in scenes)
    (folder / "index.md").write_text(f"# T\n\n{blocks}\n")


def shown(folder: Path) -> str:
    assert build(folder) == ""
    return (folder / "out/index.html").read_text()


def test_scene_becomes_an_element_with_its_still_and_what_stands_around_it(tmp_path: Path) -> None:
    page(
        tmp_path,
        "shop\n:users: 96\n:places: 17\n:turn: users think\n:goal: smallest-pool\n\nA pool.",
        "curves\n:most: 16\n:bet: How many?\n:bet-on: throughput\n\nTwo curves.",
    )
    for still in stills(tmp_path):
        still.path(tmp_path).write_text(SVG.format(still.mark))
    first, second = shown(tmp_path).split("</wt-scene>")[:2]
    assert '<wt-scene name="shop" users="96" places="17"' in first
    assert '<figure class="wt-scene-still"><svg role="img" aria-label="A pool."' in first
    assert ">thinking<" in first and "knocks again" in first and "Find the smallest pool" in first
    assert "A pool." in first and "wt-scene-bet" not in first
    assert '<th scope="col">bound</th><th scope="col">model</th>' in first
    assert "wt-scene-bet" in second and "trap" not in second and "wt-scene-goal" not in second


def test_no_still_and_one_of_other_options_fail_the_page(tmp_path: Path) -> None:
    page(tmp_path, *["shop\n:users: 96\n\nA pool."] * 2)
    other = Still(page="index", number=2, name="shop", options={"users": "95"})
    other.path(tmp_path).write_text(SVG.format(other.mark))
    complaints = build(tmp_path)
    for number, line in ((1, 3), (2, 9)):
        assert re.search(
            rf"index\.md:{line}: WARNING: scenes/index-{number}\.svg is no picture of the scene "
            r"shop .* Run `make figures`\.",
            complaints,
        )


def test_what_a_scene_cannot_do_is_a_warning_with_its_line(tmp_path: Path) -> None:
    page(
        tmp_path,
        "shops\n\nWords.",
        "shop",
        "curves\n\nWords.",
        "shop\n:most: 3\n\nWords.",
        "shop\n:goal: trap-is-right\n\nWords.",
        "shop\n:users: -1\n\nWords.",
        "lanes\n:cpu: 1\n:who: threads\n\nWords.",
    )
    refused = build(tmp_path)
    for line, said in (
        (3, "{scene} shops: there are shop, curves"),
        (8, "{scene} shop: say in a sentence what stands in its place."),
        (11, "{scene} curves: `:most:` says how many users the axis has."),
        (16, "{scene} shop: `:most:` is of another scene."),
        (22, "{scene} shop: goal trap-is-right: there are turned-away"),
        (28, "-1: a number from 0 on, times in seconds"),
        (34, "threads: there are processes, counting, hashing, loop"),
    ):
        assert re.search(rf"index\.md:{line}: .*{re.escape(said)}", refused), (line, said, refused)
