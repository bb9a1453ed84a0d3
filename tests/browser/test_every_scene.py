"""Each scene of the book itself, on a telephone in the dark: seen, turned by finger and by keys,
read aloud, and still for whoever wants nothing to move."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from labs_on_page import commit
from playwright.sync_api import Locator, Page, expect
from waiting import eventually

pytestmark = [pytest.mark.extended, pytest.mark.timeout(600)]

NAMED = re.compile(r"\S")
LOOK = """scene => ['canvas', 'table', '.wt-scene-said'].map(part => scene.querySelector(part))
  .map(part => part.toDataURL ? part.toDataURL() : part.textContent).join()"""
FAINT = """scene => {
  const canvas = scene.querySelector('canvas'), style = getComputedStyle(canvas);
  const g = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (...colours) => {
    for (const colour of colours) {
      g.fillStyle = colour;
      g.fillRect(0, 0, 1, 1);
    }
    const [r, g_, b] = [...g.getImageData(0, 0, 1, 1).data].map(
      (part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g_ + 0.0722 * b;
  };
  const of = (name) => style.getPropertyValue(`--wt-${name}`);
  const panel = getComputedStyle(scene).backgroundColor, found = [];
  for (const ground of [[panel], [panel, of('wash')]])
    for (const name of ['text', 'muted', 'accent', 'warm', 'control-line']) {
      const colour = name === 'text' ? style.color : of(name);
      const least = name === 'control-line' ? 3 : 4.5;
      const [low, high] = [light(...ground), light(...ground, colour)].sort((a, b) => a - b);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio < least) found.push(`${name} on ${ground}: ${ratio.toFixed(2)}`);
    }
  return found;
}"""
OUT = """scene => [...scene.querySelectorAll('.wt-scene-live, .wt-scene-live *')].filter(node => {
  const box = node.getBoundingClientRect();
  return box.width && !node.closest('.wt-scene-table') && (box.left < 0 || box.right > innerWidth);
}).map(node => `${node.tagName}.${node.className} ${node.textContent.trim().slice(0, 40)}`)"""


def pages(book: Path) -> list[Path]:
    files = [path for path in sorted(book.rglob("*.html")) if "_static" not in path.parts]
    return [path for path in files if "<wt-scene" in path.read_text("utf-8")]


def turned(slider: Locator) -> None:
    """By a key."""
    now = slider.input_value()
    slider.press("ArrowLeft" if now == slider.get_attribute("max") else "ArrowRight")
    assert slider.input_value() != now
    assert NAMED.search(slider.get_attribute("aria-valuetext") or "")


def bet(scene: Locator) -> None:
    """Before the numbers; it is settled by the model."""
    expect(scene.get_by_role("table")).to_be_hidden()
    commit(scene, "30")
    said = scene.get_by_role("status")
    for _ in range(30):
        scene.get_by_role("button", name="10 s ahead").tap()
        if "You said" in said.inner_text():
            break
    expect(said).to_contain_text(re.compile(r"You said 30.*, and it was .*\d"))


def tried(page: Page, scene: Locator) -> None:
    if scene.get_by_role("button", name="Skip").count():
        bet(scene)
    expect(scene.get_by_role("group", name="Simulated: ")).to_be_visible()
    expect(scene.get_by_role("img", name=NAMED)).to_be_visible()
    assert scene.evaluate(FAINT) == []
    look = scene.evaluate(LOOK)
    sliders = scene.get_by_role("slider", name=NAMED)
    assert sliders.count() == scene.locator("input[type=range]").count()
    for each in sliders.all():
        turned(each)
    for each in scene.locator(".wt-scene-clock button:enabled").all():
        if each.is_visible():
            each.tap()
    eventually(lambda: scene.evaluate(LOOK) != look, 10, "nothing is seen of all that")
    expect(scene.get_by_role("status").last).to_contain_text(NAMED)
    assert scene.evaluate(OUT) == []


def test_by_finger_by_keys_aloud_and_in_the_dark(book: Path, another: Callable[..., Page]) -> None:
    size, found = {"width": 360, "height": 740}, 0
    telephone = another(viewport=size, color_scheme="dark", has_touch=True)
    for path in pages(book):
        telephone.goto(path.as_uri())
        expect(telephone.locator("html")).to_have_attribute("data-theme", "dark")
        scenes = telephone.locator("wt-scene")
        for number in range(scenes.count()):
            scene = scenes.nth(number)
            expect(scene.locator(".wt-scene-live")).to_be_attached()
            scene.scroll_into_view_if_needed()
            try:
                tried(telephone, scene)
            except AssertionError as error:
                raise AssertionError(f"{path.name}, scene {number + 1}: {error}") from None
            found += 1
    assert found > 13
