/** Models of records: LinearSvm.fit(records, labels or field, { encoder }). */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { crossValidate, Encoder, LinearSvm, stop, Table, text, trainTestSplit, type HeldOut } from '../../lib/index.js';
import { names } from '../support/backends.js';
import { random } from '../support/random.js';
import { refusal } from '../support/refusal.js';

interface Customer {
  age: number | null;
  city: string;
  tags: string[];
  note: string;
  churn: 'yes' | 'no';
}

const next = random(20);
const customers: Customer[] = Array.from({ length: 240 }, (_, i) => {
  const age = i % 9 === 0 ? null : 20 + Math.floor(50 * next());
  const city = ['Oslo', 'Rome', 'Paris', 'Bern'][i % 4]!;
  const angry = next() < 0.4;
  const churn = (age ?? 40) / 50 + (angry ? 1 : 0) + (city === 'Rome' ? 0.4 : 0) + 0.5 * next() > 1.5 ? 'yes' : 'no';
  const note = angry ? `bad service never again ${i % 13}` : `good service thank you ${i % 17}`;
  return { age, city, tags: i % 3 === 0 ? ['new', 'web'] : ['shop'], note, churn };
});
const labels = customers.map(({ churn }) => churn);
const unlabelled = customers.map(({ age, city, tags, note }) => ({ age, city, tags, note }));
const plan = { age: 'number', city: 'category', tags: 'categories', note: 'text' } as const;

describe.each(names)('records, %s backend', (backend) => {
  it('LinearSvm.fit(records, field) is the fit of the records without the field, and of their encoding', () => {
    const model = LinearSvm.fit(customers, 'churn', { backend });
    expect(model.labels).toEqual(['no', 'yes']);
    expect(Object.keys(model.encoder!.plan)).toEqual(['age', 'city', 'tags', 'note']);
    expect(model.score(customers, 'churn').accuracy).toBeGreaterThan(0.9);
    const same = LinearSvm.fit(unlabelled, labels, { encoder: plan, backend });
    expect(same.weights).toEqual(model.weights);
    const { encoder, points } = Encoder.fitEncode(unlabelled, plan);
    const ofPoints = LinearSvm.fit(points, labels, { scale: 'none', backend });
    expect(ofPoints.weights).toEqual(model.weights);
    expect(LinearSvm.fit(unlabelled, labels, { encoder, backend }).weights).toEqual(model.weights);
    expect(model.info.scale).toBe('none');
    const predicted = model.predict(customers);
    expect(model.predict(points)).toEqual(predicted);
    expect(customers.map((one) => model.predictOne(one))).toEqual(predicted);
    expect(model.predict(new Set(unlabelled))).toEqual(predicted);
    expect(model.decision(unlabelled)).toEqual(ofPoints.decision(points));
    expect(model.certify(customers)).toEqual(ofPoints.certify(points));
    expect(model.predict([])).toEqual([]);
  });

  it('LinearSvm.fitAsync(records, field) gives the same model, of records that arrive, too', async () => {
    const model = LinearSvm.fit(customers, 'churn', { backend });
    async function* arriving() {
      for (const one of customers) yield await Promise.resolve(one);
    }
    for (const records of [customers, new Set(customers), arriving()]) {
      const { weights, encoder } = await LinearSvm.fitAsync(records, 'churn', { backend });
      expect(weights).toEqual(model.weights);
      expect(JSON.stringify(encoder)).toBe(JSON.stringify(model.encoder));
    }
  });

  it('tells several classes apart, and learns from rows of positive weight only', () => {
    const kinds = customers.map(({ age, churn, ...rest }) => ({
      ...rest,
      age,
      kind: churn === 'yes' ? 'lost' : (age ?? 0) > 45 ? 'old' : 'young',
    }));
    const model = LinearSvm.fit(kinds, 'kind', { backend, probability: 'sigmoid' });
    expect(model.labels).toEqual(['lost', 'old', 'young']);
    expect(model.score(kinds, 'kind').accuracy).toBeGreaterThan(0.85);
    expect(kinds.slice(0, 50).map((one) => model.predictOne(one))).toEqual(model.predict(kinds.slice(0, 50)));
    expect(model.probability(kinds).length).toBe(3 * kinds.length);
    const sampleWeight = customers.map((_, i) => Number(i % 2 === 0));
    const half = LinearSvm.fit(customers, 'churn', { sampleWeight, backend });
    const others = LinearSvm.fit(customers.filter((_, i) => i % 2 === 0), 'churn', { backend }); // prettier-ignore
    expect(JSON.stringify(half.encoder)).toBe(JSON.stringify(others.encoder));
    half.weights.forEach((weight, j) => expect(weight).toBeCloseTo(others.weights[j]!, 9));
  });
});

