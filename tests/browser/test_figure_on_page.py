"""The view of a figure that follows its model, by itself: with a plotly that takes its time."""

import base64

from playwright.sync_api import Page
from serving import PROJECT

COURSE = """async (source) => {
  const { default: view } = await import(`data:text/javascript;base64,${source}`);
  const traits = { figure: { data: [{}] }, alt: '' };
  const heard = {};
  const model = {
    get: (name) => traits[name],
    on: (event, listener) => (heard[event] = listener),
    off: (event) => delete heard[event],
  };
  const drawn = [];
  let begun;
  let end;
  const begins = new Promise((resolve) => (begun = resolve));
  const ends = new Promise((resolve) => (end = resolve));
  const react = (node, data) => {
    drawn.push(data.length);
    begun();
    return ends;
  };
  window.wallTime = { plotly: async () => ({ react, purge() {} }) };
  const el = document.body.appendChild(document.createElement('div'));
  const rendered = view.render({ model, el });
  await begins;
  traits.figure = { data: [{}, {}] };
  heard['change:figure']?.(); // while the first one is drawn
  end();
  const leave = await rendered;
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();
  leave();
  return { drawn, left: Object.keys(heard) };
}"""


def test_a_figure_that_changes_while_the_first_is_drawn_is_drawn(page: Page) -> None:
    source = (PROJECT / "labs/panel/figure_view.js").read_bytes()
    came = page.evaluate(COURSE, base64.b64encode(source).decode())
    assert came == {"drawn": [1, 2], "left": []}
