import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkTextLength, outlineOf, readJSON, writeJSON } from '../../lib/io/model-json.js';
import { textOf } from '../../lib/io/json-text.js';
import { Checksum } from '../../lib/io/model-checksum.js';
import { boundsOfRounded, shortest } from '../../lib/io/single-precision.js';
import { UNBOUNDED } from '../../lib/svm/certificate.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { modelOf, sidesOf, type Model, type PlaneProof } from '../../lib/svm/model.js';
import type { SvmJSON1, SvmJSON2 } from '../../lib/types.js';
import { normal, random } from '../support/random.js';
import { anyModel, finite, planesOf, randomModel, unproved } from './models.js';

/** What JSON keeps of a model: no -0. */
function kept(model: Model): unknown {
  return JSON.parse(
    JSON.stringify({
      labels: model.labels,
      planes: model.planes.map(({ positive, negative, weights, bias }) => [positive, negative, [...weights], bias]),
      columns: model.columns,
    }),
  );
}

const provedOf = (proofs: Model['proofs']) =>
  proofs?.map(({ slope, low, high, norm, inverseScale, centre }) => {
    return { slope: slope + 0, low: low + 0, high: high + 0, norm: norm + 0, inverseScale, centre };
  });

const parsed = (json: unknown): unknown => JSON.parse(JSON.stringify(json));
const nothing = (model: Model) => !model.proofs?.some(({ slope }) => slope < Infinity);

describe('readJSON(writeJSON(model))', () => {
  it('keeps every bit of a model, and its proofs if they are asked for', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyModel(), fc.boolean(), (model, proofs) => {
        const json = writeJSON(model, { proofs });
        const version = model.labels.length === 2 && (!proofs || nothing(model)) ? 1 : 2;
        expect(json.version).toBe(version);
        const read = readJSON(parsed(json));
        expect(kept(read)).toEqual(kept(model));
        expect(read.table.weights.buffer).toBe(read.planes[0]!.weights.buffer);
        if (!proofs || nothing(model)) expect(read.proofs).toBeUndefined();
        else expect(provedOf(read.proofs)).toEqual(provedOf(model.proofs));
        expect(JSON.stringify(writeJSON(read, { proofs }))).toBe(JSON.stringify(json));
        seen.add(`${version} ${model.labels.length > 2} ${read.proofs !== undefined}`);
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBe(4);
  });

  it('rounds weights to 32 bits if asked to, and keeps these bits', () => {
    const weight = fc.oneof(fc.double({ min: -3e38, max: 3e38, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }));
    fc.assert(
      fc.property(anyModel({ weight }), fc.boolean(), (model, proofs) => {
        const json = writeJSON(model, { proofs, precision: 'f32' }) as SvmJSON2;
        expect([json.version, json.precision]).toEqual([2, 'f32']);
        const read = readJSON(parsed(json));
        expect(read.table.weights).toEqual(model.table.weights.map((w) => Math.fround(w) + 0));
        expect(read.table.biases).toEqual(model.table.biases.map((bias) => bias + 0));
        // What was rounded once is not rounded again, and its proofs stay what they are.
        expect(JSON.stringify(writeJSON(read, { proofs, precision: 'f32' }))).toBe(JSON.stringify(json));
      }),
      { numRuns: 200 },
    );
  });

  it('shares the scale, and the centre that all planes have', () => {
    const model = proved(randomModel([1, 2, 3], 'rest', 4), true);
    const json = writeJSON(model, { proofs: true }) as SvmJSON2;
    expect(Object.keys(json.proofs!)).toEqual(['inverseScale', 'centre', 'planes']);
    const { proofs } = readJSON(parsed(json));
    expect(new Set(proofs!.map(({ centre }) => centre)).size).toBe(1);
    expect(new Set(proofs!.map(({ inverseScale }) => inverseScale)).size).toBe(1);
    const own = writeJSON(proved(model, false), { proofs: true }) as SvmJSON2;
    expect(Object.keys(own.proofs!)).toEqual(['inverseScale', 'planes']);
    expect(readJSON(parsed(own)).proofs).toEqual(proved(model, false).proofs);
  });

  it('has null for a plane of which nothing is proved, and says nothing of a scale of its own', () => {
    const model = proved(randomModel([1, 2, 3], 'rest', 2), true);
    const [first, second, third] = model.proofs as [PlaneProof, PlaneProof, PlaneProof];
    const other = { ...third, inverseScale: third.inverseScale.map((inverse) => 2 * inverse) };
    const json = writeJSON({ ...model, proofs: [{ ...first, high: Infinity }, second, other] }, { proofs: true }) as SvmJSON2;
    expect(json.proofs!.planes.map((plane) => plane === null)).toEqual([true, false, true]);
    expect(readJSON(parsed(json)).proofs).toEqual([unproved, second, unproved]);
    const none = writeJSON({ ...model, proofs: [unproved, unproved, unproved] }, { proofs: true });
    expect('proofs' in none).toBe(false);
    const odd = { ...first, centre: first.centre.map(() => NaN) };
    expect('proofs' in writeJSON({ ...model, proofs: [odd, odd, odd] }, { proofs: true })).toBe(false);
  });
});

