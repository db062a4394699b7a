/** Pointer and keys on the plot of ellipsoids: add, move, stretch, turn, delete. */
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

const REACH = { mouse: 11, pen: 15, touch: 22 };
export const MOST_SHAPES = 40;

export class EllipsoidsEditor {
  selected = -1;
  isDragging = false;
  readonly #editing: Editing;
  #grip: Grip = 'body';
  #from: Position = [0, 0];
  #moved = false;

  constructor(editing: Editing) {
    this.#editing = editing;
    const { root } = editing.plot;
    root.addEventListener('pointerdown', (event) => this.#down(event));
    root.addEventListener('pointermove', (event) => this.#move(event));
    root.addEventListener('pointerup', () => this.#up());
    root.addEventListener('pointercancel', () => this.#up());
    root.addEventListener('contextmenu', (event) => event.preventDefault());
    root.addEventListener('keydown', (event) => this.#key(event));
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
    this.isDragging = false;
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
    if (this.isDragging || (event.button !== 0 && event.button !== 2)) return;
    const at = plot.at(event);
    const grip = event.button === 0 ? this.#gripAt(event) : undefined;
    const inside = history.now.findLastIndex((shape) => contains(shape, at));
    if (event.button === 2) return this.remove(inside);
    plot.root.setPointerCapture(event.pointerId);
    this.isDragging = true;
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

  /** The handle of the selected ellipsoid under the pointer. */
  #gripAt(event: PointerEvent): Grip | undefined {
    const { plot } = this.#editing;
    if (!this.shape) return undefined;
    const frame = plot.root.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const reach = REACH[event.pointerType as keyof typeof REACH] ?? REACH.mouse;
    const [first, second, knob] = handlesOf(this.shape, plot);
    const grips: [Grip, Position][] = [
      ['knob', knob],
      ['first', first],
      ['second', second],
    ];
    return grips.find(([, at]) => Math.hypot(at[0] - x, at[1] - y) <= reach)?.[0];
  }

  #move(event: PointerEvent): void {
    const { shape } = this;
    if (!this.isDragging || !shape) return;
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

  #up(): void {
    if (!this.isDragging) return;
    this.isDragging = false;
    this.#editing.changed(true);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { plot, history, changed } = this.#editing;
    const { shape } = this;
    const step = (event.shiftKey ? 20 : 4) * plot.unit[0];
    const arrows: Record<string, Position> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = arrows[event.key];
    const turn = (by: number) => shape && this.edit({ angle: reduced(shape.angle + by) });
    if (arrow && shape) {
      const [x, y] = plot.within([shape.x + step * arrow[0], shape.y + step * arrow[1]]);
      this.edit({ x, y });
    } else if (event.key === 'Enter') this.add([0, 0]);
    else if (event.key === 'Delete' || event.key === 'Backspace') this.remove();
    else if (event.key === 'n' || event.key === 'p') {
      const { length } = history.now;
      if (length)
        this.selected = (Math.max(this.selected, event.key === 'n' ? -1 : 0) + (event.key === 'n' ? 1 : -1) + length) % length;
      changed(false);
    } else if (event.key === '[' || event.key === ']') turn(event.key === ']' ? Math.PI / 36 : -Math.PI / 36);
    else if (event.key === 'Escape') {
      this.selected = -1;
      changed(false);
    } else return;
    event.preventDefault();
  }
}
