/** The drawing of ellipsoids, their hulls, the slab between them and the witness. */
import type { Separation } from 'fista-classify';
import { svg } from '../dom.js';
import { chord, clip, hull, type Affine, type Position } from '../geometry.js';
import { brief } from '../numbers.js';
import type { Plot } from '../plot.js';
import { outline, outlinePoints, type Shape } from './shape.js';

/** Pixels from the end of the first axis to the knob that turns. */
export const KNOB = 24;

export class EllipsoidsFigure {
  readonly #plot: Plot;
  readonly #slab: SVGGElement;
  readonly #shapes: SVGGElement;
  readonly #witness: SVGGElement;
  readonly #handles: SVGGElement;

  constructor(plot: Plot) {
    this.#plot = plot;
    this.#slab = plot.layer('slab');
    this.#shapes = plot.layer('shapes');
    this.#witness = plot.layer('witness');
    this.#handles = plot.layer('handles');
  }

  draw(shapes: readonly Shape[], selected: number, result: Separation | undefined): void {
    if (!this.#plot.width) return; // the tab is hidden
    this.#drawSlab(result);
    this.#drawShapes(shapes, selected);
    this.#drawWitness(result);
    this.#drawHandles(shapes[selected]);
  }

  #drawSlab(result: Separation | undefined): void {
    this.#slab.replaceChildren();
    if (result?.status !== 'separated') return;
    const { normal, offset, width } = result;
    const [a, b] = [normal[0]!, normal[1]!];
    const shifted = (by: number): Affine => [a, b, by - offset];
    const { box } = this.#plot;
    const strip = clip(clip(box, shifted(width / 2)), [-a, -b, offset + width / 2]);
    svg('path', { class: 'strip', d: this.#plot.path(strip) }, this.#slab);
    for (const [by, name] of [
      [width / 2, 'margin'],
      [-width / 2, 'margin'],
      [0, 'plane'],
    ] as const) {
      const ends = chord(box, shifted(by));
      if (ends) svg('path', { class: name, d: this.#plot.path(ends, false) }, this.#slab);
    }
    this.#drawWidth([a, b], offset, width);
  }

  /** A dimension line across the slab, where the plane is nearest to the middle of the picture. */
  #drawWidth([a, b]: Position, offset: number, width: number): void {
    const ends = chord(this.#plot.box, [a, b, -offset]);
    if (!ends) return;
    const t = 0.14;
    const [upper, lower] = ends[0][1] > ends[1][1] ? ends : [ends[1], ends[0]];
    const at: Position = [upper[0] + t * (lower[0] - upper[0]), upper[1] + t * (lower[1] - upper[1])];
    const [from, to] = [-1, 1].map((side): Position => [at[0] + (side * width * a) / 2, at[1] + (side * width * b) / 2]) as [
      Position,
      Position,
    ];
    svg('path', { class: 'across', d: this.#plot.path([from, to], false) }, this.#slab);
    const right = to[0] > from[0] ? to : from;
    const label = svg('text', { x: this.#plot.x(right[0]) + 8, y: this.#plot.y(right[1]) + 4 }, this.#slab);
    label.textContent = `width ${brief(width)}`;
  }

  #drawShapes(shapes: readonly Shape[], selected: number): void {
    this.#shapes.replaceChildren();
    for (const family of [0, 1]) {
      const points = shapes.filter((shape) => shape.family === family).flatMap((shape) => outlinePoints(shape));
      if (points.length) svg('path', { class: `hull c${family}`, d: this.#plot.path(hull(points)) }, this.#shapes);
    }
    shapes.forEach((shape, i) => {
      const [x, y] = [this.#plot.x(shape.x), this.#plot.y(shape.y)];
      const [unit] = this.#plot.unit;
      const group = svg('g', { class: `ellipse c${shape.family}${i === selected ? ' selected' : ''}` }, this.#shapes);
      const turn = `rotate(${(-shape.angle * 180) / Math.PI} ${x} ${y})`;
      svg('ellipse', { cx: x, cy: y, rx: shape.a / unit, ry: shape.b / unit, transform: turn }, group);
      svg('circle', { class: 'centre', cx: x, cy: y, r: 2.5 }, group);
    });
  }

  #drawWitness(result: Separation | undefined): void {
    this.#witness.replaceChildren();
    if (result?.status !== 'touching') return;
    const [x, y] = [this.#plot.x(result.witness[0]!), this.#plot.y(result.witness[1]!)];
    svg('circle', { cx: x, cy: y, r: 9 }, this.#witness);
    svg('path', { d: `M${x - 5} ${y - 5}l10 10m0-10l-10 10` }, this.#witness);
    svg('text', { x: x + 15, y: y + 4 }, this.#witness).textContent = 'witness';
  }

  #drawHandles(shape: Shape | undefined): void {
    this.#handles.replaceChildren();
    if (!shape) return;
    const [first, second, knob] = handlesOf(shape, this.#plot);
    const centre: Position = [this.#plot.x(shape.x), this.#plot.y(shape.y)];
    const line = (from: Position, to: Position) => svg('path', { d: `M${from[0]} ${from[1]}L${to[0]} ${to[1]}` }, this.#handles);
    line(centre, knob);
    line(centre, second);
    for (const [x, y] of [first, second]) svg('rect', { x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 }, this.#handles);
    svg('circle', { cx: knob[0], cy: knob[1], r: 6 }, this.#handles);
  }
}

/** Where the ends of the axes and the knob are, in pixels. */
export function handlesOf(shape: Shape, plot: Plot): [Position, Position, Position] {
  const pixel = ([x, y]: Position): Position => [plot.x(x), plot.y(y)];
  const [first, second] = [pixel(outline(shape, 0)), pixel(outline(shape, Math.PI / 2))];
  return [first, second, [first[0] + KNOB * Math.cos(shape.angle), first[1] - KNOB * Math.sin(shape.angle)]];
}
