/** Horizontal bars, one below the other. */
import { escape } from './html.js';
import { brief, threeDigits } from './number-text.js';
import { extent } from './scales.js';
import { CHARACTER, coord, figure, NO_DATA, segment, shorten, squeeze, svg, text, WIDTH } from './svg.js';

export interface BarChart {
  readonly title: string;
  readonly note?: string | undefined;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  /** The meaning of a bar to the left, and of one to the right. */
  readonly sides?: readonly [negative: string, positive: string] | undefined;
}

/** Draws a bar for each value, on both sides of 0 if some are negative. */
export function barChart({ title, note, bars, sides }: BarChart): string {
  const drawn = bars.filter(({ value }) => Number.isFinite(value));
  if (drawn.length === 0) return figure(title, note, '', NO_DATA, 'bars');
  const longest = Math.max(...drawn.map(({ name }) => [...name].length));
  const left = Math.min(150, longest * CHARACTER) + 8;
  const right = WIDTH - 66;
  const [low, high] = extent([0, ...drawn.map(({ value }) => value)]);
  const size = Math.max(-low, high) || 1;
  const zero = left + (low < 0 ? (right - left) * (high > 0 ? -low / (high - low) : 1) : 0);
  const scale = low < 0 && high > 0 ? (right - left) / (high - low) : (right - left) / size;
  const top = sides ? 24 : 4;
  const step = 18;
  const height = top + drawn.length * step + 4;
  const parts = drawn.map(({ name, value }, k) => {
    const y = top + k * step;
    const width = Math.abs(value) * scale;
    const from = value < 0 ? zero - width : zero;
    return (
      `<g><title>${escape(name)}: ${brief(value)}</title>${text(left - 8, y + 13, squeeze(name, Math.floor((left - 8) / CHARACTER)), 'end')}` +
      `<rect class="${value < 0 ? 'c1' : 'c0'}" x="${coord(from)}" y="${y + 3}" width="${coord(Math.max(width, 0.8))}" height="${step - 5}" rx="1.5"/>` +
      `${text(WIDTH - 4, y + 13, threeDigits(value), 'end', 'strong')}</g>`
    );
  });
  parts.push(segment(zero, top, zero, height - 4, 'axis'));
  if (sides) {
    const room = (WIDTH - 20) / 2 / CHARACTER;
    parts.push(text(4, 13, `← ${shorten(sides[0], room - 3)}`), text(WIDTH - 4, 13, `${shorten(sides[1], room - 3)} →`, 'end'));
  }
  const said = drawn.map(({ name, value }) => `${name}: ${brief(value)}`).join('; ');
  return figure(title, note, '', svg(title, said, height, parts.join('')), 'bars');
}
