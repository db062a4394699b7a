/** A plot with axes: from positions in the plane to pixels and back. The drawing is as large as its place in the page. */
import { set, svg } from './dom.js';
import type { Polygon, Position } from './geometry.js';
import { ticks, type Tick } from './numbers.js';
import type { Domain } from './points/scene.js';

const MARGIN = { left: 40, right: 12, top: 12, bottom: 28 };
/** From numbers to the axis, and at least from one to the next. */
const [BESIDE, APART] = [8, 12];
/** For the name of an axis. */
const TITLE = 18;

export class Plot {
  readonly root: SVGSVGElement;
  width = 0;
  height = 0;
  #left = 0;
  #bottom = 0;
  #domain: Domain;
  /** What is shown, which is more than the domain where x and y have the same unit. */
  #shown: { readonly x: readonly [number, number]; readonly y: readonly [number, number] } = { x: [0, 1], y: [0, 1] };
  #titles: readonly [string, string] = ['', ''];
  readonly #axes: SVGGElement;
  readonly #grid: SVGGElement;
  readonly #clip: SVGRectElement;
  readonly #content: SVGGElement;

  constructor(root: SVGSVGElement, domain: Domain, onResize: () => void) {
    this.root = root;
    this.#domain = domain;
    const id = `${root.id}-inside`;
    this.#clip = svg('rect', {}, svg('clipPath', { id }, svg('defs', {}, root)));
    this.#grid = svg('g', { class: 'grid', 'aria-hidden': 'true' }, root);
    this.#content = svg('g', { 'clip-path': `url(#${id})` }, root);
    this.#axes = svg('g', { class: 'axes', 'aria-hidden': 'true' }, root);
    new ResizeObserver(() => {
      if (this.#measure()) onResize();
    }).observe(root);
    this.#measure();
  }

  /** A layer inside the axes, above those before it. */
  layer(name: string): SVGGElement {
    return svg('g', { class: name }, this.#content);
  }

  /** Shows another part of the plane. */
  show(domain: Domain, titles: readonly [string, string] = ['', '']): void {
    if (domain === this.#domain && titles === this.#titles) return;
    this.#domain = domain;
    this.#titles = titles;
    this.#place();
  }

  /** The place inside the axes, in pixels of the drawing. */
  get inside(): { left: number; top: number; width: number; height: number } {
    return {
      left: this.#left,
      top: MARGIN.top,
      width: this.width - this.#left - MARGIN.right,
      height: this.height - MARGIN.top - this.#bottom,
    };
  }

  get box(): Polygon {
    const [[left, right], [low, high]] = [this.#shown.x, this.#shown.y];
    return [
      [left, low],
      [right, low],
      [right, high],
      [left, high],
    ];
  }

  /** The size of a pixel. */
  get unit(): Position {
    const { width, height } = this.inside;
    return [(this.#shown.x[1] - this.#shown.x[0]) / width, (this.#shown.y[1] - this.#shown.y[0]) / height];
  }

  x(value: number): number {
    return this.#left + (value - this.#shown.x[0]) / this.unit[0];
  }

  y(value: number): number {
    const { top, height } = this.inside;
    return top + height - (value - this.#shown.y[0]) / this.unit[1];
  }

  path(polygon: readonly Position[], close = true): string {
    if (!polygon.length) return '';
    return `M${polygon.map(([x, y]) => `${this.x(x).toFixed(2)} ${this.y(y).toFixed(2)}`).join('L')}${close ? 'Z' : ''}`;
  }

  /** The position under the pointer, kept inside the axes. */
  at({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Position {
    const frame = this.root.getBoundingClientRect();
    const [dx, dy] = this.unit;
    const { left, top, height } = this.inside;
    return this.within([
      this.#shown.x[0] + (clientX - frame.left - left) * dx,
      this.#shown.y[0] + (top + height - (clientY - frame.top)) * dy,
    ]);
  }

  /** The nearest position inside the axes. */
  within([x, y]: Position): Position {
    const clamp = (value: number, [low, high]: readonly [number, number]) => Math.min(Math.max(value, low), high);
    return [clamp(x, this.#shown.x), clamp(y, this.#shown.y)];
  }

  /** Whether the size is another than before. */
  #measure(): boolean {
    const { clientWidth, clientHeight } = this.root;
    if (!clientWidth || !clientHeight || (clientWidth === this.width && clientHeight === this.height)) return false;
    [this.width, this.height] = [clientWidth, clientHeight];
    set(this.root, { viewBox: `0 0 ${clientWidth} ${clientHeight}` });
    this.#place();
    return true;
  }

  #place(): void {
    const [xTitle, yTitle] = this.#titles;
    const room = yTitle ? TITLE : 0;
    this.#left = MARGIN.left + room;
    this.#bottom = MARGIN.bottom + (xTitle ? TITLE : 0);
    if (!this.#scale()) return;
    // Numbers beside the axis take the width that they need, which leaves the less for the rest.
    this.#left = Math.max(MARGIN.left, Math.ceil(this.#widest(this.#up())) + BESIDE + 4) + room;
    if (!this.#scale()) return;
    const { left: x, top: y, width, height } = this.inside;
    set(this.#clip, { x, y, width, height });
    this.#draw(this.#across(), this.#up());
  }

  /** Finds what is shown inside the axes; false where there is no room for anything. */
  #scale(): boolean {
    const { x, y, equal } = this.#domain;
    const { width, height } = this.inside;
    if (!(width > 0 && height > 0)) return false;
    this.#shown = { x, y };
    if (equal) {
      const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
      const around = ([low, high]: readonly [number, number], size: number) =>
        [(low + high - unit * size) / 2, (low + high + unit * size) / 2] as const;
      this.#shown = { x: around(x, width), y: around(y, height) };
    }
    return true;
  }

  #up(): Tick[] {
    return ticks(...this.#shown.y, Math.max(2, this.inside.height / 70));
  }

  /** As many as there is room for: where numbers are long, every second or third alone. */
  #across(): Tick[] {
    const found = ticks(...this.#shown.x, Math.max(2, this.inside.width / 90));
    const widest = this.#widest(found);
    const room = Math.max(widest + APART, 1.5 * widest); // the last may move to the left by half its width
    const [first, second] = found;
    const every = first && second ? Math.ceil(room / (this.x(second.at) - this.x(first.at))) : 1;
    return found.filter((_, i) => i % every === 0);
  }

  /** In pixels, as the axes write them. */
  #widest(list: readonly Tick[]): number {
    const probe = svg('text', {}, this.#axes);
    const widths = list.map(({ text }) => {
      probe.textContent = text;
      return probe.getComputedTextLength();
    });
    probe.remove();
    return Math.max(0, ...widths);
  }

  #draw(across: readonly Tick[], up: readonly Tick[]): void {
    const { left, top, width, height } = this.inside;
    const [xTitle, yTitle] = this.#titles;
    this.#grid.replaceChildren();
    this.#axes.replaceChildren();
    const write = (text: string, attributes: Record<string, string | number>) => {
      const element = svg('text', attributes, this.#axes);
      element.textContent = text;
      return element;
    };
    for (const { at, text } of across) {
      const x = Math.round(this.x(at)) + 0.5;
      svg('path', { d: `M${x} ${top}V${top + height}` }, this.#grid);
      const label = write(text, { x, y: top + height + 18, 'text-anchor': 'middle' });
      set(label, { x: Math.min(x, this.width - label.getComputedTextLength() / 2) }); // the last one stays in the picture
    }
    for (const { at, text } of up) {
      const y = Math.round(this.y(at)) + 0.5;
      svg('path', { d: `M${left} ${y}H${left + width}` }, this.#grid);
      write(text, { x: left - BESIDE, y: y + 4, 'text-anchor': 'end' });
    }
    svg('path', { class: 'frame', d: `M${left + 0.5} ${top + 0.5}h${width - 1}v${height - 1}h${1 - width}Z` }, this.#axes);
    const cut = (title: string, room: number) =>
      title.length > room / 7 ? `${title.slice(0, Math.max(1, Math.floor(room / 7) - 1))}…` : title;
    if (xTitle) write(cut(xTitle, width), { class: 'title', x: left + width / 2, y: this.height - 6, 'text-anchor': 'middle' });
    if (yTitle) {
      const y = top + height / 2;
      write(cut(yTitle, height), { class: 'title', x: 14, y, 'text-anchor': 'middle', transform: `rotate(-90 14 ${y})` });
    }
  }
}
