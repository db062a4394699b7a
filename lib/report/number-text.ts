/** Numbers as text for pages: few digits, and a typographic minus sign. */

/** A count such as 32,561. */
export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** 1 row, 2,000 rows. */
export function rowCount(rows: number): string {
  return `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`;
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

/** A number up to 1 with three decimals, such as 0.973. Only 1 is shown as 1. */
export function upToOne(value: number): string {
  const text = minus(value.toFixed(3));
  return value < 1 && text === '1.000' ? '> 0.999' : value === 1 ? '1' : text;
}

/** Milliseconds in a unit of about their size. */
export function duration(milliseconds: number): string {
  const { unit, size } = timeUnit(milliseconds);
  return `${brief(milliseconds / size)} ${unit}`;
}

export function timeUnit(milliseconds: number): { unit: string; size: number } {
  if (milliseconds < 2000) return { unit: 'ms', size: 1 };
  if (milliseconds < 600_000) return { unit: 's', size: 1000 };
  return { unit: 'min', size: 60_000 };
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
