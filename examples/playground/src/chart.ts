/** Curves over iterations, one panel below the other, with the iteration that is shown. Clicking or dragging chooses another. */
import { set, svg } from './dom.js';
import { powerOfTen, ticks, type Tick } from './numbers.js';
import type { Curve } from './points/training.js';

export interface Panel {
  readonly title: string;
  readonly log: boolean;
  /** The least range of values; curves may ask for more. */
  readonly range?: readonly [number, number];
  readonly curves: readonly { readonly name: string; readonly values: Curve }[];
  /** The space between the first two curves is filled. */
  readonly band?: boolean;
  /** What the state that is shown has. */
  readonly marks: readonly number[];
  readonly write?: (value: number) => string;
}

const [LEFT, RIGHT, TITLE, GAP, BOTTOM] = [44, 14, 30, 16, 24];

/** No gap is smaller, as far as doubles tell. */
const LEAST = 1e-16;

export class Chart {
  readonly #root: SVGSVGElement;
  readonly #content: SVGGElement;
  #last: readonly [readonly Panel[], number, number] | undefined;
  #total = 1;

  constructor(root: SVGSVGElement, onChoose: (k: number) => void) {
    this.#root = root;
    this.#content = svg('g', {}, root);
    const choose = ({ clientX }: PointerEvent) => {
      const frame = root.getBoundingClientRect();
      const share = (clientX - frame.left - LEFT) / (frame.width - LEFT - RIGHT);
      onChoose(Math.round(Math.min(Math.max(share, 0), 1) * this.#total));
    };
    root.addEventListener('pointerdown', (event) => {
      root.setPointerCapture(event.pointerId);
      choose(event);
    });
    root.addEventListener('pointermove', (event) => {
      if (event.buttons & 1 && root.hasPointerCapture(event.pointerId)) choose(event);
    });
    new ResizeObserver(() => this.#last && this.draw(...this.#last)).observe(root);
  }

  draw(panels: readonly Panel[], total: number, k: number): void {
    this.#last = [panels, total, k];
    this.#total = total;
    const { clientWidth: width, clientHeight: height } = this.#root;
    this.#content.replaceChildren();
    if (!width || !height) return;
    set(this.#root, { viewBox: `0 0 ${width} ${height}` });
    const each = (height - BOTTOM - (panels.length - 1) * GAP) / panels.length;
    const x = (iteration: number) => LEFT + (iteration / Math.max(1, total)) * (width - LEFT - RIGHT);
    panels.forEach((panel, i) => {
      const top = i * (each + GAP);
      this.#panel(panel, x, top + TITLE, each - TITLE, width);
      this.#text(panel.title, { class: 'title', x: 0, y: top + 12 });
    });
    // No more of them than iterations, so that all are whole numbers.
    for (const { at, text } of ticks(0, total, Math.min(6, Math.max(2, width / 80), total))) {
      this.#text(text, { x: x(at), y: height - 6, 'text-anchor': 'middle' });
    }
    svg('path', { class: 'now', d: `M${x(k)} ${TITLE - 8}V${height - BOTTOM + 4}` }, this.#content);
    panels.forEach((panel, i) => this.#marks(panel, x(k), i * (each + GAP) + TITLE, each - TITLE));
  }

  #panel(panel: Panel, x: (k: number) => number, top: number, height: number, width: number): void {
    const { place, marks } = scaleOf(panel);
    const y = (value: number) => top + (1 - place(value)) * height;
    for (const { at, text } of marks) {
      svg('path', { class: 'gridline', d: `M${LEFT} ${Math.round(y(at)) + 0.5}H${width - RIGHT}` }, this.#content);
      this.#text(text, { x: LEFT - 8, y: y(at) + 4, 'text-anchor': 'end' });
    }
    const line = (values: Curve) => values.map(([k, value]) => `${x(k).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
    const [first, second] = panel.curves;
    if (panel.band && first?.values.length && second) {
      svg('path', { class: 'between', d: `M${line(first.values)}L${line([...second.values].reverse())}Z` }, this.#content);
    }
    for (const { name, values } of panel.curves) {
      if (values.length) svg('path', { class: `curve ${name}`, d: `M${line(values)}` }, this.#content);
    }
  }

  #marks(panel: Panel, x: number, top: number, height: number): void {
    const { place } = scaleOf(panel);
    panel.marks.forEach((value, i) => {
      const name = panel.curves[i]?.name ?? '';
      svg('circle', { class: `dot ${name}`, cx: x, cy: top + (1 - place(value)) * height, r: 4.5 }, this.#content);
    });
  }

  #text(text: string, attributes: Record<string, string | number>): void {
    svg('text', attributes, this.#content).textContent = text;
  }
}

/** From values to places between 0 and 1. */
function scaleOf({ log, range, curves, marks, write }: Panel): { place: (value: number) => number; marks: Tick[] } {
  const values = [...(range ?? []), ...marks, ...curves.flatMap((curve) => curve.values.map(([, value]) => value))].filter(
    Number.isFinite,
  );
  if (!log) {
    const [low, high] = [Math.min(...values, 0), Math.max(...values, 1e-300)];
    const found = ticks(low, high, 2.5).map(({ at, text }) => ({ at, text: write ? write(at) : text }));
    return { place: (value) => (Math.min(value, high) - low) / (high - low), marks: found };
  }
  const seen = values.filter((value) => value > 0).map((value) => Math.log10(Math.max(value, LEAST)));
  const [low, high] = [Math.floor(Math.min(...seen, 0)), Math.ceil(Math.max(...seen, -1))];
  const every = Math.max(1, Math.ceil((high - low) / 3));
  const found: Tick[] = [];
  for (let k = high; k >= low; k -= every) found.push({ at: 10 ** k, text: powerOfTen(k) });
  return {
    place: (value) => (Math.min(Math.max(Math.log10(Math.max(value, LEAST)), low), high) - low) / (high - low),
    marks: found,
  };
}
