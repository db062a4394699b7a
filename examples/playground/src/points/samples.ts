/** Points to begin with. */
import { normal, random } from '../random.js';
import { BLANK, classesOf, type Scene, type Spot } from './scene.js';

/** Rounded to what a drawing shows. */
const spot = (x: number, y: number, k: number): Spot => ({ x: Math.round(x * 1000) / 1000, y: Math.round(y * 1000) / 1000, k });

function clouds(seed: number, each: number, centres: readonly (readonly [x: number, y: number, spread: number])[]): Spot[] {
  const next = normal(random(seed));
  return centres.flatMap(([x, y, spread], k) =>
    Array.from({ length: each }, () => spot(x + spread * next(), y + spread * next(), k)),
  );
}

/** Two half-moons that interlock: no line separates them. */
function moons(): Spot[] {
  const uniform = random(7);
  const next = normal(uniform);
  return Array.from({ length: 90 }, (_, i) => {
    const k = i % 2;
    const angle = Math.PI * uniform();
    const [x, y] = k ? [1 - Math.cos(angle), 0.35 - Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)];
    return spot(2.7 * (x - 0.5) + 0.32 * next(), 2.7 * (y - 0.18) + 0.32 * next(), k);
  });
}

function outliers(): Spot[] {
  return [
    ...clouds(11, 22, [
      [-2.4, -0.6, 0.75],
      [2.4, 0.6, 0.75],
    ]),
    spot(4.4, -2.9, 0),
    spot(3.2, -3.6, 0),
    spot(-4.6, 3.1, 1),
  ];
}

const SETS: Readonly<Record<string, () => Spot[]>> = {
  overlap: () =>
    clouds(3, 40, [
      [-1.7, -0.7, 1.25],
      [1.7, 0.8, 1.25],
    ]),
  moons,
  separable: () =>
    clouds(5, 26, [
      [-2.7, 1.1, 0.85],
      [2.5, -1, 0.85],
    ]),
  three: () =>
    clouds(8, 24, [
      [-3, -1.6, 0.95],
      [2.9, -1.7, 0.95],
      [0.1, 2.3, 0.95],
    ]),
  five: () =>
    clouds(
      4,
      14,
      [0, 1, 2, 3, 4].map((k) => [3.9 * Math.sin((2 * Math.PI * k) / 5), 2.9 * Math.cos((2 * Math.PI * k) / 5), 0.62] as const),
    ),
  outliers,
};

/** The names in the page's select; undefined for a name that is not among them. */
export function sample(name: string): Scene | undefined {
  const spots = Object.hasOwn(SETS, name) ? SETS[name]!() : undefined;
  return spots && { ...BLANK, spots, classes: classesOf(spots) };
}
