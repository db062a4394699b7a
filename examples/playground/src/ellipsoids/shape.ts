/** Ellipsoids of the plane: a centre, two half-axes, and by how much they are turned. */
import type { Ellipsoid } from 'fista-classify';
import type { Position } from '../geometry.js';

export interface Shape {
  /** 0 or 1: the first family or the second. */
  readonly family: number;
  readonly x: number;
  readonly y: number;
  /** The half-axes. */
  readonly a: number;
  readonly b: number;
  /** Of the axis a, counter-clockwise, in radians. */
  readonly angle: number;
}

export const LEAST_AXIS = 0.05;
export const LARGEST_AXIS = 4;

/** As the library takes it: { centre + M z : |z| ≤ 1 }. */
export function ellipsoid({ x, y, a, b, angle }: Shape): Ellipsoid {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return {
    center: [x, y],
    shape: [
      [a * c, -b * s],
      [a * s, b * c],
    ],
  };
}

/** The point of the outline at this parameter. */
export function outline({ x, y, a, b, angle }: Shape, t: number, factor = 1): Position {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [u, v] = [factor * a * Math.cos(t), factor * b * Math.sin(t)];
  return [x + u * c - v * s, y + u * s + v * c];
}

export function outlinePoints(shape: Shape, count = 90): Position[] {
  return Array.from({ length: count }, (_, k) => outline(shape, (2 * Math.PI * k) / count));
}

export function contains({ x, y, a, b, angle }: Shape, [px, py]: Position): boolean {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [dx, dy] = [px - x, py - y];
  return Math.hypot((dx * c + dy * s) / a, (dy * c - dx * s) / b) <= 1;
}

/** Above -90° and up to 90°, beyond which ellipses repeat. `half`: half a turn, in the unit of the angle. */
export const reduced = (angle: number, half = Math.PI) => angle - half * Math.ceil(angle / half - 0.5);

export const clampAxis = (axis: number) => Math.min(Math.max(axis, LEAST_AXIS), LARGEST_AXIS);