describe('what is learnt in a fold', () => {
  // Numbers of fold 0 are far from the others: learnt from all rows, mean and scale would be others.
  const rows = Array.from({ length: 90 }, (_, i) => {
    const [a, b] = [Math.sin(i * i), Math.cos(i)];
    return { a: i % 3 === 0 ? 1000 * a : a, b: i % 11 === 0 ? null : b, c: `c${i % 3}`, t: `w${i % 7} v${i % 3}`, y: a + b > 0.2 };
  });
  const fold = Int32Array.from(rows, (_, i) => i % 3);
  const options = { gamma: 0.5, stop: stop.gap(1e-10) };

  it('crossValidate(records, field) learns the encoder from the rows outside the fold alone', async () => {
    const seen: HeldOut<boolean>[] = [];
    await crossValidate(rows, 'y', {
      folds: fold,
      gammas: [options.gamma],
      stop: options.stop,
      scoring: (held) => (seen.push(held), 1),
    });
    expect(seen).toHaveLength(3);
    for (let k = 0; k < 3; k++) {
      const [outside, inside] = [rows.filter((_, i) => fold[i] !== k), rows.filter((_, i) => fold[i] === k)];
      const model = LinearSvm.fit(outside, 'y', options);
      const decision = model.decision(inside);
      const held = seen.find(({ decision: found }) => Math.abs(found[0]! - decision[0]!) < 1e-3 * Math.abs(decision[0]!));
      expect(held).toBeDefined();
      decision.forEach((value, i) =>
        expect(Math.abs(held!.decision[i]! - value)).toBeLessThan(1e-3 * Math.max(1, Math.abs(value))),
      );
    }
  });

  it("gamma: 'auto' and probability work with records, in fit and in fitAsync", async () => {
    const model = LinearSvm.fit(customers, 'churn', { gamma: 'auto', probability: 'sigmoid' });
    expect(model.info.validation!.table.length).toBeGreaterThan(3);
    const later = await LinearSvm.fitAsync(customers, 'churn', { gamma: 'auto', probability: 'sigmoid' });
    expect(later.weights).toEqual(model.weights);
    expect(later.probability(customers)).toEqual(model.probability(customers));
    const { best } = await crossValidate(customers, 'churn', {
      scoring: 'logLoss',
      probability: 'sigmoid',
      folds: 3,
      gammas: [0.1, 1],
    });
    expect(best.mean).toBeLessThan(0.6);
  });
});

