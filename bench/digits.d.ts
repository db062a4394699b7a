import type { DenseMatrix } from '../lib/types.js';

export interface Digits {
  zeros: Uint8Array[];
  ones: Uint8Array[];
}
export function readFixture(): Digits;
export function readDigits(images: Buffer, labels: Buffer): Digits;
export function ellipsoids(images: readonly Uint8Array[]): { centers: DenseMatrix; shapes: DenseMatrix };
export function random(seed: number): () => number;
export function draw<T>(list: readonly T[], n: number, next: () => number): T[];
export function spread(numbers: readonly number[]): { min: number; median: number; max: number };
