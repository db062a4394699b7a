/** Numbers as text for the terminal. LIBLINEAR prints some of them in the same format. */

/** Six significant digits, as C's %g. */
export function brief(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Three significant digits; small numbers have two and an exponent. */
export function short(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

/** A percentage such as 99.9 %. Only a share of 1 is shown as 100.0 %. */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  return share < 1 && text === '100.0' ? '> 99.9 %' : `${text} %`;
}

/** A share or a score with four decimals. Only 1 is shown as 1.0000. */
export function fraction(value: number): string {
  const text = value.toFixed(4);
  return value < 1 && text === '1.0000' ? '> 0.9999' : text === '-0.0000' ? '0.0000' : text;
}

/** A count such as 12,345; with a noun 12,345 rows or 1 row. */
export function count(value: number, noun?: string): string {
  const number = value.toLocaleString('en-US');
  return noun === undefined ? number : `${number} ${noun}${value === 1 ? '' : 's'}`;
}

/** A duration, given in milliseconds, in a suitable unit. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 90) return `${Math.round(s)} s`;
  const minutes = Math.round(s / 60);
  return minutes < 90 ? `${minutes} min` : `${(s / 3600).toFixed(1)} h`;
}
