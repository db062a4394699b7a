/** The axes of a plot: grid lines, ticks and labels. */
import type { Scale } from './scales.js';
import { CHARACTER, HEIGHT, segment, shorten, text, WIDTH } from './svg.js';

/** Draws the axes. Returns the drawing's parts, to which a chart adds its own, the plot's edges, and functions that place values. */
export function axes(x: Scale, y: Scale, labels: { x: string; y: string }) {
  const left = Math.max(30, ...y.ticks.map((tick) => tick.text.length * CHARACTER + 10));
  const [right, top, bottom] = [WIDTH - 22, 32, HEIGHT - 42];
  const px = (value: number) => left + x.place(value) * (right - left);
  const py = (value: number) => bottom - y.place(value) * (bottom - top);
  const room = Math.floor((right - left) / (Math.max(...x.ticks.map((tick) => tick.text.length)) * CHARACTER + 8));
  const every = Math.ceil(x.ticks.length / Math.max(1, room));
  const parts = [
    ...y.ticks.map(
      (tick) => segment(left, py(tick.at), right, py(tick.at), 'grid') + text(left - 6, py(tick.at) + 4, tick.text, 'end'),
    ),
    ...x.ticks
      .filter((_, k) => k % every === 0)
      .map(
        (tick) =>
          segment(px(tick.at), bottom, px(tick.at), bottom + 4, 'axis') + text(px(tick.at), bottom + 17, tick.text, 'middle'),
      ),
    segment(left, bottom, right, bottom, 'axis'),
    text(4, 13, shorten(labels.y, 50)),
    text(right, HEIGHT - 6, shorten(labels.x, 50), 'end'),
  ];
  return { parts, px, py, left, right, top, bottom };
}