describe('model.explain(record)', () => {
  const model = LinearSvm.fit(customers, 'churn');

  it('adds up to the decision value, field by field and column by column', () => {
    for (const one of customers.slice(0, 30)) {
      const { label, positive, negative, value, base, fields } = model.explain(one);
      expect([label, positive, negative]).toEqual([model.predictOne(one), 'yes', 'no']);
      expect(value).toBeCloseTo(model.decision([one])[0]!, 12);
      expect(fields.reduce((sum, { share }) => sum + share, base)).toBeCloseTo(value, 12);
      expect(fields.map(({ name }) => name).sort()).toEqual(['age', 'city', 'note', 'tags']);
      const sizes = fields.map(({ share }) => Math.abs(share));
      expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    }
    const note = model.explain(customers.find((one) => one.note.startsWith('bad'))!).fields.find(({ name }) => name === 'note')!;
    expect(note.columns.map(({ name }) => name)).toContain('note: bad');
    expect(note.columns.find(({ name }) => name === 'note: bad')!.share).toBeGreaterThan(0);
  });

  it('compares with the mean training row: mean shares over the training rows are 0', () => {
    const totals = new Map<string, number>();
    let base = 0;
    for (const one of customers) {
      const explanation = model.explain(one);
      base = explanation.base;
      for (const { name, share } of explanation.fields) totals.set(name, (totals.get(name) ?? 0) + share);
    }
    for (const total of totals.values()) expect(total / customers.length).toBeCloseTo(0, 10);
    expect(model.decision(customers).reduce((sum, value) => sum + value, 0) / customers.length).toBeCloseTo(base, 10);
  });

  it.each(['pairs', 'rest'] as const)('of several classes compares the predicted label with the runner-up, %s', (multiclass) => {
    const kinds = customers.map((one, i) => ({ ...one, kind: one.churn === 'yes' ? 'lost' : i % 4 === 1 ? 'roman' : 'other' }));
    const several = LinearSvm.fit(kinds, 'kind', { multiclass });
    for (const one of kinds.slice(0, 20)) {
      const { label, positive, negative, value, base, fields } = several.explain(one);
      expect([label, positive]).toEqual([several.predictOne(one), several.predictOne(one)]);
      expect(negative).not.toBe(positive);
      const point = several.encoder!.encode([one]);
      const values = several.planes.map(
        ({ weights, bias }) => LinearSvm.fromJSON<string>(planeJSON(weights, bias)).decision(point)[0]!,
      );
      const of = (a: string, b: string | undefined) =>
        several.planes.findIndex((plane) => plane.positive === a && plane.negative === b);
      const expected =
        multiclass === 'rest'
          ? values[of(positive, undefined)]! - values[of(negative, undefined)]!
          : of(positive, negative) >= 0
            ? values[of(positive, negative)]!
            : -values[of(negative, positive)]!;
      expect(value).toBeCloseTo(expected, 10);
      expect(fields.reduce((sum, { share }) => sum + share, base)).toBeCloseTo(value, 10);
      const decision = several.decision([one]);
      const order = several.labels.map((one, k) => [one, decision[k]!] as const).sort((a, b) => b[1] - a[1]);
      expect([positive, negative]).toEqual([order[0]![0], order[1]![0]]);
    }
  });

  /** A model of two classes with these weights. */
  const planeJSON = (weights: Float64Array, bias: number) => {
    const { format, version, labels } = LinearSvm.fit([[1], [2]], ['a', 'b']).toJSON();
    return { format, version, labels, weights: [...weights], bias };
  };

  it('refuses a model of points', () => {
    const points = LinearSvm.fit([[1], [2]], [0, 1]);
    expect(refusal(() => points.explain({} as never))).toBe(
      'TypeError [ERR_MODEL]: Expected a model trained on records for model.explain but this one was trained on points',
    );
  });
});

/** What the tests below change. */
interface Json {
  means?: number[];
  encoder: {
    missing: string[];
    fields: { plan: Record<string, unknown>; learnt: { mean: number; values: string[] } }[];
  };
}

