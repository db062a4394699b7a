/** Encoder: from records to numbers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categories, category, date, Encoder, Table, text, type DenseMatrix, type SparseMatrix } from '../../lib/index.js';
import { readingToLearn } from '../../lib/data/collecting.js';
import { DEFAULT_MISSING, resolvePlan } from '../../lib/input/resolve-plan.js';
import { run } from '../../lib/solver/drivers.js';
import { refusal } from '../support/refusal.js';

/** The rows of a matrix, all entries. */
function dense(points: DenseMatrix | SparseMatrix): number[][] {
  return Array.from({ length: points.rows }, (_, i) => {
    if ('data' in points) return Array.from(points.data.subarray(i * points.cols, (i + 1) * points.cols));
    const row = new Array<number>(points.cols).fill(0);
    for (let k = points.indptr[i]!; k < points.indptr[i + 1]!; k++) row[points.indices[k]!] = points.values ? points.values[k]! : 1;
    return row;
  });
}

/** The columns of a matrix by name. */
function columns(encoder: Encoder, points: DenseMatrix | SparseMatrix): Record<string, number[]> {
  const rows = dense(points);
  return Object.fromEntries(encoder.columns.map((name, j) => [name, rows.map((row) => row[j]!)]));
}

/** What an encoder makes of the records that it learns from. */
function encoded<R extends object>(records: readonly R[], plan?: object): Record<string, number[]> {
  const { encoder, points } = Encoder.fitEncode<object>(records, plan as never);
  expect(points.cols).toBe(encoder.cols);
  expect(dense(encoder.encode(records))).toEqual(dense(points));
  const copy = Encoder.fromJSON(JSON.parse(JSON.stringify(encoder)));
  expect(dense(copy.encode(records))).toEqual(dense(points));
  expect([copy.plan, copy.fields, copy.columns]).toEqual([encoder.plan, encoder.fields, encoder.columns]);
  return columns(encoder, points);
}

