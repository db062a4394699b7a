import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkColumns, checkMemory } from '../../lib/input/capacity.js';
import { refusal } from '../support/refusal.js';

const machine = vi.hoisted(() => ({ free: 0 }));
vi.mock('node:os', async (original) => ({ ...(await original<object>()), freemem: () => machine.free }));

const MIB = 2 ** 20;
const refused = (max: number, received: number) =>
  `RangeError [ERR_POINTS]: Expected at most ${max} columns with entries, as many as fit in memory, for points but received ${received}`;

/** Replaces what Node says of the memory. Node before 20.13 has no availableMemory. */
function memory({ available, constrained = 0, free = 0 }: { available?: number; constrained?: number; free?: number }) {
  vi.stubGlobal(
    'process',
    Object.create(process, {
      availableMemory: { value: available === undefined ? undefined : () => available },
      constrainedMemory: { value: () => constrained },
    }),
  );
  machine.free = free;
}

afterEach(() => vi.unstubAllGlobals());

describe('checkColumns(cols)', () => {
  it('takes 2 ** 28 columns, and refuses one more', () => {
    expect(refusal(() => checkColumns(2 ** 28))).toBe('none');
    expect(refusal(() => checkColumns(2 ** 28 + 1))).toBe(
      "RangeError [ERR_POINTS]: Expected at most 268435456 columns, the limit on a model's weights, for points but received 268435457",
    );
  });
});

describe('checkMemory(kept)', () => {
  it('takes as many columns as fit, of 128 bytes each, and refuses one more', () => {
    memory({ available: 256 * MIB + 127 });
    expect(refusal(() => checkMemory(2 * MIB))).toBe('none');
    expect(refusal(() => checkMemory(2 * MIB + 1))).toBe(refused(2 * MIB, 2 * MIB + 1));
  });

  it('asks only from 2 ** 20 columns on', () => {
    memory({ available: 0 });
    expect(refusal(() => checkMemory(MIB - 1))).toBe('none');
    expect(refusal(() => checkMemory(MIB))).toBe(refused(0, MIB));
  });

  it('counts memory that other programs could give back, where Node tells of it', () => {
    memory({ available: 256 * MIB, free: 128 * MIB, constrained: 128 * MIB });
    expect(refusal(() => checkMemory(2 * MIB))).toBe('none');
  });

  it('counts free memory and the limit of the control group, whichever is less, on an older Node', () => {
    memory({ free: 256 * MIB, constrained: 2 ** 40 });
    expect(refusal(() => checkMemory(2 * MIB))).toBe('none');
    expect(refusal(() => checkMemory(3 * MIB))).toBe(refused(2 * MIB, 3 * MIB));
    memory({ free: 2 ** 40, constrained: 256 * MIB });
    expect(refusal(() => checkMemory(2 * MIB))).toBe('none');
    expect(refusal(() => checkMemory(3 * MIB))).toBe(refused(2 * MIB, 3 * MIB));
  });

  it('counts free memory alone where there is no limit', () => {
    memory({ free: 256 * MIB, constrained: 0 });
    expect(refusal(() => checkMemory(2 * MIB))).toBe('none');
    expect(refusal(() => checkMemory(3 * MIB))).toBe(refused(2 * MIB, 3 * MIB));
  });
});
