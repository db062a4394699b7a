/** Scales map values to positions along an axis and choose the ticks, at round numbers. */
import { brief, powerOfTen } from './number-text.js';

export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** The position along the axis, from 0 to 1. */
  place(value: number): number;
}

/** The largest step of 1, 2 or 5 times a power of ten that is at most `rough`. */
export function niceStep(rough: number): number {
  const unit = 10 ** Math.floor(Math.log10(rough));
  const k = rough / unit;
  return (k >= 5 ? 5 : k >= 2 ? 2 : 1) * unit;
}

/** A linear scale with at least about `min` ticks. */
export function linear(from: number, to: number, write: (value: number) => string = brief, min = 3.2): Scale {
  if (!(to > from)) [from, to] = from === 0 ? [0, 1] : [from - Math.abs(from) / 2, from + Math.abs(from) / 2];
  const step = niceStep((to - from) / min);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) {
    const at = Number((k * step).toPrecision(12));
    ticks.push({ at, text: write(at) });
  }
  return { from, to, ticks, place: (value) => (value - from) / (to - from) };
}

/** A logarithmic scale. It begins and ends at powers of ten, unless the values span less than 1.5 decades. */
export function logarithmic(from: number, to: number): Scale {
  let [low, high] = [Math.log10(from), Math.log10(to)];
  const ticks = [];
  if (high - low < 1.5) {
    // Powers of ten alone would give only one or two ticks.
    if (high - low < 0.3) [low, high] = [low - 0.15, high + 0.15];
    for (let k = Math.floor(low); k <= high; k++) {
      for (const m of [1, 2, 5]) {
        const at = m * 10 ** k;
        const place = Math.log10(at);
        if (place >= low - 1e-9 && place <= high + 1e-9) ticks.push({ at, text: m === 1 ? powerOfTen(k) : brief(at) });
      }
    }
  } else {
    [low, high] = [Math.floor(low + 1e-9), Math.ceil(high - 1e-9)];
    const every = Math.ceil((high - low) / 6);
    for (let k = low; k <= high; k += every) ticks.push({ at: 10 ** k, text: powerOfTen(k) });
  }
  return { from: 10 ** low, to: 10 ** high, ticks, place: (value) => (Math.log10(value) - low) / (high - low) };
}

/** The smallest and the largest of many numbers, which may be too many to pass to Math.min as arguments. */
export function extent(values: Iterable<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
