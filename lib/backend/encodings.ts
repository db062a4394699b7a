/** The numbers by which both backends encode kinds and certificates. Those of the native one are in native/kernels. */

/**
 * What is certified of a row, as bits (method C5, C8); as in native/kernels/table.h. `agreed` is about the last t; all others hold for
 * every exact optimum.
 */
export const CERTIFIED = { proper: 1, zero: 2, atBound: 4, positive: 8, negative: 16, agreed: 32 } as const;

/** How an ellipsoid's shape is stored: nothing, its radius, its diagonal, or its matrix by rows. As in native/kernels/esp.h. */
export const KIND = { point: 0, ball: 1, diagonal: 2, full: 3 } as const;

/** The number of stored entries of a shape. */
export function shapeSize(kind: number, d: number): number {
  return kind === KIND.point ? 0 : kind === KIND.ball ? 1 : kind === KIND.diagonal ? d : d * d;
}

/** Whether the processor keeps the lowest byte of a number first. */
export const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
