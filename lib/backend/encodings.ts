/** What is proved of a row, for good: each is a fact about every exact optimum. `agreed` alone is about the last claim's own t. */
export const CERTIFIED = { proper: 1, zero: 2, atBound: 4, positive: 8, negative: 16, agreed: 32 } as const;
/** How an ellipsoid's shape is stored: nothing, its radius, its diagonal, or its whole matrix by rows. As in native/kernels/esp.h. */
export const KIND = { point: 0, ball: 1, diagonal: 2, full: 3 } as const;

/** Stored entries of a shape. */
export function shapeSize(kind: number, d: number): number {
  return kind === KIND.point ? 0 : kind === KIND.ball ? 1 : kind === KIND.diagonal ? d : d * d;
}

/** A number as files have it. Every character can be matched in one way only: a long one that is none is told in linear time. */
export const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