describe('a model of records in JSON', () => {
  const model = LinearSvm.fit(customers, 'churn', {
    encoder: { age: 'number', city: 'category', tags: 'categories', note: text({ words: [1, 2], hash: 64 }) },
    probability: 'isotonic',
  });
  const json = () => JSON.parse(JSON.stringify(model)) as Json;

  it('is read back whole, with its proofs and in f32, too', () => {
    const copy = LinearSvm.fromJSON<string, Customer>(json());
    expect(copy.decision(customers)).toEqual(model.decision(customers));
    expect(copy.probability(customers)).toEqual(model.probability(customers));
    expect(copy.explain(customers[3]!)).toEqual(model.explain(customers[3]!));
    expect(copy.columns).toEqual(model.columns);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(model));
    const proved = LinearSvm.fromJSON<string, Customer>(
      JSON.parse(JSON.stringify(model.toJSON({ proofs: true, precision: 'f32' }))),
    );
    expect(proved.certify(customers).filter(Boolean).length).toBeGreaterThan(100);
  });

  it.each<[string, (json: Json) => void, RegExp]>([
    ['a mean', (odd) => (odd.means![0]! += 1), /planes, calibration, encoder and means that match json.checksum/],
    ['what a field has learnt', (odd) => (odd.encoder.fields[0]!.learnt.mean += 1), /match json.checksum/],
    ['a category', (odd) => (odd.encoder.fields[1]!.learnt.values[0] = 'Wien'), /match json.checksum/],
    ['a plan', (odd) => (odd.encoder.fields[3]!.plan.lowercase = false), /match json.checksum/],
    ['a missing value', (odd) => odd.encoder.missing.push('x'), /match json.checksum/],
    ['a field', (odd) => odd.encoder.fields.pop(), /Expected 73 columns, one for each weight, for json.encoder but received 9/],
    [
      'its means',
      (odd) => delete odd.means,
      /Expected an array of numbers or { length, indices, values } for json.means but received undefined/,
    ],
    ['some means', (odd) => odd.means!.pop(), /Expected 73 numbers, one for each weight, for json.means but received 72/],
  ])('is refused if %s was changed', (_, change, message) => {
    const odd = json();
    change(odd);
    expect(() => LinearSvm.fromJSON(odd)).toThrow(message);
  });
});

