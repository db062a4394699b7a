/** The drawing of points, regions, planes and margins. */
import type { Fitted } from 'fista-classify';
import { set, svg } from '../dom.js';
import { chord, type Affine } from '../geometry.js';
import { MARKS } from '../palette.js';
import type { Plot } from '../plot.js';
import { drawProvedField } from './proved-field.js';
import { affine, bordersOf, regionsOf, type PlaneModel } from './regions.js';
import type { Spot } from './scene.js';

/** What there is to draw. */
export interface Drawn {
  readonly spots: readonly Spot[];
  readonly certified: readonly boolean[];
  readonly model: Fitted<number> | undefined;
  /** The number of a point, or -1. */
  readonly selected: number;
  /** The crosshair of the keyboard, if it is in use. */
  readonly cursor: readonly [number, number] | undefined;
  /** Whether it is drawn many times a second. */
  readonly hurried: boolean;
}

export class PointsFigure {
  readonly #plot: Plot;
  readonly #field: HTMLCanvasElement;
  readonly #regions: SVGGElement;
  readonly #planes: SVGGElement;
  readonly #spots: SVGGElement;
  readonly #cursor: SVGGElement;

  constructor(plot: Plot, field: HTMLCanvasElement) {
    this.#plot = plot;
    this.#field = field;
    this.#regions = plot.layer('regions');
    this.#planes = plot.layer('planes');
    this.#spots = plot.layer('spots');
    this.#cursor = plot.layer('cursor');
  }

  draw(drawn: Drawn): void {
    if (!this.#plot.width) return; // the tab is hidden
    this.#drawModel(drawn.model);
    drawProvedField(this.#field, this.#plot, drawn.model, drawn.hurried ? 2 : 1);
    this.#drawSpots(drawn);
    this.#drawCursor(drawn.cursor);
  }

  #drawModel(model: PlaneModel | undefined): void {
    const { box } = this.#plot;
    this.#regions.replaceChildren();
    this.#planes.replaceChildren();
    if (!model) return;
    for (const { label, polygon } of regionsOf(model, box)) {
      svg('path', { class: `region c${label}`, d: this.#plot.path(polygon) }, this.#regions);
    }
    const [first, ...others] = model.planes;
    if (others.length) {
      for (const plane of model.planes) this.#line(affine(plane), 'plane one-of-several');
      const d = bordersOf(model, box).map((piece) => this.#plot.path(piece, false));
      svg('path', { class: 'plane border', d: d.join('') }, this.#planes);
    } else {
      this.#drawMargin(affine(first!));
      this.#line(affine(first!), 'plane');
    }
  }

  /** Where the value is between -1 and 1. */
  #drawMargin([a, b, c]: Affine): void {
    if (a === 0 && b === 0) return;
    this.#line([a, b, c - 1], 'margin');
    this.#line([a, b, c + 1], 'margin');
  }

  #line(f: Affine, name: string): void {
    const ends = chord(this.#plot.box, f);
    if (ends) svg('path', { class: name, d: this.#plot.path(ends, false) }, this.#planes);
  }

  #drawSpots({ spots, certified, selected }: Drawn): void {
    const { children } = this.#spots;
    while (children.length > spots.length) children[children.length - 1]!.remove();
    while (children.length < spots.length) {
      const group = svg('g', {}, this.#spots);
      svg('circle', { class: 'ring', r: 9 }, group);
      svg('path', { class: 'mark' }, group);
    }
    // Many points are small ones, and so are those of a small plot.
    const size = Math.min(1, Math.max(0.5, Math.sqrt(300 / spots.length))) * Math.min(1, Math.max(0.75, this.#plot.width / 520));
    spots.forEach(({ x, y, k }, i) => {
      const group = children[i]!;
      const state = `${certified[i] ? ' certified' : ''}${i === selected ? ' selected' : ''}`;
      set(group, {
        class: `spot c${k}${state}`,
        transform: `translate(${this.#plot.x(x).toFixed(2)} ${this.#plot.y(y).toFixed(2)}) scale(${size.toFixed(2)})`,
      });
      set(group.lastElementChild!, { d: MARKS[k]! });
    });
  }

  #drawCursor(cursor: Drawn['cursor']): void {
    this.#cursor.replaceChildren();
    if (!cursor) return;
    const [x, y] = [this.#plot.x(cursor[0]), this.#plot.y(cursor[1])];
    svg('path', { d: `M${x - 14} ${y}h10m8 0h10M${x} ${y - 14}v10m0 8v10` }, this.#cursor);
  }
}
