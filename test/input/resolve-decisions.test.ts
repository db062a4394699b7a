import { describe, expect, it } from 'vitest';
import { Dataset } from '../../lib/index.js';
import { resolveScore } from '../../lib/input/resolve-decisions.js';

describe('resolveScore(model, points, labels)', () => {
  it('takes a Dataset', () => {
    const dataset = Dataset.from([[1, 2], [3, 4]]); // prettier-ignore
    const { source, y } = resolveScore({ cols: 2, labels: ['no', 'yes'] }, dataset, ['yes', 'no']);
    expect(source.dataset).toBe(dataset);
    expect(y).toEqual(Int8Array.of(1, -1));
  });
});
