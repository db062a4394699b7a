/** Numbers as text for pages: few digits, and a typographic minus sign. */

/** A count such as 32,561. */
export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** Rounds a number to about three digits: 0.0123, 1.2e−7, 12,345. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e7) return minus(value.toExponential(size < 1e-3 ? 1 : 2).replace('e+', 'e'));
  const text = size >= 1000 ? count(value) : String(Number(value.toPrecision(3)));
  return minus(text);
}

/** The same with trailing zeros, so that a column of numbers lines up. */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1000 ? minus(value.toPrecision(3)) : brief(value);
}

const minus = (text: string) => text.replace(/(^|e)-/g, '$1−');

/** A percentage such as 99.9 %. Only a share of 1 is shown as 100 %. */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  if (share < 1 && text === '100.0') return '> 99.9 %';
  return share === 0 || share === 1 ? `${100 * share} %` : `${text} %`;
}

/** Rounds up to a few decimal digits, so that an upper bound remains one when it is printed. */
export function upward(value: number, digits = 2): number {
  return outward(value, digits, 1);
}

/** Rounds down, so that a lower bound remains one. */
export function downward(value: number, digits = 2): number {
  return outward(value, digits, -1);
}

function outward(value: number, digits: number, direction: 1 | -1): number {
  if (!Number.isFinite(value)) return value;
  const text = value.toExponential(digits - 1);
  if (direction * (Number(text) - value) >= 0) return Number(text);
  const [mantissa, exponent] = text.replace('.', '').split('e') as [string, string];
  return Number(`${Number(mantissa) + direction}e${Number(exponent) - (digits - 1)}`);
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A power of ten such as 10⁻³. */
export function powerOfTen(exponent: number): string {
  const text = String(exponent).replace('-', '⁻');
  return `10${text.replace(/\d/g, (digit) => SUPERSCRIPT[Number(digit)]!)}`;
}
