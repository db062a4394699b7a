import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { LinearSvm } from '../lib/index.js';

// A short run of the document fuzzers of `npm run fuzz`, and checks that they detect defects.

interface Reading {
  LinearSvm: { fromJSON(json: unknown): LinearSvm };
}

const { execute } = createRequire(__filename)('./fuzz/documents.js') as {
  execute: (name: string, seed: number, number: number, fista?: Reading) => Promise<boolean>;
};

async function executeMany(name: string, count: number, fista?: Reading): Promise<number> {
  let read = 0;
  for (let k = 0; k < count; k++) if (await execute(name, 1, k, fista)) read++;
  return read;
}

describe('execute(name, seed, number) of the document fuzzer', () => {
  it.each([
    ['json', 3000],
    ['liblinear', 3000],
    ['csv', 500],
    ['fds', 500],
  ])('finds no defect in reading changed documents: %s', async (name, count) => {
    const read = await executeMany(name, count);
    expect(read).toBeGreaterThan(count / 20); // some are still valid
    expect(read).toBeLessThan(count / 2);
  });
});

describe('execute(…) with a defective LinearSvm.fromJSON', () => {
  const instead = (fromJSON: (json: unknown) => LinearSvm) => executeMany('json', 100, { LinearSvm: { fromJSON } });

  it('reports an error without a code of the package', async () => {
    const fromJSON = (json: unknown) => {
      void (json as { labels: unknown[] }).labels.length; // of a document without labels
      return LinearSvm.fromJSON(json);
    };
    await expect(instead(fromJSON)).rejects.toThrow('an error of ours (ERR_MODEL)');
  });

  it('reports a model with a bias of NaN', async () => {
    const fromJSON = (json: unknown) => {
      const model = LinearSvm.fromJSON(json);
      return Object.create(model, { planes: { value: model.planes.map((plane) => ({ ...plane, bias: NaN })) } }) as LinearSvm;
    };
    await expect(instead(fromJSON)).rejects.toThrow('finite weights and bias');
  });

  it.each([true, false])('reports a changed prototype, enumerable: %s', async (enumerable) => {
    const fromJSON = (json: unknown) => {
      Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable, configurable: true, writable: true });
      return LinearSvm.fromJSON(json);
    };
    await expect(instead(fromJSON)).rejects.toThrow('prototypes as they were, without polluted');
    expect('polluted' in {}).toBe(false);
  });
});