describe('hostile and mistaken records', () => {
  const model = LinearSvm.fit(customers, 'churn');
  const fine = unlabelled[1]!;

  it('are refused with row and field, and change nothing', () => {
    const before = JSON.stringify(model);
    const odd = (value: object) => [fine, { ...fine, ...value }] as never;
    for (const [records, message] of [
      [odd({ age: 'old' }), 'Expected a finite number for records[1].age but received "old"'],
      [odd({ age: {} }), 'for records[1].age but received an object'],
      [odd({ city: ['Oslo'] }), 'Expected a string, number or boolean for records[1].city but received an array of length 1'],
      [odd({ tags: 'new' }), 'Expected an array of strings for records[1].tags but received "new"'],
      [odd({ note: Symbol.iterator }), 'Expected a string for records[1].note but received Symbol(Symbol.iterator)'],
      [odd({ city: 'x'.repeat(100_000) }), 'Expected a category of at most 65536 characters for records[1].city'],
      [
        [fine, { age: 30, tags: [], note: '' }] as never,
        'Expected a value for records[1].city, as in every record that was learnt from, but received none',
      ],
      [[fine, new Map()] as never, 'Expected an object for records[1] but received a Map'],
      [[fine, null] as never, 'Expected an object for records[1] but received null'],
      [[fine, [1, 2]] as never, 'Expected an object for records[1] but received an array of length 2'],
    ] as const) {
      expect(refusal(() => model.predict(records))).toContain(message);
      expect(refusal(() => model.decision(records))).toContain(message);
    }
    expect(refusal(() => model.predictOne({ ...fine, age: 'old' as never }))).toContain('for records[0].age');
    expect(model.predictOne(fine)).toBe(model.predict([fine])[0]);
    expect(JSON.stringify(model)).toBe(before);
  });

  it('whose getters ask the model about other records do not mix them up', () => {
    const [one, other] = [unlabelled.find((_, i) => labels[i] === 'yes')!, unlabelled.find((_, i) => labels[i] === 'no')!];
    const expected = [model.predictOne(one), model.predictOne(other)];
    const nested: string[] = [];
    const asking = { ...one, get city() { nested.push(model.predictOne(other)); return one.city; } }; // prettier-ignore
    expect([model.predictOne(asking), nested[0]]).toEqual(expected);
  });

  it('far beyond those of training still get a label, or an error that says what overflows', () => {
    expect(refusal(() => model.predictOne({ ...fine, age: 1e308 }))).toMatch(/none|overflows/);
    const narrow = LinearSvm.fit([{ a: 1e-300, y: 0 }, { a: 2e-300, y: 1 }], 'y'); // prettier-ignore
    expect([narrow.predict([{ a: 1e300 }]), narrow.predictOne({ a: -1e300 })]).toEqual([[1], 0]);
  });

  it.each<[string, () => unknown, string]>([
    [
      'points for a model of records',
      () => model.predict([[1, 2]]),
      'columns for points, one for each weight of the model, but received 2',
    ],
    [
      'records for a model of points',
      () => LinearSvm.fit([[1], [2]], [0, 1]).predict([{ a: 1 }] as never),
      'Expected points, as the model was trained on points, but received records',
    ],
    [
      'an encoder for points',
      () => LinearSvm.fit([[1], [2]], [0, 1], { encoder: {} } as never),
      'Expected records for points, as options.encoder is set, but received rows of numbers',
    ],
    [
      'an encoder that is none',
      () => LinearSvm.fit(customers, 'churn', { encoder: 5 as never }),
      'Expected a plan or an Encoder for options.encoder but received 5',
    ],
    [
      'names for records',
      () => LinearSvm.fit(customers, 'churn', { columns: ['a'] }),
      'Expected nothing for options.columns with records, whose fields have names,',
    ],
    [
      'a field of labels that is not there',
      () => LinearSvm.fit(customers, 'chrun' as 'churn'),
      'Expected a number, string or boolean, the label, for records[0].chrun but received undefined',
    ],
    ['a missing label', () => LinearSvm.fit([{ a: 1, y: 1 }, { a: 2, y: null }], 'y' as never), 'the label, for records[1].y but received null'], // prettier-ignore
    ['no field but the label', () => LinearSvm.fit([{ y: 1 }, { y: 2 }], 'y'), 'Expected at least one field for records besides "y", the label, but received none'], // prettier-ignore
    [
      'too few labels',
      () => LinearSvm.fit(customers, ['yes', 'no']),
      'Expected 240 labels, one for each row of points, but received 2',
    ],
    [
      'a field of no record',
      () => LinearSvm.fit(customers, 'churn', { encoder: { agee: 'number' } as never }),
      'did you mean "age"?',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(refusal(call)).toContain(message);
  });
});

describe('what a newcomer may trip over', () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    a: (i * 7) % 31,
    y: i % 3 === 0 ? 'p' : 'n',
    note: `${i % 3 === 0 ? 'good' : 'bad'} day ${i % 5}`,
    tags: [`t${i % 3}`],
  }));

  it('an Encoder that has learnt from the label is refused', () => {
    expect(refusal(() => LinearSvm.fit(rows, 'y', { encoder: Encoder.fit(rows) }))).toContain(
      'Expected an Encoder that has not learnt from "y", the label, for options.encoder but received one that has; Encoder.fit(records, { "y": \'ignore\' }) makes one',
    );
    const encoder = Encoder.fit(rows, { y: 'ignore' });
    const given = LinearSvm.fit(rows, 'y', { encoder });
    expect(given.weights).toEqual(LinearSvm.fit(rows, 'y').weights);
  });

  it('a field that is the label in every record is refused with labels of their own', () => {
    const { train } = trainTestSplit(rows, 'y');
    expect(refusal(() => LinearSvm.fit(train.points, train.labels))).toContain(
      'Expected records without their labels but the field "y" is the label in every record; give "y" in place of the labels',
    );
    expect(LinearSvm.fit(train.points, train.labels, { encoder: { y: 'ignore' } }).columns).not.toContain('y=p');
  });

  it('texts and lists that every training record had must be there in predictions', () => {
    const model = LinearSvm.fit(rows, 'y', { encoder: { note: 'text', tags: 'categories' } });
    const copy = LinearSvm.fromJSON<string>(JSON.parse(JSON.stringify(model)));
    for (const one of [model, copy] as LinearSvm<string, object>[]) {
      expect(refusal(() => one.predictOne({ nota: 'good day', tags: [] }))).toContain('Expected a value for records[0].note');
      expect(refusal(() => one.predict([{ note: 'good day' }]))).toContain('Expected a value for records[0].tags');
      expect(one.predictOne({ note: null, tags: undefined })).toBe(one.predictOne({ note: '', tags: [] }));
    }
    const ragged: { a: number; y: string; note?: string }[] = [...rows, { a: 1, y: 'n' }];
    const gaps = LinearSvm.fit(ragged, 'y', { encoder: { note: 'text' } });
    expect(gaps.predictOne({ a: 1 })).toBe(gaps.predictOne({ a: 1, note: '' }));
  });

  it('weights below 1 leave no category and no word out', () => {
    const plain = LinearSvm.fit(rows, 'y');
    const light = LinearSvm.fit(rows, 'y', { sampleWeight: rows.map(() => 1 / 60), gamma: 60 * plain.info.gamma });
    expect(light.columns).toEqual(plain.columns);
    expect(light.score(rows, 'y').accuracy).toBe(1);
  });

  it('numbers of rows are ignored however records are ordered and split', () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({ id: i, x: (i * 37) % 101, y: i % 2 }));
    const plans = [many, [...many].reverse(), many.filter((_, i) => i % 4 > 0), new Set(many)].map(
      (records) => Encoder.fit(records).plan.id,
    );
    expect(plans).toEqual(plans.map(() => ({ kind: 'ignore' })));
    expect(Encoder.fit(many.map(({ x, y }) => ({ x, y, t: x * 1000 }))).plan.t).toEqual({ kind: 'number' });
  });

  it('records of a table are what the table says, with gaps', () => {
    const table = Table.from({ a: [1, 2, 3, 4], c: ['p', 'q', 'p', 'q'], y: [0, 1, 0, 1] });
    const model = LinearSvm.fit(table, 'y');
    const later = Table.of<{ a: number; c: string }>(
      2,
      new Map([
        ['a', { values: Float64Array.of(NaN, 2) }],
        ['c', { codes: Int32Array.of(-1, 0), dictionary: ['q'] }],
      ]),
    );
    expect([...later].map((record) => model.predictOne(record))).toEqual(model.predict(later));
  });

  it('a plan of an encoder cannot be changed', () => {
    const { encoder } = LinearSvm.fit(rows, 'y');
    expect(() => ((encoder!.plan.note as { unit: boolean }).unit = false)).toThrow(TypeError);
    expect(() => ((encoder!.plan as Record<string, unknown>).more = 'number')).toThrow(TypeError);
    expect(() => ((encoder!.fields[0] as { name: string }).name = 'b')).toThrow(TypeError);
  });

  it('encoded points with names are matched by them', () => {
    const model = LinearSvm.fit(rows, 'y', { encoder: { a: 'number', tags: 'categories' } });
    const [first] = rows as [(typeof rows)[number]];
    const point = new Float64Array(4);
    const { columns, values, count } = Encoder.encodeOne(model.encoder!, first);
    for (let k = 0; k < count; k++) point[columns[k]!] = values[k]!;
    const reversed = { data: point.reverse(), rows: 1, cols: 4, columns: [...model.columns!].reverse() };
    expect(model.decision(reversed)[0]).toBeCloseTo(model.decision([first])[0]!, 12);
    expect(refusal(() => model.decision({ ...reversed, columns: ['p', 'q', 'r', 's'] }))).toContain(
      'Expected the column "a" and 3 more of the model',
    );
  });

  it('fitAsync stops reading when it is aborted, and score reads a generator once', async () => {
    const ending = new AbortController();
    let read = 0;
    async function* arriving() {
      for (const row of rows) {
        if (++read === 10) ending.abort();
        yield await Promise.resolve(row);
      }
    }
    await expect(LinearSvm.fitAsync(arriving(), 'y', { signal: ending.signal })).rejects.toThrow('aborted');
    expect(read).toBe(10);
    const none: AsyncIterable<{ a: number; y: number }> = Readable.from([]);
    await expect(LinearSvm.fitAsync(none, 'y')).rejects.toThrow('Expected at least one record but received none');
    const model = LinearSvm.fit(rows, 'y');
    function* generate() {
      yield* rows;
    }
    expect(model.score(generate(), 'y').accuracy).toBe(model.score(rows, 'y').accuracy);
  });

  it.each<[string, () => unknown, string]>([
    [
      'one record for predict',
      () => LinearSvm.fit(rows, 'y').predict(rows[0] as never),
      'Expected an array of records but received an object; predictOne takes one record',
    ],
    [
      'null for a record',
      () => LinearSvm.fit(rows, 'y').predict([null] as never),
      'Expected an object for records[0] but received null',
    ],
    ['records that arrive, in fit', () => LinearSvm.fit(Readable.from(rows) as never, 'y' as never), 'LinearSvm.fitAsync takes records that arrive'], // prettier-ignore
    ['a label with a typo', () => LinearSvm.fit(rows, 'Y' as 'y'), 'for records[0].Y but received undefined; did you mean "y"?'],
    ['no plan', () => Encoder.fit(rows, 0 as never), 'Expected a plan: an object with kinds of fields, for plan but received 0'],
    ['an invalid date', () => Encoder.fit([{ d: new Date(NaN) }], { d: 'date' }), 'for records[0].d but received an invalid Date'],
    ['a day that is not', () => Encoder.fit([{ d: '2024-02-30' }], { d: 'date' }), 'for records[0].d but received "2024-02-30"'],
    [
      'a year of five digits',
      () => Encoder.fit([{ d: '12345-01-01' }], { d: 'date' }),
      'for records[0].d but received "12345-01-01"',
    ],
  ])('%s is refused with what would help', (_, call, message) => {
    expect(refusal(call)).toContain(message);
  });

  it('numbers may stand for missing ones, and NaN does everywhere', () => {
    const { columns } = Encoder.fit([{ age: 20 }, { age: 40 }, { age: -999 }], { age: 'number' }, { missing: [-999] });
    expect(columns).toEqual(['age', 'age (missing)']);
    expect(Encoder.fit([{ d: new Date(0), l: ['a'] }, { d: NaN, l: NaN }] as object[], { d: 'date', l: 'categories' }).columns).toContain('d (missing)'); // prettier-ignore
    const [[low], [high]] = ((e: Encoder<object>) =>
      [-1.7e308, 1.7e308].map((x) => [...(e.encode([{ x }]) as { data: Float64Array }).data]))(
      Encoder.fit<object>([...new Array<number>(9).fill(-1.7e308), 1.7e308].map((x) => ({ x }))),
    ) as [number[], number[]];
    expect([low, high]).toEqual([expect.closeTo(-1 / 3, 10), expect.closeTo(3, 10)]);
  });
});

