/** Where the keyboard stands when what it stood on is taken away. */

const NEXT = '.wt-stop, .wt-run'; // buttons of a panel, the one of which is wanted next

function usable(node: Element): boolean {
  return !(node as HTMLButtonElement).disabled && node.checkVisibility();
}

/** In a panel: who commits to a number stands on Run, who presses Run on Stop, and on Run again
 * when the run has ended. A button that is disabled or hidden would drop the focus, and with it
 * whoever hears the page or goes through it by keys. */
export function keepFocus(host: HTMLElement): void {
  let orphan: Element | undefined; // what had the focus, until something else has it
  const forget = () => (orphan = undefined);
  host.ownerDocument.addEventListener('pointerdown', forget);
  new MutationObserver(() => {
    if (!host.isConnected) return host.ownerDocument.removeEventListener('pointerdown', forget);
    const active = document.activeElement;
    if (active && host.contains(active)) orphan = usable(active) ? undefined : active;
    else if (active !== document.body) orphan = undefined;
    const next = [...host.querySelectorAll<HTMLElement>(NEXT)].find(usable);
    if (!orphan || !next) return;
    orphan = undefined;
    next.focus({ preventScroll: true });
  }).observe(host, { subtree: true, attributeFilter: ['disabled', 'style', 'class'] });
}
