import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJSON, writeJSON } from '../../lib/io/model-json.js';
import type { Calibration } from '../../lib/svm/calibration.js';
import type { Model } from '../../lib/svm/model.js';
import { anyModel, finite, randomModel } from './models.js';

const parsed = (json: unknown): unknown => JSON.parse(JSON.stringify(json));

const probability = fc.double({ min: 0, max: 1, noNaN: true });
const ends = fc
  .uniqueArray(finite, { minLength: 1, maxLength: 5, comparator: (a, b) => a === b })
  .chain((values) => fc.tuple(fc.constant(values), fc.array(probability, { minLength: values.length, maxLength: values.length })));
const ascending = (list: readonly number[]) => Float64Array.from(list, (x) => x + 0).sort();

const sigmoid: fc.Arbitrary<Calibration> = fc.record({ kind: fc.constant('sigmoid' as const), a: finite, b: finite });
const isotonic: fc.Arbitrary<Calibration> = ends.map(([values, probabilities]) => {
  return { kind: 'isotonic', values: ascending(values), probabilities: ascending(probabilities) };
});

/** A model, and a calibration of one kind for each of its planes. */
const calibrated = fc.tuple(anyModel(), fc.constantFrom(sigmoid, isotonic)).chain(([model, kind]) => {
  const { length } = model.planes;
  return fc.array(kind, { minLength: length, maxLength: length }).map((calibration): Model => ({ ...model, calibration }));
});

describe('readJSON(writeJSON(model)) of a model with probabilities', () => {
  it('keeps every bit of them', () => {
    fc.assert(
      fc.property(calibrated, fc.boolean(), (model, proofs) => {
        const json = writeJSON(model, { proofs });
        expect(json.version).toBe(2);
        const { calibration } = readJSON(parsed(json));
        const plain = (one: Calibration) => (one.kind === 'sigmoid' ? { ...one, a: one.a + 0, b: one.b + 0 } : one);
        expect(calibration).toEqual(model.calibration!.map(plain));
      }),
    );
  });

  it('has a checksum that covers them', () => {
    const lines = { kind: 'isotonic', values: Float64Array.of(-1, 1), probabilities: Float64Array.of(0.25, 0.5) } as const;
    for (const one of [{ kind: 'sigmoid', a: -1, b: 0.5 } as const, lines]) {
      const model: Model = { ...randomModel([1, 2, 3], 'pairs', 2), calibration: [one, one, one] };
      for (const change of one.kind === 'sigmoid' ? ['a', 'b'] : ['values', 'probabilities']) {
        const json = parsed(writeJSON(model)) as { calibration: { planes: Record<string, unknown>[] } };
        const plane = json.calibration.planes[1]!;
        const nudge = (x: number) => x * (1 + 2 ** -52);
        plane[change] = Array.isArray(plane[change])
          ? plane[change].map((x: number, k) => (k === 1 ? nudge(x) : x))
          : nudge(plane[change] as number);
        expect(() => readJSON(json)).toThrow(/^Expected labels, planes and calibration that match json\.checksum/);
      }
      const none = parsed(writeJSON(model)) as Record<string, unknown>;
      delete none.calibration;
      expect(() => readJSON(none)).toThrow(/^Expected labels and planes that match json\.checksum/);
    }
  });
});

describe('readJSON(json) of a model with probabilities', () => {
  it.each<[string, unknown, string]>([
    ['no object', 'sigmoid', 'Expected an object for json.calibration but received "sigmoid"'],
    ['another kind', { kind: 'platt' }, `Expected 'sigmoid' or 'isotonic' for json.calibration.kind but received "platt"`],
    [
      'too few planes',
      { kind: 'sigmoid', planes: [{ a: 1, b: 2 }] },
      'Expected 3 objects, one for each plane, for json.calibration.planes but received 1',
    ],
    [
      'a plane of null',
      { kind: 'sigmoid', planes: [null, null, null] },
      'Expected { a, b } for json.calibration.planes[0] but received null',
    ],
    [
      'a sigmoid without b',
      { kind: 'sigmoid', planes: [{ a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1 }] },
      'Expected a finite number for json.calibration.planes[1].b but received undefined',
    ],
    [
      'no values',
      { kind: 'isotonic', planes: [{ values: [], probabilities: [] }, {}, {}] },
      'Expected at least one number for json.calibration.planes[0].values but received 0',
    ],
    [
      'a probability too few',
      { kind: 'isotonic', planes: [{ values: [1, 2], probabilities: [0] }, {}, {}] },
      'Expected 2 numbers for json.calibration.planes[0].probabilities, as in json.calibration.planes[0].values, but received 1',
    ],
    [
      'values that do not ascend',
      { kind: 'isotonic', planes: [{ values: [1, 1], probabilities: [0, 1] }, {}, {}] },
      'Expected a number above 1, as they ascend, for json.calibration.planes[0].values[1] but received 1',
    ],
    [
      'probabilities that fall',
      { kind: 'isotonic', planes: [{ values: [1, 2], probabilities: [0.5, 0.25] }, {}, {}] },
      'Expected a number from 0.5 to 1, as they ascend, for json.calibration.planes[0].probabilities[1] but received 0.25',
    ],
    [
      'a probability above 1',
      { kind: 'isotonic', planes: [{ values: [1], probabilities: [1.5] }, {}, {}] },
      'Expected a number from 0 to 1, as they ascend, for json.calibration.planes[0].probabilities[0] but received 1.5',
    ],
  ])('refuses %s', (_, calibration, message) => {
    const json = { ...(parsed(writeJSON(randomModel([1, 2, 3], 'pairs', 2))) as object), checksum: undefined, calibration };
    expect(() => readJSON(json)).toThrow(expect.objectContaining({ code: 'ERR_MODEL', message }) as Error);
  });
});
