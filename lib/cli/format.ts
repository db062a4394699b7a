/** Numbers as people and LIBLINEAR write them. */

/** As C's %g. */
export function brief(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Three digits, small numbers with an exponent. */
export function short(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

/** 100.0 % only for all. */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  return share < 1 && text === '100.0' ? '> 99.9 %' : `${text} %`;
}

/** 12,345; with a noun 12,345 rows, 1 row */
export function count(value: number, noun?: string): string {
  const number = value.toLocaleString('en-US');
  return noun === undefined ? number : `${number} ${noun}${value === 1 ? '' : 's'}`;
}

/** From milliseconds. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 90) return `${Math.round(s)} s`;
  const minutes = Math.round(s / 60);
  return minutes < 90 ? `${minutes} min` : `${(s / 3600).toFixed(1)} h`;
}
