/** Small repairs to what the theme writes, so that a screen reader says what the eye sees. */

export function tidy(): void {
  // The summary of folded code is labelled apart from its words. The search field's words are its name;
  // the theme's other name for it leaves some out.
  for (const named of document.querySelectorAll('details > summary[aria-label], .search-button-field')) {
    named.removeAttribute('aria-label');
  }
  // A button of one icon has its own name; the icon's would be read as well.
  for (const icon of document.querySelectorAll('.theme-switch-button [title]')) icon.removeAttribute('title');
  // All of the side bar leads through the book, its title and search too.
  const bar = document.querySelector('.bd-sidebar-primary');
  bar?.setAttribute('role', 'navigation');
  bar?.setAttribute('aria-label', 'Book');
}

/** A slider's handle is what gets the focus, and ipywidgets leaves it without a name. */
function nameSlidersNow(host: Element): void {
  for (const slider of host.querySelectorAll('.widget-slider')) {
    const label = slider.querySelector('.widget-label')?.textContent?.trim();
    if (!label) continue;
    const handle = slider.querySelector('.noUi-handle');
    const readout = slider.querySelector('.widget-readout');
    for (const named of [handle, readout]) if (named) put(named, 'aria-label', label);
    if (!slider.matches('.wt-choice') || !readout || !handle) continue;
    // Over a list of choices: ipywidgets tells the place in the list instead of the choice, and lets
    // one type into a readout that does not listen.
    put(readout, 'contenteditable', 'false');
    put(readout, 'aria-hidden', 'true');
    put(handle, 'aria-valuetext', readout.textContent ?? '');
  }
}

function put(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** Names the sliders of a panel, now and whenever it changes. */
export function nameSliders(host: Element): void {
  nameSlidersNow(host);
  new MutationObserver(() => nameSlidersNow(host)).observe(host, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-valuetext'],
  });
}
