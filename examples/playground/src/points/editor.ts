/** Pointer and keys on the plot of points: add, drag, delete, select. It knows positions, not models. */
import { arrowOf, Drag, nearest, pixelOf, selectedBy } from '../editing.js';
import type { Position } from '../geometry.js';
import type { Plot } from '../plot.js';
import { added, moved, nameOf, without, type History, type Scene } from './scene.js';

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

export class PointsEditor {
  selected = -1;
  cursor: Position | undefined;
  readonly #editing: Editing;
  readonly #drag: Drag;
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
    root.addEventListener('blur', () => {
      this.cursor = undefined;
      editing.changed(false);
    });
  }

  get isDragging(): boolean {
    return this.#drag.isOn;
  }

  /** Forgets the selection, where points were replaced. */
  clear(): void {
    this.selected = -1;
    this.#drag.stop();
  }

  #down(event: PointerEvent): void {
    const { plot, history, changed, current, isErasing } = this.#editing;
    this.cursor = undefined;
    const places = history.now.spots.map(({ x, y }): Position => [plot.x(x), plot.y(y)]);
    const near = nearest(pixelOf(plot.root, event), event, places);
    if (event.button === 2 || isErasing()) {
      if (near >= 0) this.#remove(near);
      return;
    }
    this.#drag.begin(event);
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
    if (!spot) return;
    const [x, y] = plot.at(event);
    if (x === spot.x && y === spot.y) return;
    history.put(moved(history.now, this.selected, x, y), this.#moved);
    this.#moved = true;
    changed(true);
  }

  #remove(index: number): void {
    const { history, changed, say } = this.#editing;
    history.put(without(history.now, index));
    this.clear();
    say('Point deleted.');
    changed(true);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrowOf(event);
    const next = selectedBy(event, this.selected, this.#editing.history.now.spots.length);
    if (arrow) this.#nudge(arrow.direction, arrow.pixels);
    else if (next !== undefined) this.#choose(next);
    else if (event.key === 'Enter') this.#addAtCursor();
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      if (this.selected >= 0) this.#remove(this.selected);
    } else if (event.key.toLowerCase() === 'c' && this.selected >= 0) this.#relabel();
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

  #choose(index: number): void {
    const { history, changed, say } = this.#editing;
    const { spots } = history.now;
    const spot = spots[index];
    if (!spot) return;
    this.selected = index;
    say(`Point ${index + 1} of ${spots.length}, class ${nameOf(history.now, spot.k)}.`);
    changed(false);
  }

  #relabel(): void {
    const { history, current, changed } = this.#editing;
    const scene = history.now;
    history.put({ ...scene, spots: scene.spots.map((spot, i) => (i === this.selected ? { ...spot, k: current() } : spot)) });
    changed(true);
  }
}
