/** Pointer and keys on the plot of ellipsoids: add, move, stretch, turn, delete. */
import { arrowOf, distance, Drag, nearest, pixelOf, selectedBy } from '../editing.js';
import type { Position } from '../geometry.js';
import type { Plot } from '../plot.js';
import type { History } from '../points/scene.js';
import { handlesOf } from './figure.js';
import { clampAxis, contains, reduced, type Shape } from './shape.js';

export interface Editing {
  readonly history: History<readonly Shape[]>;
  readonly plot: Plot;
  /** The family of new ellipsoids. */
  readonly current: () => number;
  readonly changed: (shapes: boolean) => void;
}

type Grip = 'body' | 'first' | 'second' | 'knob';
/** As handlesOf has them. */
const GRIPS: readonly Grip[] = ['first', 'second', 'knob'];

export const MOST_SHAPES = 40;

export class EllipsoidsEditor {
  selected = -1;
  readonly #editing: Editing;
  readonly #drag: Drag;
  #grip: Grip = 'body';
  #from: Position = [0, 0];
  #moved = false;

  constructor(editing: Editing) {
    this.#editing = editing;
    const { root } = editing.plot;
    this.#drag = new Drag(
      root,
      (event) => this.#down(event),
      (event) => this.#move(event),
      () => editing.changed(true),
    );
    root.addEventListener('keydown', (event) => this.#key(event));
  }

  get isDragging(): boolean {
    return this.#drag.isOn;
  }

  get shape(): Shape | undefined {
    return this.#editing.history.now[this.selected];
  }

  /** Changes the selected ellipsoid. */
  edit(change: Partial<Shape>, again = false): void {
    const { history, changed } = this.#editing;
    if (!this.shape) return;
    history.put(
      history.now.map((shape, i) => (i === this.selected ? { ...shape, ...change } : shape)),
      again,
    );
    changed(true);
  }

  remove(index = this.selected): void {
    const { history, changed } = this.#editing;
    if (!history.now[index]) return;
    history.put(history.now.filter((_, i) => i !== index));
    this.selected = -1;
    this.#drag.stop();
    changed(true);
  }

  add([x, y]: Position): void {
    const { history, changed, current } = this.#editing;
    if (history.now.length >= MOST_SHAPES) return;
    history.put([...history.now, { family: current(), x, y, a: 0.9, b: 0.55, angle: 0 }]);
    this.selected = history.now.length - 1;
    changed(true);
  }

  #down(event: PointerEvent): void {
    const { plot, history, changed } = this.#editing;
    const at = plot.at(event);
    const grip = event.button === 0 ? this.#gripAt(event) : undefined;
    const inside = history.now.findLastIndex((shape) => contains(shape, at));
    if (event.button === 2) return this.remove(inside);
    this.#drag.begin(event);
    this.#moved = false;
    this.#grip = grip ?? 'body';
    if (!grip && inside < 0) {
      this.#moved = true;
      this.add(at);
    } else if (!grip) this.selected = inside;
    const shape = this.shape;
    if (shape) this.#from = [at[0] - shape.x, at[1] - shape.y];
    changed(false);
  }

  /** The handle of the selected ellipsoid under the pointer. Of a small one, a finger reaches handles from the centre, but means the whole. */
  #gripAt(event: PointerEvent): Grip | undefined {
    const { plot } = this.#editing;
    const { shape } = this;
    if (!shape) return undefined;
    const pointer = pixelOf(plot.root, event);
    const handles = handlesOf(shape, plot);
    const handle = handles[nearest(pointer, event, handles)];
    if (!handle) return undefined;
    const centre: Position = [plot.x(shape.x), plot.y(shape.y)];
    return distance(handle, pointer) < distance(centre, pointer) ? GRIPS[handles.indexOf(handle)] : 'body';
  }

  #move(event: PointerEvent): void {
    const { shape } = this;
    if (!shape) return;
    const at = this.#editing.plot.at(event);
    const [dx, dy] = [at[0] - shape.x, at[1] - shape.y];
    const [c, s] = [Math.cos(shape.angle), Math.sin(shape.angle)];
    const change: Record<Grip, () => Partial<Shape>> = {
      body: () => ({ x: at[0] - this.#from[0], y: at[1] - this.#from[1] }),
      first: () => ({ a: clampAxis(dx * c + dy * s) }),
      second: () => ({ b: clampAxis(dy * c - dx * s) }),
      knob: () => ({ angle: Math.atan2(dy, dx) }),
    };
    this.edit(change[this.#grip](), this.#moved);
    this.#moved = true;
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { plot, history, changed } = this.#editing;
    const { shape } = this;
    const arrow = arrowOf(event);
    const next = selectedBy(event, this.selected, history.now.length);
    const turn = (by: number) => shape && this.edit({ angle: reduced(shape.angle + by) });
    if (arrow && shape) {
      const step = arrow.pixels * plot.unit[0];
      const [x, y] = plot.within([shape.x + step * arrow.direction[0], shape.y + step * arrow.direction[1]]);
      this.edit({ x, y });
    } else if (event.key === 'Enter') this.add([0, 0]);
    else if (event.key === 'Delete' || event.key === 'Backspace') this.remove();
    else if (next !== undefined) {
      this.selected = next;
      changed(false);
    } else if (event.key === '[' || event.key === ']') turn(event.key === ']' ? Math.PI / 36 : -Math.PI / 36);
    else if (event.key === 'Escape') {
      this.selected = -1;
      changed(false);
    } else return;
    event.preventDefault();
  }
}