describe('Encoder.fit(records, plan)', () => {
  it('standardises numbers, replaces missing ones by the median, and says where', () => {
    const records = [{ x: 1 }, { x: 3 }, { x: null }, { x: 8 }, {}, { x: NaN }];
    // The median of 1, 3, 8 is 3: 1, 3, 3, 8, 3, 3 have mean 3.5 and variance 27.5 / 6.
    const scale = Math.sqrt(27.5 / 6);
    const { x, 'x (missing)': missing } = encoded(records, { x: 'number' });
    expect(missing).toEqual([0, 0, 1, 0, 1, 1]);
    [1, 3, 3, 8, 3, 3].forEach((value, i) => expect(x![i]).toBeCloseTo((value - 3.5) / scale, 14));
  });

  it('makes no column of gaps where there are none, and takes the median of an even number of values', () => {
    const records = [{ x: 4 }, { x: 1 }, { x: 2 }, { x: 9 }];
    const encoder = Encoder.fit<{ x: number | null }>(records, { x: 'number' });
    expect(encoder.columns).toEqual(['x']);
    const [[four], [missing], [three]] = dense(encoder.encode([{ x: 4 }, { x: null }, { x: 3 }])) as [number[], number[], number[]];
    expect(missing).toBe(three);
    expect(four).not.toBe(three);
  });

  it('takes numbers in strings and bigints, and refuses other texts with what would help', () => {
    expect(encoded([{ x: '1' }, { x: 3 }, { x: 5n }], { x: 'number' })).toEqual(
      encoded([{ x: 1 }, { x: 3 }, { x: 5 }], { x: 'number' }),
    );
    expect(refusal(() => Encoder.fit([{ x: 1 }, { x: '?' }], { x: 'number' }))).toBe(
      'TypeError [ERR_RECORDS]: Expected a finite number for records[1].x but received "?"; if it stands for a missing number, name it in the option missing of Encoder.fit',
    );
    expect(Encoder.fit([{ x: 1 }, { x: '?' }], { x: 'number' }, { missing: ['?'] }).columns).toEqual(['x', 'x (missing)']);
    for (const x of [Infinity, {}, [], true, Symbol.iterator]) {
      expect(refusal(() => Encoder.fit([{ x: 1 }, { x }], { x: 'number' }))).toMatch(
        /^TypeError \[ERR_RECORDS\]: Expected a finite number for records\[1\]\.x /,
      );
    }
  });

  it('is not misled by constant, huge or tiny numbers', () => {
    const xs = [
      [0.1, 0.1, 0.1],
      [1e308, -1e308, 0],
      [1e-310, 2e-310, 0],
      [1e15, 1e15 + 1, 1e15 + 2],
      [-0, 0, 0],
    ];
    for (const [k, list] of xs.entries()) {
      const { x } = encoded(
        list.map((x) => ({ x })),
        { x: 'number' },
      );
      for (const value of x!) expect(Number.isFinite(value)).toBe(true);
      if (k === 0 || k === 2 || k === 4) expect(x).toEqual([0, 0, 0]);
      if (k === 1 || k === 3) expect(Math.max(...x!)).toBeCloseTo(Math.sqrt(1.5), 9);
    }
  });

  it('gives each category a column, in order, and others one of their own', () => {
    const records = ['b', 'a', 'b', 'c', null, 'a', 'd'].map((city) => ({ city }));
    expect(encoded(records, { city: 'category' })).toEqual({
      'city=a': [0, 1, 0, 0, 0, 1, 0],
      'city=b': [1, 0, 1, 0, 0, 0, 0],
      'city=c': [0, 0, 0, 1, 0, 0, 0],
      'city=d': [0, 0, 0, 0, 0, 0, 1],
      'city (missing)': [0, 0, 0, 0, 1, 0, 0],
    });
    const rare = Encoder.fit(records, { city: category({ minCount: 2 }) });
    expect(rare.columns).toEqual(['city=a', 'city=b', 'city (missing)', 'city (other)']);
    expect(dense(rare.encode([{ city: 'c' }, { city: 'new' }, { city: 'a' }]))).toEqual([[0, 0, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]); // prettier-ignore
    const most = Encoder.fit(records, { city: category({ maxFeatures: 1 }) });
    expect(most.columns).toEqual(['city=b', 'city (missing)', 'city (other)']); // of equally frequent ones the last, as in scikit-learn
    expect(most.fields).toEqual([{ name: 'city', kind: 'category', columns: 3, distinct: 4 }]);
    // Without a column for others, a new value has no entry.
    expect(dense(Encoder.fit(records, { city: 'category' }).encode([{ city: 'new' }]))).toEqual([[0, 0, 0, 0, 0]]);
  });

  it('tells numbers, booleans and strings of categories by their texts', () => {
    expect(encoded([{ x: 1 }, { x: '1' }, { x: true }, { x: 'true' }], { x: 'category' })).toEqual({
      'x=1': [1, 1, 0, 0],
      'x=true': [0, 0, 1, 1],
    });
    expect(encoded([{ x: true }, { x: false }, { x: null }], { x: 'boolean' })).toEqual({
      'x=false': [0, 1, 0],
      'x=true': [1, 0, 0],
      'x (missing)': [0, 0, 1],
    });
    expect(refusal(() => Encoder.fit([{ x: true }, { x: 'yes' }], { x: 'boolean' }))).toContain(
      'Expected true or false for records[1].x but received "yes"',
    );
    expect(refusal(() => Encoder.fit([{ x: {} }], { x: 'category' }))).toContain(
      'Expected a string, number or boolean for records[0].x but received an object',
    );
  });

  it('counts each value of a list once', () => {
    const records = [{ tags: ['a', 'b', 'a'] }, { tags: [] }, {}, { tags: new Set(['c']) }, { tags: ['b', null] }];
    expect(encoded(records, { tags: 'categories' })).toEqual({
      'tags=a': [1, 0, 0, 0, 0],
      'tags=b': [1, 0, 0, 0, 1],
      'tags=c': [0, 0, 0, 1, 0],
    });
    const rare = Encoder.fit(records, { tags: categories({ minCount: 2 }) });
    expect(rare.columns).toEqual(['tags=b', 'tags (other)']);
    expect(dense(rare.encode([{ tags: ['a', 'x', 'b'] }]))).toEqual([[1, 1]]);
    expect(refusal(() => Encoder.fit([{ tags: 'a' }], { tags: 'categories' }))).toContain(
      'Expected an array of strings for records[0].tags but received "a"',
    );
  });

  it('takes the parts of dates that are asked for, in UTC', () => {
    const records = ['2024-01-31', '2024-02-01T23:30:00+01:00', new Date('2026-02-01T05:00:00Z'), null].map((at) => ({ at }));
    const found = encoded(records, { at: date({ parts: ['year', 'month', 'weekday', 'hour'] }) });
    expect(found['at.month=1']).toEqual([1, 0, 0, 0]);
    expect(found['at.month=2']).toEqual([0, 1, 1, 0]);
    expect(found['at.weekday=Wednesday']).toEqual([1, 0, 0, 0]);
    expect(found['at.weekday=Sunday']).toEqual([0, 0, 1, 0]);
    expect(found['at.hour=22']).toEqual([0, 1, 0, 0]);
    expect(found['at (missing)']).toEqual([0, 0, 0, 1]);
    const years = [2024, 2024, 2026, 2024];
    const mean = 2024.5;
    const deviation = Math.sqrt(years.reduce((sum, year) => sum + (year - mean) ** 2, 0) / 4);
    years.forEach((year, i) => expect(found['at.year']![i]).toBeCloseTo((year - mean) / deviation, 12));
    expect(Object.keys(found)).toHaveLength(1 + 12 + 7 + 24 + 1);
    // Times are looked at to find out whether hours tell anything. A time without a zone is taken as UTC.
    expect(Encoder.fit([{ at: '2024-01-31' }, { at: '2024-02-01' }]).plan).toEqual({
      at: { kind: 'date', parts: ['year', 'month', 'weekday'] },
    });
    expect(Encoder.fit([{ at: '2024-01-31 10:00' }, { at: '2024-02-01' }]).columns).toContain('at.hour=10');
    for (const at of ['31.1.2024', '2024-13-01', 'soon', 1e17, {}]) {
      expect(refusal(() => Encoder.fit([{ at }], { at: 'date' }))).toContain(
        'Expected a Date, an ISO date or milliseconds since 1970 for records[0].at',
      );
    }
  });

  it('weighs the words of a text by how few texts have them, and scales rows to length 1', () => {
    const records = ['The cat sat.', 'the DOG sat on the cat', '', 'a b'].map((note) => ({ note }));
    const found = encoded(records, { note: 'text' });
    expect(Object.keys(found)).toEqual(['note: cat', 'note: dog', 'note: on', 'note: sat', 'note: the']);
    const idf = (texts: number) => Math.log((1 + 4) / (1 + texts)) + 1;
    const second = [idf(2), idf(1), idf(1), idf(2), 2 * idf(2)];
    const length = Math.hypot(...second);
    Object.values(found).forEach((column, j) => expect(column[1]).toBeCloseTo(second[j]! / length, 14));
    Object.values(found).forEach((column) => expect([column[2], column[3]]).toEqual([0, 0]));
  });

  it('counts terms of several words, or whether they occur, without scaling', () => {
    const records = [{ note: 'to be or not to be' }, { note: 'Not To' }];
    expect(encoded(records, { note: text({ words: [1, 2], values: 'counts', unit: false }) })).toEqual({
      'note: be': [2, 0],
      'note: be or': [1, 0],
      'note: not': [1, 1],
      'note: not to': [1, 1],
      'note: or': [1, 0],
      'note: or not': [1, 0],
      'note: to': [2, 1],
      'note: to be': [2, 0],
    });
    expect(encoded(records, { note: text({ words: 2, values: 'binary', unit: false, minCount: 2 }) })).toEqual({
      'note: not to': [1, 1],
    });
    expect(Object.keys(encoded(records, { note: text({ lowercase: false, maxFeatures: 3 }) }))).toEqual([
      'note: Not',
      'note: be',
      'note: to',
    ]);
  });

  it('assigns words to columns by their hashes, with signs', () => {
    const records = [{ note: 'cat dog cat' }, { note: 'bird' }, {}];
    const plan = { note: text({ hash: 16, values: 'counts', unit: false }) };
    const encoder = Encoder.fit(records, plan);
    expect([encoder.cols, encoder.columns[3]]).toEqual([16, 'note #3']);
    const rows = dense(encoder.encode(records));
    expect(rows[0]!.map(Math.abs).reduce((a, b) => a + b)).toBe(3);
    expect(rows[2]).toEqual(new Array(16).fill(0));
    encoded(records, { note: text({ hash: 16 }) });
    expect(refusal(() => Encoder.fit(records, { note: text({ hash: 16, minCount: 2 }) }))).toContain(
      'plan.note.minCount with hash, which has no vocabulary,',
    );
  });

  it('splits texts by the rules of a language where that is asked for', () => {
    const records = [{ note: '今日は天気がいい' }, { note: '天気' }];
    const found = Encoder.fit(records, { note: text({ segmenter: 'ja', values: 'counts', unit: false }) });
    expect(found.columns).toContain('note: 天気');
    expect(dense(found.encode(records)).map((row) => row[found.columns.indexOf('note: 天気')])).toEqual([1, 1]);
    expect(JSON.stringify(found)).toContain(`"icu":"${process.versions.icu}"`);
    expect(refusal(() => Encoder.fit(records, { note: text({ segmenter: '?' }) }))).toContain("Expected a locale such as 'en'");
  });

  it('makes a matrix without values where all are 1, and a dense one where that is smaller', () => {
    const cities = Array.from({ length: 40 }, (_, i) => ({ city: `c${i}`, tags: [`t${i % 7}`] }));
    const { points } = Encoder.fitEncode(cities, { city: 'category', tags: 'categories' });
    expect('indptr' in points && points.values).toBe(undefined);
    expect('data' in Encoder.fitEncode([{ x: 1 }, { x: 2 }]).points).toBe(true);
    expect('values' in Encoder.fitEncode(cities.map((city, x) => ({ ...city, x }))).points).toBe(true);
  });
});

describe('Encoder.fit(records)', () => {
  const many = Array.from({ length: 100 }, (_, i) => ({
    id: i + 1,
    key: `k${(i * 7919) % 10007}`,
    age: (i * 37) % 60,
    zip: `0${(i * 31) % 40}`,
    price: `${i % 9}.5`,
    city: ['Oslo', 'Rome', 'New York'][i % 3],
    title: `The ${i} red ${i % 7} boat`,
    note: 'it was a good day, was it not',
    vip: i % 2 === 0,
    joined: `2024-01-${10 + (i % 20)}`,
    seen: new Date(i * 1e9),
    tags: i % 2 === 0 ? ['a'] : [],
    empty: null,
  }));

  it('infers the kinds of fields, and shows them', () => {
    const { plan } = Encoder.fit(many);
    expect(Object.fromEntries(Object.entries(plan).map(([name, { kind }]) => [name, kind]))).toEqual({
      id: 'ignore',
      key: 'ignore',
      age: 'number',
      zip: 'category',
      price: 'number',
      city: 'category',
      title: 'text',
      note: 'text',
      vip: 'boolean',
      joined: 'date',
      seen: 'date',
      tags: 'categories',
      empty: 'ignore',
    });
  });

  it('infers the other fields if a plan names only fields to ignore', () => {
    const { plan, fields } = Encoder.fit(many, { note: 'ignore', title: 'ignore' });
    expect(plan.note).toEqual({ kind: 'ignore' });
    expect(fields.map(({ name }) => name)).toEqual(['age', 'zip', 'price', 'city', 'vip', 'joined', 'seen', 'tags']);
    expect(Encoder.fit(many, { age: 'number' }).columns).toEqual(['age']);
  });

  it('refuses a field that changes its type, and values that nothing can be made of, with row and field', () => {
    expect(refusal(() => Encoder.fit([{ a: 1 }, { a: null }, { a: 'x' }]))).toContain(
      'Expected values of one type for the field "a" but received a number in records[0] and a string in records[2]; give a plan',
    );
    expect(refusal(() => Encoder.fit([{ a: 1 }, { a: 2, 'first name': { b: 1 } }]))).toBe(
      'TypeError [ERR_RECORDS]: Expected a number, string, boolean, Date or array of strings for records[1]["first name"] but received an object; give a plan without the field, or with "first name": \'ignore\'',
    );
    expect(refusal(() => Encoder.fit([{ a: [1, 2] }]))).toContain('for records[0].a but received an array of length 2');
    // Types that change later than what is looked at are found when they are read.
    const late = Array.from({ length: 5000 }, (_, i) => ({ a: i === 4321 ? 'x' : (i * 37) % 101 }));
    expect(refusal(() => Encoder.fit(late))).toContain('Expected a finite number for records[4321].a but received "x"');
  });

  it('refuses records that are none', () => {
    for (const [odd, shown] of [
      [new Map(), 'a Map; Object.fromEntries makes an object of a Map'],
      [[1], 'an array of length 1'],
      [null, 'null'],
      [5, '5'],
      [new Date(0), 'a Date'],
      [new Set(), 'a Set'],
    ] as const) {
      expect(refusal(() => Encoder.fit([{ a: 1 }, odd as object]))).toBe(
        `TypeError [ERR_RECORDS]: Expected an object for records[1] but received ${shown}`,
      );
    }
    expect(refusal(() => Encoder.fit([]))).toBe('RangeError [ERR_RECORDS]: Expected at least one record but received none');
    expect(refusal(() => Encoder.fit([], { a: 'number' } as object))).toBe(
      'RangeError [ERR_RECORDS]: Expected at least one record but received none',
    );
    expect(refusal(() => Encoder.fit([{}, {}]))).toContain('Expected at least one field for records but received none');
    expect(refusal(() => Encoder.fit([{ a: null }]))).toContain('but received only fields to ignore: "a"');
    expect(refusal(() => Encoder.fit(5 as never))).toContain(
      'Expected an array of objects, a Table or another iterable for records but received 5',
    );
    expect(refusal(() => new (Encoder as never as new () => object)())).toBe(
      'TypeError [ERR_USAGE]: Expected Encoder.fit(records, plan) but received new Encoder(…)',
    );
  });

  it.each<[string, object, string]>([
    [
      'an unknown kind',
      { a: 'numbr' },
      "Expected 'number', 'category', 'categories', 'boolean', 'date', 'text' or 'ignore' for plan.a but received \"numbr\"",
    ],
    ['no kind', { a: {} }, 'for plan.a.kind but received undefined'],
    [
      'an unknown option',
      { a: { kind: 'text', ngrams: 2 } },
      'Unknown option "ngrams" of a text field; expected one of kind, words, hash',
    ],
    ['words out of order', { a: text({ words: [2, 1] }) }, 'Expected an integer from 2 to 16 for plan.a.words[1] but received 1'],
    ['no words', { a: text({ words: 0 }) }, 'Expected an integer from 1 to 16 for plan.a.words but received 0'],
    ['a part of no date', { a: date({ parts: ['age' as never] }) }, 'for plan.a.parts[0] but received "age"'],
    ['a part twice', { a: date({ parts: ['year', 'year'] }) }, 'Expected distinct parts for plan.a.parts but received "year"'],
    ['no columns', { a: text({ hash: 0 }) }, 'Expected an integer from 1 to 67108864 for plan.a.hash but received 0'],
    [
      'a field that no record has',
      { agee: 'number' },
      'Expected a field "agee", as in the plan, but none of 1 record has it; did you mean "age"?',
    ],
  ])('refuses %s', (_, plan, message) => {
    expect(refusal(() => Encoder.fit([{ a: 1, age: 2 }], plan as never))).toContain(message);
  });
});

describe('records as people have them', () => {
  it('reads each field of a record once, in one pass over any iterable', () => {
    const asked: string[] = [];
    const record = new Proxy(
      { a: 1, b: 'x' },
      { get: (target, name) => (asked.push(String(name)), Reflect.get(target, name)) as unknown },
    );
    function* generate() {
      yield record;
      yield { a: 2, b: 'y' };
    }
    const { points, encoder } = Encoder.fitEncode(generate(), { a: 'number', b: 'category' });
    expect(asked.filter((name) => name === 'a' || name === 'b')).toEqual(['a', 'b']);
    expect(dense(points)).toEqual(dense(encoder.encode([{ a: 1, b: 'x' }, { a: 2, b: 'y' }]))); // prettier-ignore
  });

  it('takes fields of any name, and none from a prototype', () => {
    const own = JSON.parse(
      '[{"__proto__":1,"toString":"a","constructor":5},{"__proto__":3,"toString":"b","constructor":6}]',
    ) as object[];
    const encoder = Encoder.fit(own);
    expect(encoder.fields.map(({ name }) => name)).toEqual(['__proto__', 'toString', 'constructor']);
    expect(Object.getPrototypeOf(encoder.plan)).toBe(Object.prototype);
    expect(refusal(() => encoder.encode([{ toString: 'a' }]))).toContain(
      'Expected a value for records[0].__proto__, as in every record',
    );
    const bare = Object.assign(Object.create(null) as object, { x: 1 });
    expect(Encoder.fit([bare, { x: 3 }]).columns).toEqual(['x']);
    class Entity {
      constructor(readonly n: number) {}
      get twice() {
        return 2 * this.n;
      }
    }
    expect(Encoder.fit([new Entity(1), new Entity(2)], { twice: 'number' }).columns).toEqual(['twice']);
  });

  it('lets errors of getters through, and goes on to serve', () => {
    const encoder = Encoder.fit([{ a: 1 }, { a: 2 }]);
    const hostile = { get a(): number { throw new Error('mine'); } }; // prettier-ignore
    expect(() => encoder.encode([{ a: 1 }, hostile])).toThrow('mine');
    expect(dense(encoder.encode([{ a: 1 }]))).toEqual([[-1]]);
  });

  it('refuses a record without a field that no other lacked, and says what it may have meant', () => {
    const encoder = Encoder.fit<{ age?: number | null; city?: string | null }>([{ age: 1, city: 'a' }, { age: 2, city: null }]); // prettier-ignore
    expect(refusal(() => encoder.encode([{ age: 1 }, { Age: 5 } as object]))).toBe(
      'RangeError [ERR_RECORDS]: Expected a value for records[1].age, as in every record that was learnt from, but received none; did it mean "Age"?',
    );
    expect(dense(encoder.encode([{ age: null }]))).toEqual(dense(encoder.encode([{ age: 1.5, city: null }])));
  });

  it('refuses texts that are too long, with row and field', () => {
    const long = 'x'.repeat(2 ** 16 + 1);
    expect(refusal(() => Encoder.fit([{ a: long }], { a: 'category' }))).toContain(
      'Expected a category of at most 65536 characters for records[0].a but received "xxx',
    );
    const huge = 'word '.repeat(2 ** 23);
    expect(refusal(() => Encoder.fit([{ a: 'fine' }, { a: huge }], { a: 'text' }))).toContain(
      'Expected a text of at most 33554432 characters for records[1].a but received',
    );
  });

  it('keeps lone surrogates apart', () => {
    const records = ['\ud800', '\ud801', 'a\udc00'].map((a) => ({ a, b: `${a} word` }));
    const found = encoded(records, { a: 'category', b: 'text' });
    expect(found['a=\ud800']).toEqual([1, 0, 0]);
    expect(found['b: word']).toEqual([1, 1, 1]);
    encoded(records, { b: text({ hash: 8 }) });
  });

  it('sorts categories by code points', () => {
    expect(
      Object.keys(
        encoded(
          ['\ufb01', '😀', 'z', 'é'].map((a) => ({ a })),
          { a: 'category' },
        ),
      ),
    ).toEqual(['a=z', 'a=é', 'a=\ufb01', 'a=😀']);
  });

  it('counts distinct values beyond the limit as others', () => {
    function* generate() {
      for (let i = 0; i < 2 ** 20 + 10; i++) yield { id: `x${i}` };
    }
    const encoder = Encoder.fit(generate(), { id: category({ maxFeatures: 10 }) });
    expect(encoder.fields).toEqual([{ name: 'id', kind: 'category', columns: 11, distinct: 2 ** 20 }]);
  });
});

describe('Table', () => {
  const columns = { age: Float64Array.of(1, NaN, 3), city: ['a', 'b', 'a'], vip: [true, false, null] };
  const records = [{ age: 1, city: 'a', vip: true }, { age: NaN, city: 'b', vip: false }, { age: 3, city: 'a', vip: null }]; // prettier-ignore

  it('Table.from(columns) is a list of records', () => {
    const table = Table.from(columns);
    expect([table.rows, table.fields]).toEqual([3, ['age', 'city', 'vip']]);
    expect([...table]).toEqual(records);
    expect(table.record(1)).toEqual(records[1]);
    expect(refusal(() => Table.from({ a: [1], b: [1, 2] }))).toBe(
      'RangeError [ERR_RECORDS]: Expected 1 value for columns["b"], as in the first column, but received 2',
    );
    expect(refusal(() => Table.from({ a: 5 as never }))).toContain('Expected an array for columns["a"] but received 5');
    expect([...Table.from(JSON.parse('{"__proto__":[1]}') as { [name: string]: number[] })]).toEqual([
      JSON.parse('{"__proto__":1}'),
    ]);
  });

  it('is encoded as its records are, dictionaries too', () => {
    const coded = Table.of<object>(
      3,
      new Map([
        ['age', { values: columns.age }],
        ['city', { codes: Int32Array.of(1, 0, 1), dictionary: ['b', 'a', 'unused'] }],
        ['vip', { codes: Int32Array.of(0, 1, -1), dictionary: [true, false] }],
      ]),
    );
    const expected = Encoder.fitEncode<object>(records);
    for (const table of [Table.from(columns), coded]) {
      const { encoder, points } = Encoder.fitEncode<object>(table);
      expect(dense(points)).toEqual(dense(expected.points));
      expect(encoder.columns).toEqual(expected.encoder.columns);
      expect(dense(expected.encoder.encode(table))).toEqual(dense(points));
    }
    expect(refusal(() => expected.encoder.encode(Table.from({ age: [1], vip: [true] })))).toContain(
      'Expected a value for records[0].city',
    );
  });
});

describe('Encoder.fitAsync(records)', () => {
  it('learns the same from records that arrive one after the other', async () => {
    const records = Array.from({ length: 3000 }, (_, i) => ({
      a: i % 3 === 0 ? null : i,
      b: `v${i % 5}`,
      c: `some words ${i % 11} here`,
    }));
    const expected = JSON.stringify(Encoder.fit(records));
    async function* arriving() {
      for (const record of records) yield await Promise.resolve(record);
    }
    expect(JSON.stringify(await Encoder.fitAsync(records))).toBe(expected);
    expect(JSON.stringify(Encoder.fit(new Set(records)))).toBe(expected);
    // A plan is inferred from the first records, as there is no way to look at others.
    expect(JSON.stringify(await Encoder.fitAsync(arriving()))).toBe(expected);
  });
});

describe('any records', () => {
  const value = fc.record(
    {
      n: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })),
      c: fc.option(fc.constantFrom('a', 'b', 'c', '', 'NA', 'toString')),
      l: fc.array(fc.constantFrom('x', 'y', 'z', '__proto__'), { maxLength: 4 }),
      t: fc.string({ unit: 'grapheme', maxLength: 30 }),
      d: fc.option(fc.date({ noInvalidDate: true })),
      b: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const plan = { n: 'number', c: 'category', l: 'categories', t: 'text', d: 'date', b: 'boolean' } as const;
  const full = { n: 1, c: 'a', l: ['x'], t: 'some words', d: new Date(0), b: true };

  it('are encoded alike by an encoder, by its JSON, and one by one', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 12 }), (list) => {
        const records: object[] = [full, ...list];
        const { encoder, points } = Encoder.fitEncode<object>(records, plan);
        const rows = dense(points);
        expect(rows.flat().every(Number.isFinite)).toBe(true);
        const copy = Encoder.fromJSON(JSON.parse(JSON.stringify(encoder)));
        expect(dense(copy.encode(records))).toEqual(rows);
        records.forEach((record, i) => {
          const row = new Array<number>(encoder.cols).fill(0);
          const { columns, values, count } = Encoder.encodeOne(encoder, record);
          for (let k = 0; k < count; k++) {
            if (k > 0) expect(columns[k]).toBeGreaterThan(columns[k - 1]!);
            row[columns[k]!] = values[k]!;
          }
          expect(row).toEqual(rows[i]);
        });
      }),
    );
  });

  it('count as often as their weights say', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 10 }), (pairs) => {
        const all: [object, number][] = [[full, 1], ...pairs];
        const copies = all.flatMap(([record, weight]) => new Array<object>(weight).fill(record));
        const byCopies = Encoder.fit<object>(copies, plan);
        const byWeights = learnWeighted(all, plan);
        expect(byWeights.columns).toEqual(byCopies.columns);
        const [one, other] = [byCopies, byWeights].map((encoder) => dense(encoder.encode([full])).flat());
        one!.forEach((x, j) => expect(other![j]).toBeCloseTo(x, 9));
      }),
    );
  });
});

