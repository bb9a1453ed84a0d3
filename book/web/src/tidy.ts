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
