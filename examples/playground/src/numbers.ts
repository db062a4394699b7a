/** Numbers as text, and round numbers for axes. */

const minus = (text: string) => text.replace(/(^|e)-/g, '$1−');

/** About three digits: 0.0123, 1.2e−7, 12,345. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : minus(String(value));
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e6) return minus(value.toExponential(size < 1e-3 ? 1 : 2).replace('e+', 'e'));
  return minus(size >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3))));
}

/** Two bounds, in as many digits as tell them apart. */
export function bracket(lower: number, upper: number): string {
  if (lower === upper) return brief(lower);
  for (let digits = 3; digits < 9; digits++) {
    const [low, high] = [lower, upper].map((value) =>
      value === 0 ? '0' : value < 1e-3 ? brief(value) : value.toPrecision(digits),
    ) as [string, string];
    if (low !== high) return `${low} to ${high}`;
  }
  return `${brief(lower)} to ${brief(upper)}`;
}

/** A share in percent, which is 100 % only if it is all, and 0 % only if it is none. */
export function percent(part: number, whole: number): string {
  if (part === whole) return '100 %';
  return `${Math.min((100 * part) / whole, 99.9).toFixed(1)} %`;
}

export const plural = (count: number, one: string, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 10⁻³ */
export function powerOfTen(exponent: number): string {
  if (exponent === 0) return '1';
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** So many decimal digits every double tells apart. */
const DIGITS = 15;

/** Ticks at round numbers, about `count` of them, in as many digits as tell them apart. */
export function ticks(from: number, to: number, count: number): Tick[] {
  const rough = (to - from) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * unit >= rough * 0.999) ?? 10) * unit;
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const write = (value: number) => {
    if (value === 0) return '0';
    if (largest < 1e6 && step >= 1e-4)
      return minus(value.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places }));
    const digits = Math.floor(Math.log10(Math.abs(value)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
    return minus(value.toExponential(Math.min(Math.max(digits, 0), DIGITS - 1)).replace('e+', 'e'));
  };
  const found: Tick[] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step && found.length < 100; k++) {
    const at = Number((k * step).toPrecision(DIGITS));
    if (at !== found.at(-1)?.at) found.push({ at, text: write(at) });
  }
  return found;
}