/** An encoder learnt from records with weights. */
function learnWeighted(all: readonly (readonly [object, number])[], plan: object): Encoder {
  const reading = { plan: resolvePlan(plan), missing: DEFAULT_MISSING };
  const records = run(
    readingToLearn(
      all.map(([record]) => record),
      reading,
    ),
  );
  return Encoder.learn(
    records,
    Float64Array.from(all, ([, weight]) => weight),
  );
}

describe('Encoder.fromJSON(json)', () => {
  const encoder = Encoder.fit(
    [{ n: 1, c: 'a', l: ['x'], t: 'some words', h: 'other words', d: new Date(0) }, { n: null, c: 'b', l: [], t: 'words', h: '', d: new Date(1e12) }], // prettier-ignore
    { n: 'number', c: 'category', l: 'categories', t: 'text', h: text({ hash: 8 }), d: 'date' },
  );
  const json = () =>
    JSON.parse(JSON.stringify(encoder)) as {
      version: number;
      missing: unknown;
      fields: { name: string; plan: Record<string, unknown>; learnt: Record<string, unknown> }[];
    };
  type Json = ReturnType<typeof json>;

  it.each<[string, (json: Json) => void, string]>([
    [
      'a newer version',
      (json) => (json.version = 2),
      'Expected version 1 for json.version but received 2 (written by a newer fista-classify)',
    ],
    ['no version', (json) => delete (json as Partial<Json>).version, 'Expected version 1 for json.version but received undefined'],
    [
      'odd missing values',
      (json) => (json.missing = [{}]),
      'Expected a string or a finite number for json.missing[0] but received an object',
    ],
    ['no fields', (json) => (json.fields = 5 as never), 'Expected an array of fields for json.fields but received 5'],
    ['a name twice', (json) => (json.fields[1]!.name = 'n'), 'Expected distinct names for json.fields but received "n"'],
    ['an unknown kind', (json) => (json.fields[0]!.plan = { kind: 'image' }), 'for json.fields[0].plan.kind but received "image"'],
    [
      'nothing learnt',
      (json) => delete (json.fields[0] as Partial<Json['fields'][0]>).learnt,
      'Expected an object for json.fields[0].learnt but received undefined',
    ],
    ['a mean of no number', (json) => (json.fields[0]!.learnt.mean = 'x'), 'json.fields[0].learnt.mean but received "x"'],
    [
      'a negative scale',
      (json) => (json.fields[0]!.learnt.scale = -1),
      'Expected a number of 0 or more for json.fields[0].learnt.scale but received -1',
    ],
    [
      'a flag of no boolean',
      (json) => (json.fields[0]!.learnt.gaps = 1),
      'Expected true or false for json.fields[0].learnt.gaps but received 1',
    ],
    [
      'a category twice',
      (json) => (json.fields[1]!.learnt.values = ['a', 'a']),
      'Expected distinct strings for json.fields[1].learnt.values[1] but received "a"',
    ],
    [
      'a category of no text',
      (json) => (json.fields[1]!.learnt.values = [5]),
      'Expected a string for json.fields[1].learnt.values[0] but received 5',
    ],
    [
      'too many categories',
      (json) => ((json.fields[1]!.plan.maxFeatures = 1), undefined),
      'Expected at most 1 string for json.fields[1].learnt.values but received 2',
    ],
    [
      'counts of other terms',
      (json) => (json.fields[3]!.learnt.counts = [1]),
      'Expected 2 numbers, one for each term, for json.fields[3].learnt.counts but received 1',
    ],
    [
      'a column of no hash',
      (json) => (json.fields[4]!.learnt.counts = { indices: [8], values: [1] }),
      'Expected an integer from 0 to 7 for json.fields[4].learnt.counts.indices[0] but received 8',
    ],
    [
      'more columns than there can be',
      (json) => ((json.fields[4]!.plan.hash = 2 ** 40), undefined),
      'for json.fields[4].plan.hash but received',
    ],
    ['no parts', (json) => delete json.fields[5]!.plan.parts, 'Expected an array of parts'],
    [
      'too few numbers of dates',
      (json) => (json.fields[5]!.learnt.standards = []),
      'Expected 1 object for json.fields[5].learnt.standards but received 0',
    ],
  ])('refuses %s', (_, change, message) => {
    const odd = json();
    change(odd);
    const refused = refusal(() => Encoder.fromJSON(odd));
    expect(refused).toContain('[ERR_MODEL]');
    expect(refused).toContain(message);
  });
});
