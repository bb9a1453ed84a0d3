/** Small repairs to what the theme writes, so that a screen reader says what the eye sees. */

/** Folded code: its summary is labelled apart from its words. */
function unlabelSummaries(): void {
  for (const summary of document.querySelectorAll('details > summary[aria-label]')) {
    summary.removeAttribute('aria-label');
  }
}

/** Buttons of icons only: their accessible name must begin with what is shown, which is
 * nothing; the theme's shortcut hint beside the icon is decoration. */
function hideShortcutHints(): void {
  for (const hint of document.querySelectorAll('.search-button__kbd-shortcut')) {
    hint.setAttribute('aria-hidden', 'true');
  }
}

/** A slider's handle is what gets the focus, and ipywidgets leaves it without a name. */
function nameSlidersNow(host: Element): void {
  for (const slider of host.querySelectorAll('.widget-slider')) {
    const label = slider.querySelector('.widget-label')?.textContent?.trim();
    if (!label) continue;
    for (const named of slider.querySelectorAll('.noUi-handle, .widget-readout')) {
      if (named.getAttribute('aria-label') !== label) named.setAttribute('aria-label', label);
    }
  }
}

/** Names the sliders of a panel, now and whenever it changes. */
export function nameSliders(host: Element): void {
  nameSlidersNow(host);
  new MutationObserver(() => nameSlidersNow(host)).observe(host, { subtree: true, childList: true });
}

export function tidy(): void {
  unlabelSummaries();
  hideShortcutHints();
}