/** The model with proofs made up. */
function proved(model: Model, shared: boolean): Model {
  const cols = model.planes[0]!.weights.length;
  const inverseScale = Float64Array.from({ length: cols }, (_, j) => 0.5 + j);
  const centre = (p: number) => Float64Array.from({ length: cols }, (_, j) => (shared ? 1 : p + 1) / (j + 1));
  const proofs = model.planes.map((_, p) => {
    return { slope: 0.1 * (p + 1), low: -p / 7 - 0.01, high: 0.3, norm: 2, inverseScale, centre: centre(p) };
  });
  return { ...model, proofs };
}

describe('writeJSON(model)', () => {
  it('writes two classes as version 1, with the checksum of earlier releases', () => {
    const model = planesOf([3, 7], 'pairs', [{ weights: [1e-20, 0, 0.1], bias: -0.5 }], {
      proofs: undefined,
      columns: ['a', 'b', 'c'],
    });
    const { checksum, ...json } = writeJSON(model) as SvmJSON1;
    expect(JSON.stringify(json)).toBe(
      '{"format":"fista-classify/linear-svm","version":1,"labels":[3,7],"bias":-0.5,"weights":[1e-20,0,0.1],"columns":["a","b","c"]}',
    );
    const hash = createHash('sha256').update('[[3,7],-0.5,3,["a","b","c"]]');
    const bytes = Buffer.alloc(24);
    [0, 2].forEach((index, k) => bytes.writeUInt32LE(index, 4 * k));
    [1e-20, 0.1].forEach((weight, k) => bytes.writeDoubleLE(weight, 8 + 8 * k));
    expect(checksum).toBe(hash.update(bytes).digest('hex'));
    expect(writeJSON(model, { proofs: true, precision: 'f64' })).toEqual({ ...json, checksum }); // it has none
  });

  it('writes several classes as version 2, each plane in the shorter form', () => {
    const weights = [1, ...new Array<number>(98).fill(0), -2];
    const zero = new Array<number>(100).fill(0);
    const full = new Array<number>(100).fill(0.5);
    const model = planesOf(['a', 'b', 'c'], 'rest', [weights, zero, full].map((w, p) => ({ weights: w, bias: p }))); // prettier-ignore
    const { checksum, ...json } = writeJSON(model) as SvmJSON2;
    expect(json).toEqual({
      format: 'fista-classify/linear-svm',
      version: 2,
      labels: ['a', 'b', 'c'],
      multiclass: 'rest',
      planes: [
        { bias: 0, weights: { length: 100, indices: [0, 99], values: [1, -2] } },
        { bias: 1, weights: { length: 100, indices: [], values: [] } },
        { bias: 2, weights: full },
      ],
    });
    const dense = { ...json, checksum, planes: [{ bias: 0, weights }, { bias: 1, weights: zero }, json.planes[2]!] };
    expect(readJSON(dense).table).toEqual(model.table);
  });

  it('writes 32-bit weights in few digits', () => {
    const model = planesOf([0, 1], 'pairs', [{ weights: [0.1, 1 / 3, -1e-40, 1e30], bias: 0.1 }]);
    const { planes, precision, multiclass } = writeJSON(model, { precision: 'f32' }) as SvmJSON2;
    expect([precision, multiclass]).toEqual(['f32', undefined]);
    expect(JSON.stringify(planes)).toBe('[{"bias":0.1,"weights":[0.1,0.33333334,-1e-40,1e+30]}]');
  });

  it.each([
    [{ precison: 'f32' }, 'Unknown option "precison"; did you mean "precision"?'],
    [{ proofs: 'yes' }, 'Expected true or false for options.proofs but received "yes"'],
    [{ precision: 32 }, "Expected 'f64' or 'f32' for options.precision but received 32"],
  ])('refuses options %j', (options, message) => {
    expect(() => writeJSON(randomModel([1, 2], 'pairs', 2), options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTION', message }) as Error,
    );
  });

  it('refuses a weight that 32 bits cannot hold', () => {
    const model = planesOf([1, 2, 3], 'rest', [[0, 1], [1, 0], [2, -1e39]].map((weights) => ({ weights, bias: 0 }))); // prettier-ignore
    expect(() => writeJSON(model, { precision: 'f32' })).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        code: 'ERR_MODEL',
        message: "Expected a number that 32 bits can hold for planes[2].weights[1], as precision is 'f32', but received -1e+39",
      }) as Error,
    );
  });

  it('refuses a model whose text would be longer than a string, and names saveModel', () => {
    const weights = new Float64Array(26_000_000).fill(-0.12345678901234568); // 21 characters each, with the comma
    const model = modelOf([0, 1], sidesOf(2, 'pairs'), { weights, biases: new Float64Array(1) }, { proofs: undefined });
    expect(() => writeJSON(model)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        code: 'ERR_MODEL',
        message: expect.stringMatching(
          /^Expected at most \d+ characters, .* but received more; saveModel\(path, model\)/,
        ) as string,
      }) as Error,
    );
  });

  it('counts the characters exactly', () => {
    fc.assert(
      fc.property(anyModel(), fc.boolean(), (model, proofs) => {
        const { length } = JSON.stringify(writeJSON(model, { proofs }));
        const most = 25 * model.table.weights.length * (proofs && model.proofs ? 3 : 1);
        expect(() => checkTextLength(model, { proofs }, length)).not.toThrow();
        if (most >= length) expect(() => checkTextLength(model, { proofs }, length - 1)).toThrow('but received more');
      }),
    );
  });
});

