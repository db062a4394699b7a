/**
 * Each allocation of the addon fails in turn: the call must throw ERR_MEMORY, and the next call must work. Needs the addon with
 * failAllocation that npm run test:sanitized builds; skipped with any other.
 */
import { describe, expect, it, vi } from 'vitest';
import { backend, loadNative } from '../../lib/backend/load.js';
import { crossValidate, Dataset, LinearSvm, readLibsvm, separateEllipsoids, separateEllipsoidsAsync } from '../../lib/index.js';
import { clouds, dense, sparse } from '../support/svm-data.js';

vi.mock(import('../../lib/solver/drivers.js'), async (original) => (await import('../support/place.js')).placed(await original()));

interface Failing {
  /** Makes the k-th allocation from now on fail, or none if k is 0. Returns how many allocations were still to come before the last one set. */
  failAllocation?(k: number): number;
}

const addon = (backend.name === 'native' ? loadNative() : {}) as Failing;

const { rows, labels } = clouds(8, 40, 4);
const matrix = dense(rows);
const csr = sparse(rows);
const model = LinearSvm.fit(rows, labels);
const three = LinearSvm.fit(
  rows,
  rows.map((_, i) => i % 3),
);
const fitted = ({ weights, bias }: LinearSvm<number>) => [...weights, bias];
const family = (at: number) => rows.slice(at, at + 5).map(([x, ...rest]) => ({ center: [x! + at, ...rest], shape: 0.1 }));
const separated = (answer: object) => ({ ...answer, elapsed: 0 });
const text = () => Buffer.from('1 1:2.5 2:1\n-1 1:0.1 3:4\n'.repeat(50));
const data = Dataset.from(matrix);

const CALLS: [title: string, call: () => unknown][] = [
  ['Dataset.from(dense)', () => Dataset.from(matrix).bytes],
  ['Dataset.from(sparse)', () => Dataset.from(csr).bytes],
  ['LinearSvm.fit(dense)', () => fitted(LinearSvm.fit(matrix, labels))],
  ['LinearSvm.fit(sparse)', () => fitted(LinearSvm.fit(csr, labels))],
  ['LinearSvm.fit(dataset), warm', () => fitted(LinearSvm.fit(data, labels, { warmStart: model, scale: 'none' }))],
  ['LinearSvm.fitAsync(dense)', async () => fitted(await LinearSvm.fitAsync(matrix, labels))],
  ['LinearSvm.fitAsync(sparse)', async () => fitted(await LinearSvm.fitAsync(csr, labels))],
  ["LinearSvm.fitAsync with gamma: 'auto'", async () => fitted(await LinearSvm.fitAsync(matrix, labels, { gamma: 'auto' }))],
  ['decision(dense)', () => model.decision(matrix)],
  ['decision(dataset)', () => model.decision(Dataset.from(csr))], // by one plane, a dense one allocates nothing
  ['predict and certify, three classes', () => [three.predict(matrix), three.certify(csr)]],
  ['crossValidate', async () => (await crossValidate(matrix, labels, { folds: 2, gammas: [0.1, 1] })).table],
  ['separateEllipsoids', () => separated(separateEllipsoids(family(0), family(20)))],
  ['separateEllipsoidsAsync', async () => separated(await separateEllipsoidsAsync(family(0), family(20)))],
  ['readLibsvm', () => readLibsvm(text())],
];

describe.skipIf(!addon.failAllocation)('when one allocation fails', () => {
  it.each(CALLS)('%s throws ERR_MEMORY, whichever allocation it is, and works the next time', async (_, call) => {
    const expected = await call();
    let failures = 0;
    for (let k = 1; ; k++) {
      addon.failAllocation!(k);
      const end = await Promise.resolve()
        .then(call)
        .then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
      if (addon.failAllocation!(0) > 0) {
        expect(end).toEqual({ value: expected });
        break;
      }
      expect(end).toEqual({ error: expect.objectContaining({ message: 'Out of memory', code: 'ERR_MEMORY' }) as unknown });
      failures++;
      if (failures < 5 || failures % 7 === 0) expect(await call()).toEqual(expected);
    }
    expect(failures).toBeGreaterThan(0);
  });
});
