/** The points that are drawn, and how to go back. A scene is never changed: edits make new ones, which makes undoing simple. */
import { LETTERS } from '../palette.js';

export interface Spot {
  readonly x: number;
  readonly y: number;
  /** The number of the class. */
  readonly k: number;
}

/** The part of the plane that is shown. `equal`: x and y have the same unit. */
export interface Domain {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly equal: boolean;
}

export interface Scene {
  readonly spots: readonly Spot[];
  /** How many classes there are to choose from, of which some may have no points. */
  readonly classes: number;
  /** The names of the classes; those without one have letters. */
  readonly names: readonly string[];
  readonly axes: readonly [x: string, y: string];
  readonly domain: Domain;
}

export const BLANK: Scene = {
  spots: [],
  classes: 2,
  names: [],
  axes: ['', ''],
  domain: { x: [-6, 6], y: [-4.5, 4.5], equal: true },
};

/** The latest state and those before it. */
export class History<T> {
  readonly #past: T[] = [];
  #now: T;

  constructor(first: T) {
    this.#now = first;
  }

  get now(): T {
    return this.#now;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** A new state. What happens in one gesture (`again`) is one step to go back. */
  put(next: T, again = false): void {
    if (!again) this.#past.push(this.#now);
    if (this.#past.length > 200) this.#past.shift();
    this.#now = next;
  }

  undo(): void {
    this.#now = this.#past.pop() ?? this.#now;
  }
}

/** How many classes have points. */
export const classesOf = (spots: readonly Spot[]) => new Set(spots.map(({ k }) => k)).size;

export const nameOf = ({ names }: Scene, k: number) => names[k] ?? LETTERS[k]!;

export const moved = (scene: Scene, index: number, x: number, y: number): Scene => ({
  ...scene,
  spots: scene.spots.map((spot, i) => (i === index ? { ...spot, x, y } : spot)),
});

export const added = (scene: Scene, spot: Spot): Scene => ({ ...scene, spots: [...scene.spots, spot] });

export const without = (scene: Scene, index: number): Scene => ({ ...scene, spots: scene.spots.filter((_, i) => i !== index) });
