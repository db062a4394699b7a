/** Pointer and keys on the plot of points: add, drag, delete, select. It knows positions, not models. */
import type { Position } from '../geometry.js';
import type { Plot } from '../plot.js';
import { added, moved, without, type History, type Scene } from './scene.js';

export interface Editing {
  readonly history: History<Scene>;
  readonly plot: Plot;
  /** The class of new points. */
  readonly current: () => number;
  readonly isErasing: () => boolean;
  /** Called after every change of points, of the selection or of the crosshair. */
  readonly changed: (points: boolean) => void;
  /** Says what happened, for those who do not see it. */
  readonly say: (text: string) => void;
}

/** The largest distance in pixels at which a point is meant. Fingers are less exact. */
const REACH = { mouse: 11, pen: 14, touch: 20 };

export class PointsEditor {
  selected = -1;
  cursor: Position | undefined;
  isDragging = false;
  readonly #editing: Editing;
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
    root.addEventListener('blur', () => {
      this.cursor = undefined;
      editing.changed(false);
    });
  }

  /** Forgets the selection, where points were replaced. */
  clear(): void {
    this.selected = -1;
    this.isDragging = false;
  }

  /** The number of the point near the pointer, the last one drawn of several; -1 if there is none. */
  #near(event: PointerEvent): number {
    const { plot, history } = this.#editing;
    const frame = plot.root.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    let [found, least] = [-1, REACH[event.pointerType as keyof typeof REACH] ?? REACH.mouse];
    history.now.spots.forEach((spot, i) => {
      const distance = Math.hypot(plot.x(spot.x) - x, plot.y(spot.y) - y);
      if (distance <= least) [found, least] = [i, distance];
    });
    return found;
  }

  #down(event: PointerEvent): void {
    const { plot, history, changed, current, isErasing } = this.#editing;
    if (this.isDragging || (event.button !== 0 && event.button !== 2)) return;
    this.cursor = undefined;
    const near = this.#near(event);
    if (event.button === 2 || isErasing()) {
      if (near >= 0) this.#remove(near);
      return;
    }
    plot.root.setPointerCapture(event.pointerId);
    this.isDragging = true;
    this.#moved = near < 0; // a new point and where it is dragged to are one step
    if (near < 0) {
      const [x, y] = plot.at(event);
      history.put(added(history.now, { x, y, k: current() }));
    }
    this.selected = near < 0 ? history.now.spots.length - 1 : near;
    changed(near < 0);
  }

  #move(event: PointerEvent): void {
    const { plot, history, changed } = this.#editing;
    const spot = history.now.spots[this.selected];
    if (!this.isDragging || !spot) return;
    const [x, y] = plot.at(event);
    if (x === spot.x && y === spot.y) return;
    history.put(moved(history.now, this.selected, x, y), this.#moved);
    this.#moved = true;
    changed(true);
  }

  #up(): void {
    if (!this.isDragging) return;
    this.isDragging = false;
    this.#editing.changed(true);
  }

  #remove(index: number): void {
    const { history, changed, say } = this.#editing;
    history.put(without(history.now, index));
    this.selected = -1;
    this.isDragging = false;
    say('Point deleted.');
    changed(true);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows: Record<string, Position> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = arrows[event.key];
    if (arrow) this.#nudge(arrow, event.shiftKey ? 20 : 4);
    else if (event.key === 'Enter') this.#addAtCursor();
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      if (this.selected >= 0) this.#remove(this.selected);
    } else if (event.key === 'n' || event.key === 'p') this.#choose(event.key === 'n' ? 1 : -1);
    else if (event.key === 'c' && this.selected >= 0) this.#relabel();
    else if (event.key === 'Escape') {
      this.selected = -1;
      this.#editing.changed(false);
    } else return;
    event.preventDefault();
  }

  /** Moves the selected point, or the crosshair where none is selected. */
  #nudge([right, up]: Position, pixels: number): void {
    const { plot, history, changed } = this.#editing;
    const [dx, dy] = plot.unit;
    const spot = history.now.spots[this.selected];
    const [x, y] = spot ? [spot.x, spot.y] : this.#place();
    const next = plot.within([x + right * pixels * dx, y + up * pixels * dy]);
    if (spot) history.put(moved(history.now, this.selected, ...next));
    else this.cursor = next;
    changed(spot !== undefined);
  }

  /** Where the crosshair is; first, the middle. */
  #place(): Position {
    const [[left, low], , [right, high]] = this.#editing.plot.box as [Position, Position, Position, Position];
    return this.cursor ?? [(left + right) / 2, (low + high) / 2];
  }

  #addAtCursor(): void {
    const { history, current, changed, say } = this.#editing;
    const [x, y] = (this.cursor = this.#place());
    history.put(added(history.now, { x, y, k: current() }));
    this.selected = -1; // the arrow keys go on with the crosshair
    say('Point added.');
    changed(true);
  }

  #choose(by: number): void {
    const { history, changed, say } = this.#editing;
    const { spots, names } = history.now;
    if (!spots.length) return;
    this.selected = (Math.max(this.selected, by > 0 ? -1 : 0) + by + spots.length) % spots.length;
    const { k } = spots[this.selected]!;
    say(`Point ${this.selected + 1} of ${spots.length}, class ${names[k]}.`);
    changed(false);
  }

  #relabel(): void {
    const { history, current, changed } = this.#editing;
    const scene = history.now;
    history.put({ ...scene, spots: scene.spots.map((spot, i) => (i === this.selected ? { ...spot, k: current() } : spot)) });
    changed(true);
  }
}