describe('textOf(outlineOf(model))', () => {
  it('gives the text of writeJSON(model), in short pieces', () => {
    fc.assert(
      fc.property(anyModel(), fc.boolean(), (model, proofs) => {
        expect([...textOf(outlineOf(model, { proofs }))].join('')).toBe(JSON.stringify(writeJSON(model, { proofs })));
      }),
    );
    const uniform = random(5);
    const long = planesOf(
      [1, 2, 3],
      'rest',
      [0, 0.9, 1].map((zeros) => {
        return { weights: Array.from({ length: 100_000 }, () => (uniform() < zeros ? 0 : normal(uniform))), bias: 1 };
      }),
      { proofs: undefined, columns: Array.from({ length: 100_000 }, (_, j) => `column ${j}`) },
    );
    for (const precision of ['f64', 'f32'] as const) {
      const pieces = [...textOf(outlineOf(long, { precision }))];
      expect(pieces.reduce((most, { length }) => Math.max(most, length), 0)).toBeLessThan(120_000);
      expect(pieces.join('')).toBe(JSON.stringify(writeJSON(long, { precision })));
    }
  });
});

describe('readJSON(json)', () => {
  const pairs = () => parsed(writeJSON(proved(randomModel([1, 2, 3], 'pairs', 3), false), { proofs: true })) as Mutable;
  const rest = () => parsed(writeJSON(proved(randomModel([1, 2, 3], 'rest', 3), true), { proofs: true })) as Mutable;
  type Mutable = Record<string, unknown> & { planes: Record<string, unknown>[]; proofs: Record<string, never[]> };

  /** The JSON without its checksum, changed. */
  const changed = (change: (json: Mutable) => void, make = pairs) => {
    const json = make();
    delete json.checksum;
    change(json);
    return json;
  };

  it.each<[string, (json: Mutable) => void, string]>([
    ['a newer version', (json) => (json.version = 3), 'Expected version 1 or 2 for json.version but received 3 (written by a newer fista-classify)'],
    ['another version', (json) => (json.version = 0), 'Expected version 1 or 2 for json.version but received 0'],
    ['no labels', (json) => delete json.labels, 'Expected two labels or more for json.labels but received undefined'],
    ['one label', (json) => (json.labels = [1]), 'Expected two labels or more for json.labels but received an array of length 1'],
    ['too many labels', (json) => (json.labels = new Array<number>(65537)), 'Expected at most 65536 labels for json.labels but received 65537'],
    ['a label twice', (json) => (json.labels = [1, 2, 2]), 'Expected a number above 2, as labels ascend, for json.labels[2] but received 2'],
    ['labels out of order', (json) => (json.labels = ['b', 'a', 'c']), 'Expected a string above "b", as labels ascend, for json.labels[1] but received "a"'],
    ['labels of mixed types', (json) => (json.labels = [1, 2, '3']), 'Expected a number above 2, as labels ascend, for json.labels[2] but received "3"'],
    ['a label of null', (json) => (json.labels = [1, 2, null]), 'Expected a number, string or boolean for json.labels[2] but received null'],
    ['a label that is not finite', (json) => (json.labels = [1, 2, Infinity]), 'Expected a finite number for json.labels[2] but received Infinity'],
    ['no multiclass', (json) => delete json.multiclass, "Expected 'pairs' or 'rest' for json.multiclass but received undefined"],
    ['another multiclass', (json) => (json.multiclass = 'ovr'), `Expected 'pairs' or 'rest' for json.multiclass but received "ovr"`],
    ['multiclass of two labels', (json) => (json.labels = [1, 2]), 'Expected nothing, as there are two labels, for json.multiclass but received "pairs"'],
    ['another precision', (json) => (json.precision = 'f16'), `Expected 'f64', 'f32' or nothing for json.precision but received "f16"`],
    ['no planes', (json) => (json.planes = undefined as never), 'Expected 3 planes, one for each pair of labels, for json.planes but received undefined'],
    ['too few planes', (json) => json.planes.pop(), 'Expected 3 planes, one for each pair of labels, for json.planes but received 2'],
    ['more labels than planes', (json) => (json.labels = [1, 2, 3, 4]), 'Expected 6 planes, one for each pair of labels, for json.planes but received 3'],
    ['too many planes of two labels', (json) => { json.labels = [1, 2]; delete json.multiclass; }, 'Expected 1 plane for json.planes but received 3'],
    ['planes without entries', (json) => (json.planes = new Array<never>(3)), 'Expected { bias, weights } for json.planes[0] but received undefined'],
    ['a bias of null', (json) => (json.planes[1]!.bias = null), 'Expected a finite number for json.planes[1].bias but received null'],
    ['no weights', (json) => delete json.planes[2]!.weights, 'Expected an array of numbers or { length, indices, values } for json.planes[2].weights but received undefined'],
    ['a weight that is text', (json) => (json.planes[2]!.weights = [1, 2, '3']), 'Expected a finite number for json.planes[2].weights[2] but received "3"'],
    ['a weight too few', (json) => (json.planes[2]!.weights = [1, 2]), 'Expected 3 numbers for json.planes[2].weights, as in json.planes[0], but received 2'],
    ['a huge length', (json) => (json.planes[1]!.weights = { length: 2 ** 28, indices: [], values: [] }), 'Expected 3 numbers for json.planes[1].weights, as in json.planes[0], but received 268435456'],
    ['a length beyond the limit', (json) => (json.planes[1]!.weights = { length: 2 ** 28 + 1, indices: [], values: [] }), 'Expected an integer from 0 to 268435456 for json.planes[1].weights.length but received 268435457'],
    ['an index out of order', (json) => (json.planes[1]!.weights = { length: 3, indices: [2, 1], values: [1, 1] }), 'Expected an integer from 3 to 2, as indices ascend, for json.planes[1].weights.indices[1] but received 1'],
    ['values too few', (json) => (json.planes[1]!.weights = { length: 3, indices: [1, 2], values: [1] }), 'Expected 2 numbers for json.planes[1].weights.values, as in json.planes[1].weights.indices, but received 1'],
    ['a weight beyond 32 bits', (json) => { json.precision = 'f32'; json.planes[1]!.weights = [0, 1e39, 0]; }, 'Expected a number that 32 bits can hold for json.planes[1].weights[1] but received 1e+39'],
    ['names too few', (json) => (json.columns = ['a']), 'Expected 3 names, one for each weight, for json.columns but received an array of length 1'],
    ['proofs that are a list', (json) => (json.proofs = [] as never), 'Expected an object for json.proofs but received an array of length 0'],
    ['no scale', (json) => delete json.proofs.inverseScale, 'Expected an array of numbers or { length, indices, values } for json.proofs.inverseScale but received undefined'],
    ['a short scale', (json) => json.proofs.inverseScale!.pop(), 'Expected 3 numbers for json.proofs.inverseScale, one for each weight, but received 2'],
    ['a negative scale', (json) => (json.proofs.inverseScale![1] = -1 as never), 'Expected a number of 0 or more for json.proofs.inverseScale, column 1, but received -1'],
    ['a scale that is not finite', (json) => (json.proofs.inverseScale![1] = Infinity as never), 'Expected a finite number for json.proofs.inverseScale[1] but received Infinity'],
    ['proofs of too few planes', (json) => json.proofs.planes!.pop(), 'Expected 3 proofs, one for each plane, for json.proofs.planes but received 2'],
    ['a proof that is a number', (json) => (json.proofs.planes![1] = 7 as never), 'Expected { slope, low, high, norm } or null for json.proofs.planes[1] but received 7'],
    ['no slope', (json) => (json.proofs.planes![1] = {} as never), 'Expected a finite number for json.proofs.planes[1].slope but received undefined'],
    ['a negative slope', (json) => Object.assign(json.proofs.planes![1]!, { slope: -1 }), 'Expected a number of 0 or more for json.proofs.planes[1].slope but received -1'],
    ['a negative norm', (json) => Object.assign(json.proofs.planes![1]!, { norm: -1e-300 }), 'Expected a number of 0 or more for json.proofs.planes[1].norm but received -1e-300'],
    ['low above 0', (json) => Object.assign(json.proofs.planes![2]!, { low: 0.5 }), 'Expected a number of 0 or less for json.proofs.planes[2].low but received 0.5'],
    ['high below 0', (json) => Object.assign(json.proofs.planes![2]!, { high: -0.5 }), 'Expected a number of 0 or more for json.proofs.planes[2].high but received -0.5'],
    ['no centre', (json) => Object.assign(json.proofs.planes![2]!, { centre: undefined }), 'Expected an array of numbers or { length, indices, values } for json.proofs.planes[2].centre but received undefined'],
    ['a short centre', (json) => Object.assign(json.proofs, { centre: [1] }), 'Expected 3 numbers for json.proofs.centre, one for each weight, but received 1'],
  ])('refuses %s', (_what, change, message) => {
    expect(() => readJSON(changed(change))).toThrow(expect.objectContaining({ code: 'ERR_MODEL', message }) as Error);
  }); // prettier-ignore

  it('refuses a model against the rest with another number of planes', () => {
    expect(() => readJSON(changed((json) => json.planes.pop(), rest))).toThrow(
      'Expected 3 planes, one for each label, for json.planes but received 2',
    );
  });

  it('accepts a model without a checksum, but none of its proofs', () => {
    expect(readJSON(pairs()).proofs).toBeDefined();
    const read = readJSON(changed((json) => (json.planes[0]!.bias = 5)));
    expect([read.planes[0]!.bias, read.proofs]).toEqual([5, undefined]);
  });

  it('refuses every change of what predicts or proves', () => {
    for (const make of [pairs, rest]) {
      const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
        typeof value !== 'object' || value === null
          ? [path]
          : Object.entries(value).flatMap(([name, item]) => places(item, [...path, name]));
      const all = places(make()).filter(([name]) => name !== 'format' && name !== 'version');
      expect(all.length).toBeGreaterThan(30);
      for (const path of all) {
        const json = make();
        let owner = json as Record<string, unknown>;
        for (const name of path.slice(0, -1)) owner = owner[name] as Record<string, unknown>;
        const last = path.at(-1)!;
        const value = owner[last];
        // The smallest change of a number, which leaves labels in order and bounds valid.
        owner[last] = typeof value !== 'number' ? `${String(value)}x` : value * (1 + 2 ** -52) + 5e-324;
        if (path[0] === 'multiclass') owner[last] = value === 'pairs' ? 'rest' : 'pairs';
        expect(() => readJSON(json), path.join('.')).toThrow(
          expect.objectContaining({
            code: 'ERR_MODEL',
            message: expect.stringMatching(
              /^Expected labels, planes and proofs that match json\.checksum, .*: the model was edited or damaged/,
            ) as string,
          }) as Error,
        );
      }
    }
  });

  it('refuses names, proofs or a precision that were added, removed or exchanged', () => {
    const json = pairs();
    const [first, second, third] = json.planes;
    for (const change of [
      { columns: ['a', 'b', 'c'] },
      { proofs: undefined },
      { precision: 'f32' },
      { planes: [second, first, third] },
      { proofs: { ...json.proofs, planes: [null, ...json.proofs.planes!.slice(1)] } },
      { checksum: 'abc' },
    ]) {
      expect(() => readJSON({ ...json, ...change })).toThrow('but received others: the model was edited or damaged');
    }
  });

  it('does not allocate the weights that planes only claim', () => {
    const sparse = { length: 2 ** 28, indices: [], values: [] };
    const labels = Array.from({ length: 20_000 }, (_, k) => k);
    const json = { ...pairs(), proofs: undefined, checksum: undefined, multiclass: 'rest', labels };
    expect(() => readJSON({ ...json, planes: labels.map(() => ({ bias: 0, weights: sparse })) })).toThrow(
      `Expected as many weights as memory holds for json but received ${20_000 * 2 ** 28}`,
    );
    expect(() => readJSON({ ...json, planes: new Array(20_000) })).toThrow('Expected { bias, weights } for json.planes[0]');
  });

  describe('of lists that claim more columns than memory holds', () => {
    const cols = 2 ** 26;
    const labels = [0, 1, 2, 3, 4];
    const none = { length: cols, indices: [], values: [] };
    const bounds = { slope: 1, low: -1, high: 1, norm: 1 };
    const claimed = (centre: object | undefined) => {
      const planes = Array.from({ length: 10 }, () => ({ bias: 0, weights: none }));
      const own = centre ? undefined : none;
      const proofs = { inverseScale: none, centre, planes: planes.map(() => ({ ...bounds, centre: own })) };
      return { format: 'fista-classify/linear-svm', version: 2, labels, multiclass: 'pairs', planes, proofs };
    };
    /** The checksum that a forger computes. */
    const checksum = (centre: object | undefined) => {
      const empty = { length: cols, indices: new Uint32Array(0), values: new Float64Array(0) };
      const sum = new Checksum({ labels, multiclass: 'pairs', columns: undefined, cols });
      for (let p = 0; p < 10; p++) sum.plane(0, empty);
      sum.columns(empty, centre && empty);
      for (let p = 0; p < 10; p++) sum.bounds(bounds, centre ? undefined : empty);
      return sum.digest();
    };
    const memory = (numbers: number) =>
      vi.stubGlobal('process', Object.create(process, { availableMemory: { value: () => 8 * numbers } }));
    afterEach(() => vi.unstubAllGlobals());

    it('refuses weights before it reads the proofs', () => {
      memory(10 * cols - 1);
      const read = vi.fn();
      const json = Object.defineProperty(claimed(none), 'proofs', { get: read });
      expect(() => readJSON(json)).toThrow(`Expected as many weights as memory holds for json but received ${10 * cols}`);
      expect(read).not.toHaveBeenCalled();
    });

    it("refuses the planes' own centres before it makes arrays of them, with a checksum that matches", () => {
      memory(10 * cols);
      expect(() => readJSON({ ...claimed(undefined), checksum: checksum(undefined) })).toThrow(
        `Expected as many scales and centres as memory holds for json but received ${11 * cols}`,
      );
    });

    it('makes arrays of nothing if the checksum does not match', () => {
      memory(10 * cols);
      const array = vi.fn(() => {
        throw new Error('an array');
      });
      vi.stubGlobal('Float64Array', new Proxy(Float64Array, { construct: (Of, [length]: [number]) => (length < cols ? new Of(length) : array()) })); // prettier-ignore
      expect(() => readJSON({ ...claimed(none), checksum: 'x' })).toThrow('the model was edited or damaged');
      expect(() => readJSON({ ...claimed(undefined), checksum: 'x' })).toThrow('the model was edited or damaged');
      expect(array).not.toHaveBeenCalled();
      expect(() => readJSON({ ...claimed(none), checksum: checksum(none) })).toThrow('as memory holds');
      expect(array).toHaveBeenCalled();
    });

    it('looks for negative scales among those that are there', () => {
      const json = {
        ...claimed(none),
        labels: [0, 1],
        multiclass: undefined,
        planes: [{ bias: 0, weights: { ...none, length: 2 ** 28 } }],
      };
      json.proofs.inverseScale = { length: 2 ** 28, indices: [7, 2 ** 28 - 1], values: [1, -2] } as never;
      const began = performance.now();
      expect(() => readJSON(json)).toThrow(
        'Expected a number of 0 or more for json.proofs.inverseScale, column 268435455, but received -2',
      );
      expect(performance.now() - began).toBeLessThan(500);
    });
  });

  it('reads own properties only, each once', () => {
    const reads: string[] = [];
    const watch = (value: unknown, path: string): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      const copy: unknown = Array.isArray(value) ? [] : {};
      for (const [name, item] of Object.entries(value)) {
        const get = () => {
          reads.push(`${path}.${name}`);
          return watch(item, `${path}.${name}`);
        };
        Object.defineProperty(copy, name, { get, enumerable: true, configurable: true });
      }
      return copy;
    };
    for (const make of [pairs, rest]) {
      reads.length = 0;
      expect(readJSON(watch(make(), 'json'))).toEqual(readJSON(make()));
      expect(reads.length).toBe(new Set(reads).size);
    }
    expect(() => readJSON(Object.create(pairs()))).toThrow('for json.format but received undefined');
    const planes = pairs().planes.map((plane) => Object.create(plane) as unknown);
    expect(() => readJSON({ ...pairs(), planes })).toThrow(
      'Expected a finite number for json.planes[0].bias but received undefined',
    );
    const polluted = JSON.parse(JSON.stringify(pairs()).replaceAll('{', '{"__proto__":{"bias":7,"polluted":1},')) as object;
    expect(readJSON(polluted)).toEqual(readJSON(pairs()));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('reads, or refuses with a code, a text in which anything was replaced', () => {
    const texts = [pairs, rest].map((make) => JSON.stringify(make()));
    const values = ['null', '[]', '{}', '-1', '1e999', '"x"', '0', '[0]', '1e300', 'true'];
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom(...values),
        fc.boolean(),
        (text, share, value, bare) => {
          // Puts a value in the place of a number, string or name.
          const words = [...text.matchAll(/"[^"]*"|-?\d[\d.e+-]*/g)];
          const word = words[Math.floor(share * words.length)]!;
          const end = word.index + word[0].length;
          let json: Record<string, unknown>;
          try {
            json = JSON.parse(text.slice(0, word.index) + value + text.slice(end)) as Record<string, unknown>;
          } catch {
            return;
          }
          if (bare) delete json.checksum;
          try {
            const read = readJSON(json);
            expect(read.table.weights.every(Number.isFinite) && read.table.biases.every(Number.isFinite)).toBe(true);
          } catch (error) {
            expect((error as { code: string }).code).toBe('ERR_MODEL');
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('shortest(value)', () => {
  it('is restored by Math.fround, and has as few digits as any number that is', () => {
    const single = fc.float({ noNaN: true, noDefaultInfinity: true });
    const digits = (value: number) => value.toExponential().replace(/e.*|\D/g, '').length;
    fc.assert(
      fc.property(fc.oneof(single, fc.double({ min: -1, max: 1, noNaN: true }).map(Math.fround)), (value) => {
        const short = shortest(value);
        expect(Math.fround(short) + 0).toBe(value + 0);
        expect(digits(short)).toBeLessThanOrEqual(9);
        for (let count = 6; count < digits(short); count++) {
          expect(Math.fround(Number(value.toPrecision(count)))).not.toBe(value);
        }
      }),
      { numRuns: 5000 },
    );
    expect([0, -0, 1, -0.1, 1e-45, 3.4028234663852886e38].map((value) => String(shortest(Math.fround(value))))).toEqual([
      '0',
      '0',
      '1',
      '-0.1',
      '1e-45',
      '3.4028235e+38',
    ]);
  });
});

describe('boundsOfRounded(proof, weights)', () => {
  /** Exact arithmetic on doubles: integers times a power of two. */
  const SHIFT = 1200n;
  const exact = (value: number): bigint => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, value);
    const [high, low] = [bits.getUint32(0), bits.getUint32(4)];
    const exponent = (high >>> 20) & 0x7ff;
    const mantissa = (BigInt(high & 0xfffff) << 32n) + BigInt(low) + (exponent > 0 ? 2n ** 52n : 0n);
    const size = mantissa << (SHIFT + BigInt(Math.max(exponent, 1) - 1075));
    return value < 0 ? -size : size;
  };

  it('encloses whatever the bounds of the weights enclose, at any point', () => {
    const uniform = random(7);
    const magnitude = () => 10 ** (6 * uniform() - 3);
    let moved = 0;
    for (let trial = 0; trial < 400; trial++) {
      const d = 1 + Math.floor(6 * uniform());
      const list = (of: () => number) => Float64Array.from({ length: d }, of);
      const tiny = trial % 4 === 0 ? 1e-46 : 1; // weights that 32 bits cannot tell from 0
      const weights = list(() => normal(uniform) * magnitude() * tiny);
      const inverseScale = list(magnitude);
      const centre = list(() => normal(uniform) * magnitude() * (trial % 3 === 0 ? 1e8 : 1));
      const norm = Math.hypot(...weights.map((w, j) => w / inverseScale[j]!));
      const proof = { slope: 0, low: 0, high: 0, norm, inverseScale, centre };
      const { slope, low, high, norm: grown } = boundsOfRounded(proof, weights);
      const rounded = weights.map(Math.fround);
      expect(grown).toBeGreaterThanOrEqual(Math.hypot(...rounded.map((w, j) => w / inverseScale[j]!)));
      for (let probe = 0; probe < 5; probe++) {
        // Near the centre, far from it, and where the difference grows fastest.
        const far = probe === 0 ? 0 : 10 ** (4 * uniform() - 2);
        const x = centre.map((c, j) => {
          const way = probe < 3 ? normal(uniform) : (rounded[j]! - weights[j]!) / inverseScale[j]! / (slope || 1);
          return c + (far * way) / inverseScale[j]!;
        });
        // The exact plane is that of the weights: its value exceeds the rounded plane's by (weights - rounded)·x.
        let excess = 0n;
        let square = 0n;
        for (let j = 0; j < d; j++) {
          excess += (exact(weights[j]!) - exact(rounded[j]!)) * exact(x[j]!);
          square += ((exact(x[j]!) - exact(centre[j]!)) * exact(inverseScale[j]!)) ** 2n;
        }
        // |excess - end| <= slope · distance, squared.
        const unit = 2n ** SHIFT;
        const beyond = (end: number, sign: bigint) => {
          const over = sign * (excess - exact(end) * unit);
          return over <= 0n || over ** 2n <= (exact(slope) ** 2n * square) / unit ** 2n + 1n;
        };
        expect([trial, probe, beyond(low, -1n), beyond(high, 1n)]).toEqual([trial, probe, true, true]);
      }
      if (slope > 0) moved++;
    }
    expect(moved).toBe(400);
  });

  it("keeps the rounded plane's own value between the bounds, so that a label is not certified which predict does not give", () => {
    // By the exact planes the point's label is 0, by two votes; the first plane's vote turns when its weight is rounded, all votes are then
    // equal, and the sums of values make it 2.
    const sharp = { slope: 1e-15, low: -1e-15, high: 1e-15, norm: 1, inverseScale: Float64Array.of(1), centre: Float64Array.of(1) };
    const rounded = Math.fround(0.1);
    const planes = [
      { weights: [0.1], bias: (-0.1 - rounded) / 2 },
      { weights: [0], bias: -1e-9 },
      { weights: [0], bias: 0.1 },
    ];
    const model = planesOf([0, 1, 2], 'pairs', planes, { proofs: [sharp, sharp, sharp] });
    const exactly = LinearSvm.fromJSON(parsed(writeJSON(model, { proofs: true })));
    expect([exactly.predictOne([1]), exactly.certify([[1]])]).toEqual([0, [true]]);
    const read = LinearSvm.fromJSON(parsed(writeJSON(model, { proofs: true, precision: 'f32' })));
    expect([read.predictOne([1]), read.certify([[1]])]).toEqual([2, [false]]);
  });

  it('adds little: about half a unit of 32 bits of the norm', () => {
    const model = proved(randomModel([0, 1], 'pairs', 50), true);
    const [proof] = model.proofs!;
    const norm = Math.hypot(...model.planes[0]!.weights.map((w, j) => w / proof!.inverseScale[j]!));
    const bounds = boundsOfRounded({ ...proof!, norm }, model.planes[0]!.weights);
    expect(bounds.slope - proof!.slope).toBeGreaterThan(0);
    expect(bounds.slope - proof!.slope).toBeLessThan(norm * 2 ** -23);
    expect(Math.abs(bounds.low - proof!.low)).toBeLessThan(norm * 2 ** -20);
  });

  it('leaves 32-bit weights as they are, and proves nothing where the scale of a rounded weight is unknown', () => {
    const proof = { slope: 1, low: -1, high: 2, norm: 3, inverseScale: Float64Array.of(1, 0), centre: new Float64Array(2) };
    expect(boundsOfRounded(proof, Float64Array.of(0.5, 0))).toEqual({ slope: 1, low: -1, high: 2, norm: 3 });
    expect(boundsOfRounded(proof, Float64Array.of(0.1, 0)).slope).toBeGreaterThan(1);
    expect(boundsOfRounded(proof, Float64Array.of(0.5, 0.1))).toBe(UNBOUNDED);
    expect(boundsOfRounded({ ...proof, norm: 0 }, Float64Array.of(0.1, 0))).toBe(UNBOUNDED);
    const model = planesOf([1, 2], 'pairs', [{ weights: [0.5, 0.1], bias: 0 }], { proofs: [proof] });
    expect('proofs' in writeJSON(model, { proofs: true, precision: 'f32' })).toBe(false);
  });

  it('is what writeJSON writes with 32-bit weights', () => {
    fc.assert(
      fc.property(anyModel({ weight: fc.double({ min: -9, max: 9, noNaN: true }) }), (model) => {
        const { proofs } = readJSON(parsed(writeJSON(model, { proofs: true, precision: 'f32' })));
        const known = model.proofs?.map((proof, p) => {
          const bounds = boundsOfRounded(proof, model.planes[p]!.weights);
          return bounds.slope === Infinity ? unproved : { ...proof, ...bounds };
        });
        const some = known?.some(({ slope }) => slope < Infinity);
        expect(provedOf(proofs)).toEqual(some ? provedOf(known) : undefined);
      }),
    );
  });
});

describe('finite numbers', () => {
  it('of all sizes are kept, signs of zero excepted', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (weights) => {
        const model = planesOf([1, 2, 3], 'rest', [weights, weights, weights].map((w) => ({ weights: w, bias: w[0]! }))); // prettier-ignore
        expect(readJSON(parsed(writeJSON(model))).table.weights).toEqual(model.table.weights.map((w) => w + 0));
      }),
    );
  });
});
