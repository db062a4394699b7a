/** What the editors of both plots have in common: one drag at a time, what the pointer means, and keys that go from one thing to the next. */
import type { Position } from './geometry.js';

/** The largest distance in pixels at which something is meant. Fingers are less exact. */
const REACH: Readonly<Record<string, number>> = { mouse: 11, pen: 14, touch: 20 };

/** Where the pointer is in the drawing, in pixels. */
export function pixelOf(root: Element, { clientX, clientY }: PointerEvent): Position {
  const frame = root.getBoundingClientRect();
  return [clientX - frame.left, clientY - frame.top];
}

export const distance = (p: Position, q: Position) => Math.hypot(p[0] - q[0], p[1] - q[1]);

/** The number of the place nearest to the pointer, the last one of equals; -1 if none is within its reach. */
export function nearest(pointer: Position, { pointerType }: PointerEvent, places: readonly Position[]): number {
  let [found, least] = [-1, REACH[pointerType] ?? REACH.mouse!];
  places.forEach((place, i) => {
    const away = distance(place, pointer);
    if (away <= least) [found, least] = [i, away];
  });
  return found;
}

/** A drag by the pointer that began it. What other fingers do meanwhile is no part of it. */
export class Drag {
  readonly #root: SVGSVGElement;
  #pointer: number | undefined;

  /** `onDown` is told of the left and the right button where no drag is under way, and decides whether one begins. */
  constructor(root: SVGSVGElement, onDown: (event: PointerEvent) => void, onMove: (event: PointerEvent) => void, onUp: () => void) {
    this.#root = root;
    root.addEventListener('pointerdown', (event) => {
      if (!this.isOn && (event.button === 0 || event.button === 2)) onDown(event);
    });
    root.addEventListener('pointermove', (event) => {
      if (event.pointerId === this.#pointer) onMove(event);
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      root.addEventListener(end, ({ pointerId }) => {
        if (pointerId !== this.#pointer) return;
        this.stop();
        onUp();
      });
    }
    root.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  get isOn(): boolean {
    return this.#pointer !== undefined;
  }

  begin({ pointerId }: PointerEvent): void {
    this.#root.setPointerCapture(pointerId);
    this.#pointer = pointerId;
  }

  /** Forgets the drag, where what was dragged is gone. */
  stop(): void {
    this.#pointer = undefined;
  }
}

const ARROWS: Readonly<Record<string, Position>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The direction of an arrow key, and by how many pixels it moves. */
export function arrowOf({ key, shiftKey }: KeyboardEvent): { readonly direction: Position; readonly pixels: number } | undefined {
  const direction = ARROWS[key];
  return direction && { direction, pixels: shiftKey ? 20 : 4 };
}

/** The number that N or P selects after this one, of so many; undefined for other keys. Of none selected, -1, N goes to the first and P to the last. */
export function selectedBy({ key }: KeyboardEvent, selected: number, count: number): number | undefined {
  const by = { n: 1, p: -1 }[key.toLowerCase()]; // whatever Shift and Caps Lock do
  if (by === undefined) return undefined;
  return count ? (Math.max(selected, by > 0 ? -1 : 0) + by + count) % count : -1;
}
