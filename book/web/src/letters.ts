/** The book's letters are 175 KB. A reader's first page is shown in letters that the machine has, of about
 * the same width (wall-time.css), and keeps them: what one reads doesn't jump. Once all is there the
 * book's own are fetched, and further pages have them from the first moment. */

const PLACE = 'wall-time-letters';
const PLAIN = 'wt-plain';
const WANTED = ['1em "Wall Time Serif"', 'italic 1em "Wall Time Serif"', '1em "Wall Time Sans"'];

export async function fetchLetters(): Promise<void> {
  if (!document.documentElement.classList.contains(PLAIN)) return;
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve));
  await Promise.all(WANTED.map((font) => document.fonts.load(font))).catch(console.error);
  try {
    localStorage.setItem(PLACE, 'here');
  } catch {
    // Then the next page does it again.
  }
}
