/** Numbers as people write them and as the book says them: labs/records/written.py and format.py,
 * for a page without Python. tests/browser/test_answers.py holds the two together. */
import { Refused } from './make';

const SPACE = '\u00a0'; // between a number and its unit
const UNITS: Record<string, number>[] = [
  { s: 1, sec: 1, seconds: 1, ms: 1e-3, 'µs': 1e-6, 'μs': 1e-6, us: 1e-6 },
  { 'as a fraction': 1, '': 1, '%': 0.01, percent: 0.01, 'per cent': 0.01 },
  { 'req/s': 1, 'requests/s': 1, rps: 1, '/s': 1, 'req/min': 1 / 60 },
];
const NUMBER = /^([+-]?(?:\d[\d.,]*|[.,]\d+)(?:e[+-]?\d+)?)(?!\s*\/?\s*\d)\s*(.*)$/i;
const GROUPED = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/; // 1,000 and 12,500.5
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What was meant, in that unit. Throws Refused. */
export function written(text: string, unit: string): number {
  const as = unit.startsWith('as ');
  const asked = unit ? (as ? `, ${unit}` : `, in ${unit}`) : '';
  if (!text.trim()) throw new Refused(`Nothing is written there yet. Write digits${asked}.`);
  const refused = new Refused(
    `${shown(text)}: not an ordinary number. Write digits${asked}, the way 3.14 is written.`,
  );
  const plain = text
    .trim()
    .replace(/\u2212/g, '-')
    .replace(/[\u00a0\u202f\u2009_']/g, ' ')
    .replace(/(?<=\d) (?=\d{3}(?!\d))/g, '');
  const found = NUMBER.exec(plain);
  if (!found) throw refused;
  let letters = found[1]!;
  if (GROUPED.test(letters)) letters = letters.replace(/,/g, '');
  else if (letters.split(',').length === 2) letters = letters.replace(/\./g, '').replace(',', '.');
  if (!PLAIN.test(letters)) throw refused;
  const number = Number(letters) * times(found[2]!.trim(), unit, text);
  if (!Number.isFinite(number)) throw refused;
  return number;
}

function times(own: string, unit: string, text: string): number {
  if (own === '' || own === unit) return 1;
  for (const line of UNITS) {
    if (own in line && unit in line) return line[own]! / line[unit]!;
  }
  const wanted = !unit
    ? 'a plain number is asked for'
    : `it is asked for ${unit.startsWith('as ') ? unit : `in ${unit}`}`;
  throw new Refused(`${shown(text)}: ${wanted}. Leave “${own}” out, or turn it into that.`);
}

/** What somebody wrote, short enough for a sentence. */
export function shown(text: string): string {
  const said = text.trim();
  return (said.length <= 40 ? said : `${said.slice(0, 40)}…`) || 'nothing';
}

/** Rounded to so many digits, without exponent: 1283.4 is 1,280. */
export function digits(value: number, count = 3): string {
  if (value === 0) return '0';
  const places = count - 1 - Math.floor(Math.log10(Math.abs(value)));
  const scale = 10 ** Math.abs(places);
  const tie = places >= 0 && /50*$/.exec(value.toFixed(Math.min(100, places + 30)))?.[0].length === 30;
  const rounded =
    places < 0 ? whole(value / scale) * scale : tie ? whole(value * scale) / scale : Number(value.toFixed(Math.min(100, places)));
  return rounded.toLocaleString('en-GB', { maximumFractionDigits: Math.max(0, Math.min(places, 20)) });
}

/** The nearest whole number; of two as near, the even one, as Python rounds. */
function whole(value: number): number {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

/** A number that was asked for in that unit, as the labs say it. */
export function say(value: number, unit: string): string {
  if (unit === 'ms' && value >= 10_000) return `${digits(value / 1000)}${SPACE}s`;
  if (unit === 'ms' && value < 0.1) return `${digits(value * 1000, 2)}${SPACE}µs`;
  if (unit === 'MiB' && value >= 1024) return `${digits(value / 1024)}${SPACE}GiB`;
  if (unit === 'MiB' && value < 1) return `${digits(value * 1024)}${SPACE}KiB`;
  if (unit === '%') return `${digits(value, Math.abs(value) > 100 ? 3 : 2)}${SPACE}%`;
  if (unit === 'workers' || unit === 'requests') return digits(whole(value));
  return `${digits(value)}${unit === 'times' ? ' ' : SPACE}${unit}`;
}