describe('rows with indices', () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({ indices: [i % 4, 4 + (i % 3)], values: [Math.sin(i), 1 + (i % 5)] }));
  const y = rows.map((_, i) => Math.sin(i) + (i % 3) > 1);

  it('are points in fit and predict, as in predictOne', () => {
    const model = LinearSvm.fit(rows, y);
    expect(model.weights.length).toBe(7);
    const indptr = Uint32Array.from({ length: 61 }, (_, i) => 2 * i);
    const matrix = {
      indptr,
      indices: rows.flatMap((row) => row.indices),
      values: rows.flatMap((row) => row.values),
      rows: 60,
      cols: 7,
    };
    expect(LinearSvm.fit(matrix, y).weights).toEqual(model.weights);
    expect(model.predict(rows)).toEqual(model.predict(matrix));
    expect(rows.map((row) => model.predictOne(row))).toEqual(model.predict(rows));
    // Fewer columns than the model has are columns without entries.
    expect(model.predict([{ indices: [0] }, { indices: [] }])).toEqual(model.predict([[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]])); // prettier-ignore
    expect(LinearSvm.fit([{ indices: [0] }, { indices: [1] }], [0, 1]).weights.length).toBe(2); // prettier-ignore
    const mixed = [{ indices: [0] }, { indices: [1], values: [2] }];
    expect(LinearSvm.fit(mixed, [0, 1], { scale: 'none' }).weights).toEqual(
      LinearSvm.fit({ indptr: [0, 1, 2], indices: [0, 1], values: [1, 2], rows: 2, cols: 2 }, [0, 1], { scale: 'none' }).weights,
    );
  });

  it.each<[string, unknown[], string]>([
    ['a column beyond the model', [{ indices: [7] }], 'Expected a column from 0 to 6 for points[0].indices[0] but received 7'],
    [
      'columns out of order',
      [{ indices: [1] }, { indices: [2, 2] }],
      'Expected ascending column indices in points[1] but received 2 after 2',
    ],
    ['a value of no number', [{ indices: [1], values: ['x'] }], 'for points[0].values[0] but received "x"'],
    [
      'a value that is not finite',
      [{ indices: [1], values: [NaN] }],
      'Expected a finite number for points[0].values[0] but received NaN',
    ],
    [
      'too few values',
      [{ indices: [1, 2], values: [1] }],
      'Expected 2 numbers for points[0].values, as in points[0].indices, but received 1',
    ],
    [
      'another form',
      [{ indices: [1] }, [1, 2]],
      'Expected { indices, values }, as in points[0], for points[1] but received an array of length 2',
    ],
    ['a fraction', [{ indices: [1.5] }], 'Expected a column from 0 to 6 for points[0].indices[0] but received 1.5'],
    ['no list', [{ indices: 5 }], 'Expected an array of numbers for points[0].indices but received 5'],
  ])('are refused with %s', (_, points, message) => {
    expect(refusal(() => LinearSvm.fit(rows, y).predict(points as never))).toContain(message);
  });

  it('are records with an encoder, or with other keys', () => {
    const records = [{ indices: ['a'], y: 0 }, { indices: ['b'], y: 1 }]; // prettier-ignore
    expect(LinearSvm.fit(records, 'y').columns).toEqual(['indices=a', 'indices=b']);
    const odd = records.map(({ indices }) => ({ indices }));
    expect(LinearSvm.fit(odd, [0, 1], { encoder: { indices: 'categories' } }).predict(odd)).toEqual([0, 1]);
  });
});

describe('trainTestSplit(records, field)', () => {
  it('splits records and tables, with the labels of a field', () => {
    const { train, test } = trainTestSplit(customers, 'churn', { seed: 3 });
    expect(train.points.length + test.points.length).toBe(240);
    expect(test.labels).toEqual(test.points.map(({ churn }) => churn));
    const table = Table.from({ age: customers.map(({ age }) => age), churn: labels });
    const parts = trainTestSplit(table, 'churn', { seed: 3 });
    expect([...parts.test.points].map(({ churn }) => churn)).toEqual(test.labels);
    expect(LinearSvm.fit(parts.train.points, 'churn').score(parts.test.points, 'churn').accuracy).toBeGreaterThan(0.5);
  });
});
