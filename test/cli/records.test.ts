import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinearSvm, readCsv, type Explanation, type FieldInfo } from '../../lib/index.js';
import { HANG, ROOT } from '../support/child.js';
import { random } from '../support/random.js';

// The command line on records: CSV with categories and gaps, and JSON lines.

const BIN = join(ROOT, 'bin', 'fista-classify.js');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fista-cli-'));
  file('customers.csv', csvOf(customers(300, 1)));
  file('new.csv', csvOf(customers(60, 2)));
  file('customers.jsonl', linesOf(customers(300, 1)));
  file('new.jsonl', linesOf(customers(60, 2)));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);
const text = (name: string) => readFileSync(join(folder, name), 'utf8');

interface Customer {
  id: string;
  age: number | undefined;
  city: string | undefined;
  zip: string;
  note: string;
  churn: string;
}

/** Customers that leave if they are old, in Rome or complain. */
function customers(count: number, seed: number): Customer[] {
  const next = random(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const age = next() < 0.1 ? undefined : Math.round(20 + 50 * next());
    const city = next() < 0.1 ? undefined : pick(['Oslo', 'Rome', 'New York']);
    const note = pick(['all is well here, thank you', 'I do complain about the price', 'no news since the last letter']);
    const value = ((age ?? 45) - 45) / 10 + (city === 'Rome' ? 2 : -1) + (note.includes('complain') ? 2 : -1);
    return { id: `k${seed}-${i}`, age, city, zip: pick(['02139', '10115', '00100']), note, churn: value > 0 ? 'yes' : 'no' };
  });
}

function csvOf(records: readonly object[]): string {
  const cell = (value: string | number | undefined) =>
    value === undefined ? '' : /[,"]/.test(String(value)) ? `"${String(value)}"` : String(value);
  return [Object.keys(records[0]!), ...records.map((record) => Object.values(record) as (string | number | undefined)[])]
    .map((row) => `${row.map(cell).join(',')}\n`)
    .join('');
}

const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(args: string[], input?: string): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, stdio: 'pipe', timeout: HANG });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.on('error', () => undefined); // a command that fails does not read all of it
  child.stdin.end(input);
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

async function good(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
}

/** The one line of stderr of a command that fails with this exit code. */
async function bad(code: number, args: string[], input?: string): Promise<string> {
  const ended = await run(args, input);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  return ended.stderr.trimEnd().split('\n').at(-1)!;
}

const TRAIN = ['train', '--label', 'churn'];
const trained = async (name: string, ...words: string[]) => {
  if (!existsSync(join(folder, name))) await good([...TRAIN, '-q', ...words, 'customers.csv', name]);
  return name;
};

describe('fista-classify train on CSV with categories and gaps', () => {
  it('shows what each field is, and writes the model that LinearSvm.fit gives', async () => {
    const out = await good([...TRAIN, 'customers.csv', 'm.json']);
    const fields = out.split('\n').filter((line) => line.startsWith('  '));
    expect(out).toContain('4 fields make 25 columns:\n');
    expect(fields).toEqual([
      '  age   number      2 columns',
      '  city  category    4 columns, 3 distinct',
      '  zip   category    3 columns, 3 distinct',
      '  note  text        16 columns, 16 distinct',
    ]);
    expect(out).toMatch(/\nignored: id\n/);
    const table = await readCsv(join(folder, 'customers.csv'), { as: 'records' });
    const model = LinearSvm.fit(table, 'churn');
    const { training, ...json } = JSON.parse(text('m.json')) as { training: object };
    expect(JSON.stringify(json)).toBe(JSON.stringify(model));
    expect(training).toMatchObject({ rows: 300, label: 'churn' });
  });

  it('--json has the fields and those that are ignored', async () => {
    const out = JSON.parse(await good([...TRAIN, '--json', 'customers.csv', 'j.json'])) as Record<string, unknown>;
    expect(out).toMatchObject({
      labels: ['no', 'yes'],
      columns: 25,
      fields: [
        { name: 'age', kind: 'number', columns: 2 },
        { name: 'city', kind: 'category', columns: 4, distinct: 3 },
        { name: 'zip', kind: 'category', columns: 3, distinct: 3 },
        { name: 'note', kind: 'text', columns: 16, distinct: 16 },
      ],
      ignored: ['id'],
    });
  });

  it('--field and --ignore say what fields are; the others are inferred', async () => {
    const words = ['--field', 'note=category', '--ignore', 'zip', '--field=age=category'];
    const { fields, ignored } = JSON.parse(await good([...TRAIN, '--json', ...words, 'customers.csv', 'f.json'])) as {
      fields: FieldInfo[];
      ignored: string[];
    };
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['age category', 'city category', 'note category']);
    expect(ignored).toEqual(['id', 'zip']);
    expect(fields[2]).toMatchObject({ columns: 3, distinct: 3 });
  });

  it('works with -v, -b, --gamma auto, --balanced, -w and --report', async () => {
    expect(await good([...TRAIN, '-v', '3', 'customers.csv'])).toMatch(/^Cross Validation Accuracy = \d\d/);
    expect(await good([...TRAIN, '-v', '3', '--scoring', 'rocAuc', '--gamma', 'auto', 'customers.csv'])).toMatch(
      /Cross Validation rocAuc = 0\.9/,
    );
    const words = ['-b', '1', '--gamma', 'auto', '--report', 'r.html', '-wyes', '2'];
    expect(await good([...TRAIN, ...words, 'customers.csv', 'b.json'])).toMatch(/accuracy on held-out rows [^]*wrote r\.html\n$/);
    const html = text('r.html');
    expect(html).toMatch(/<small>\d+ of 300 training rows wrong<\/small>/);
    for (const name of ['city=Rome', 'age (missing)', 'note: complain']) expect(html).toContain(name);
    expect(await good([...TRAIN, '-q', '--balanced', '--positive', 'no', 'customers.csv', 'p.json'])).toBe('');
    expect(LinearSvm.fromJSON(JSON.parse(text('p.json'))).labels).toEqual(['yes', 'no']);
  });

  it('reads stdin, gzip, other delimiters and files without a header', async () => {
    await trained('m.json');
    expect(await good([...TRAIN, '-q', '--csv', '-', 'stdin.json'], text('customers.csv'))).toBe('');
    expect(text('stdin.json')).toBe(text('m.json'));
    file('zipped.csv.gz', gzipSync(text('customers.csv')));
    await good([...TRAIN, '-q', 'zipped.csv.gz', 'zipped.json']);
    expect(text('zipped.json')).toBe(text('m.json'));
    const rows = text('customers.csv')
      .split('\n')
      .slice(1)
      .join('\n')
      .replaceAll(',', ';')
      .replaceAll('"', '')
      .replaceAll('; thank', ', thank');
    file('bare.csv', rows);
    const bare = await good(['train', '--no-header', '--delimiter', ';', '--label', '-1', 'bare.csv', 'bare.json']);
    expect(bare).toMatch(/\n {2}1 {2}number {6}2 columns\n/);
    expect(bare).toMatch(/\nignored: 0\n/);
  });

  it('trains on points where all cells are numbers, as before', async () => {
    file('numbers.csv', 'x,label,y\n1,yes,0\n-1,no,0\n2,yes,1\n-2,no,3\n');
    const out = await good(['train', 'numbers.csv', 'n.json']);
    expect(out).not.toContain('field');
    expect(JSON.parse(text('n.json'))).toMatchObject({ columns: ['x', 'y'], version: 1 });
    await good(['train', '-q', '--csv', '-', 'n2.json'], text('numbers.csv'));
    expect(text('n2.json')).toBe(text('n.json'));
    // Names may occur twice there.
    file('twice.csv', 'x,label,x\n1,yes,0\n-1,no,0\n');
    await good(['train', '-q', 'twice.csv', 't.json']);
  });

  it.each<[what: string, csv: string, words: string[], code: number, message: string]>([
    [
      'a label that is not there',
      'a,b\nx,1\n',
      [],
      1,
      'Expected a column "churn", as --label says, at d.csv:1 but received "a,b" [ERR_CSV]',
    ],
    [
      'a label that is missing',
      'a,churn\nx,yes\ny,\n',
      [],
      1,
      'Expected a label for row 2 of d.csv, field "churn", but received none [ERR_LABELS]',
    ],
    ['one label', 'a,churn\nx,yes\ny,yes\n', [], 1, 'Expected two distinct labels in d.csv but every label is "yes" [ERR_LABELS]'],
    ['a field twice', 'a,a,churn\nx,1,yes\n', [], 1, 'Expected one column "a" at d.csv:1 but received two [ERR_CSV]'],
    [
      'a row that is short',
      'a,b,churn\nx,1,yes\nx,no\n',
      [],
      1,
      'Expected 3 cells, as in the first row, at d.csv:3 but received 2 [ERR_CSV]',
    ],
    [
      'an unknown field',
      'city,churn\nx,yes\ny,no\n',
      ['--field', 'cty=category'],
      1,
      'Expected a field "cty", as --field says, in d.csv but it has "city", "churn"; did you mean "city"? [ERR_RECORDS]',
    ],
    [
      'an unknown field to ignore',
      'a,churn\nx,yes\ny,no\n',
      ['--ignore', 'identity'],
      1,
      'Expected a field "identity", as --ignore says, in d.csv but it has "a", "churn" [ERR_RECORDS]',
    ],
    [
      'the kind of the label',
      'a,churn\nx,yes\ny,no\n',
      ['--field', 'churn=category'],
      2,
      'Expected a field other than that of the labels for --field but received "churn" [ERR_USAGE]',
    ],
    [
      'an unknown kind',
      'a,churn\nx,yes\n',
      ['--field', 'a=word'],
      2,
      'Expected NAME=KIND with one of number, category, categories, boolean, date, text, ignore for --field but received "a=word" [ERR_USAGE]',
    ],
    [
      'two kinds',
      'a,churn\nx,yes\n',
      ['--field', 'a=text', '--ignore', 'a'],
      2,
      'Expected one kind for the field "a" but received text and ignore [ERR_USAGE]',
    ],
    [
      'a number that is none',
      'a,churn\n1,yes\nx,no\n',
      ['--field', 'a=number'],
      1,
      'Expected a finite number for records[1].a but received "x"',
    ],
    [
      'only fields to ignore',
      'a,churn\nx,yes\ny,no\n',
      ['--ignore', 'a'],
      1,
      'Expected at least one field for records besides "churn", the label, but received only fields to ignore: "a" [ERR_RECORDS]',
    ],
    [
      'a format without a place for it',
      'a,churn\nx,yes\ny,no\n',
      ['--format', 'liblinear'],
      2,
      "Expected --format json but received liblinear: LIBLINEAR's models have no place for how the fields of d.csv become numbers [ERR_USAGE]",
    ],
    [
      'labels that are no numbers',
      'a,churn\nx,yes\ny,no\n',
      ['--labels', 'number'],
      1,
      'Expected a number, the label, for row 1 of d.csv, field "churn", but received "yes" [ERR_LABELS]',
    ],
  ])('refuses %s', async (_, csv, words, code, message) => {
    file('d.csv', csv);
    expect(await bad(code, [...TRAIN, ...words, 'd.csv', 'bad.json'])).toContain(`fista-classify: ${message}`);
    expect(existsSync(join(folder, 'bad.json'))).toBe(false);
  });

  it('refuses --field with LIBSVM text, --delimiter with JSON lines, a folder, and gzip that was cut', async () => {
    expect(await bad(2, ['train', '--field', 'a=text', 'data.svm', 'x'])).toContain(
      'Expected CSV or JSON lines with --field but received "data.svm" [ERR_USAGE]',
    );
    expect(await bad(2, [...TRAIN, '--delimiter', ';', 'customers.jsonl', 'x'])).toContain(
      'Expected CSV with --delimiter but received',
    );
    mkdirSync(join(folder, 'folder.csv'), { recursive: true });
    expect(await bad(1, [...TRAIN, 'folder.csv', 'x'])).toBe(
      'fista-classify: Cannot read folder.csv: illegal operation on a directory [EISDIR]',
    );
    file('cut.csv.gz', gzipSync(text('customers.csv')).subarray(0, 500));
    expect(await bad(1, [...TRAIN, 'cut.csv.gz', 'x'])).toBe(
      'fista-classify: Expected a whole gzip file for cut.csv.gz but received a file that ends in the middle [ERR_CSV]',
    );
  });

  it('prints no control characters of field names and values', async () => {
    const evil = '\u001b[2J\u009b31m';
    file('evil.csv', `${evil},churn\n${evil}x,yes\n${evil}y,no\n`);
    const plain = /^[^\0-\x09\x0b-\x1f\x7f-\x9f]*$/;
    for (const args of [
      ['train', '--label', 'churn', 'evil.csv', 'evil.json'],
      ['inspect', 'evil.json'],
      ['explain', 'evil.json', 'evil.csv'],
      ['explain', '--json', 'evil.json', 'evil.csv'],
    ])
      expect(await good(args)).toMatch(plain);
  });
});

describe('fista-classify train on JSON lines', () => {
  it('gives the same model as CSV of the same records', async () => {
    await trained('m.json');
    await good([...TRAIN, '-q', 'customers.jsonl', 'l.json']);
    expect(text('l.json')).toBe(text('m.json'));
    await good([...TRAIN, '-q', '--json-lines', '-', 'l2.json'], text('customers.jsonl'));
    expect(text('l2.json')).toBe(text('m.json'));
    expect(await good(['predict', 'new.jsonl', 'm.json', 'out'])).toBe(await good(['predict', 'new.csv', 'm.json', 'out']));
  });

  it('takes labels that are booleans, lists and nested fields to ignore', async () => {
    const records = Array.from({ length: 20 }, (_, i) => ({ tags: i % 2 ? ['a', 'b'] : ['b'], deep: { x: 1 }, y: i % 2 === 1 }));
    file('b.ndjson', linesOf(records));
    expect(await bad(1, ['train', '--label', 'y', 'b.ndjson', 'b2.json'])).toContain('records[0].deep but received an object');
    const words = ['train', '--label', 'y', '--ignore', 'deep', '-wtrue', '2', '--positive', 'false', 'b.ndjson', 'b2.json'];
    expect(await good(words)).toContain('  tags  categories  2 columns');
    expect(await good(['predict', 'b.ndjson', 'b2.json', 'out'])).toBe('Accuracy = 100% (20/20)\n');
    expect(text('out').split('\n').slice(0, 2)).toEqual(['false', 'true']);
  });

  it.each([
    [
      'a line that is no JSON',
      '{"a": 1, "churn": 1}\nx\n',
      'Expected JSON at d.jsonl:2 but received "x" where no value can begin [ERR_JSON]',
    ],
    ['a line that is no object', '[1]\n', 'Expected an object at d.jsonl:1 but received an array of length 1 [ERR_JSON]'],
    ['no label', '{"a": 1}\n', 'Expected a field "churn", as --label says, in d.jsonl but it has "a" [ERR_RECORDS]'],
    [
      'a label that is a list',
      '{"a": 1, "churn": [1]}\n',
      'Expected a number, string or boolean, the label, for row 1 of d.jsonl, field "churn", but received an array of length 1 [ERR_LABELS]',
    ],
  ])('refuses %s', async (_, lines, message) => {
    file('d.jsonl', lines);
    expect(await bad(1, [...TRAIN, 'd.jsonl', 'bad.json'])).toBe(`fista-classify: ${message}`);
  });
});

describe('fista-classify on Parquet and Arrow', () => {
  it('trains and predicts as on CSV of the same records', async () => {
    await trained('m.json');
    const { parquetWriteBuffer } = await import('hyparquet-writer');
    const { tableFromArrays, tableToIPC } = await import('@uwdata/flechette');
    const columns = (records: Customer[]) =>
      (['id', 'age', 'city', 'zip', 'note', 'churn'] as const).map((name) => {
        return { name, data: records.map((record) => record[name] ?? null), type: name === 'age' ? 'DOUBLE' : 'STRING' } as const;
      });
    file('customers.parquet', new Uint8Array(parquetWriteBuffer({ columnData: columns(customers(300, 1)) })));
    const arrays = Object.fromEntries(columns(customers(60, 2)).map(({ name, data }) => [name, data]));
    file('new.arrow', tableToIPC(tableFromArrays(arrays as never), { format: 'file' })!);
    await good([...TRAIN, '-q', 'customers.parquet', 'parquet.json']);
    expect(text('parquet.json')).toBe(text('m.json'));
    expect(await good(['predict', 'new.arrow', 'parquet.json', 'out'])).toBe(await good(['predict', 'new.csv', 'm.json', 'out']));
    file('cut.parquet', readFileSync(join(folder, 'customers.parquet')).subarray(0, 100));
    expect(await bad(1, [...TRAIN, 'cut.parquet', 'x'])).toMatch(
      /^fista-classify: Expected a Parquet file for cut\.parquet .*\[ERR_PARQUET\]$/,
    );
  });
});

describe('fista-classify predict by a model of records', () => {
  it('finds fields by name, in any order, with labels or without', async () => {
    await trained('m.json');
    const accuracy = await good(['predict', 'new.csv', 'm.json', 'out']);
    expect(accuracy).toMatch(/^Accuracy = 9\d(\.\d+)?% \(\d\d\/60\)\n$/);
    const records = customers(60, 2);
    file('turned.csv', csvOf(records.map((record) => Object.fromEntries(Object.entries(record).reverse().slice(1)))));
    const { stdout, stderr } = await run(['predict', 'turned.csv', 'm.json']);
    expect(stdout).toBe(text('out'));
    expect(stderr).toBe('No accuracy: no row has a label of the model ("no", "yes")\n');
    const model = LinearSvm.fromJSON(JSON.parse(text('m.json')));
    expect(stdout).toBe(`${model.predict(records).join('\n')}\n`);
  });

  it('prints decision values, probabilities and metrics, and writes a page', async () => {
    await trained('prob.json', '-b', '1');
    const values = (await good(['predict', '--decision-values', 'new.csv', 'prob.json'])).trimEnd().split('\n');
    for (const line of values) expect(line).toMatch(/^(yes -?|no -)?\S+( -?\d.*)?$/);
    expect(await good(['predict', '-b', '1', 'new.csv', 'prob.json'])).toMatch(/^labels no yes\n(no|yes) 0\.\d+ 0\.\d+\n/);
    expect(await good(['predict', '--metrics', '--report', 'p.html', 'new.csv', 'prob.json', 'out'])).toContain(
      'balanced accuracy',
    );
    expect(text('p.html')).toContain('city=Rome');
    // Rows whose label the model does not know take no part in either.
    file('some.csv', `${csvOf(customers(20, 3))}x,,Oslo,02139,a note about nothing,maybe\n`);
    const ended = await run(['predict', '--metrics', '--report', 'p.html', 'some.csv', 'prob.json', 'out']);
    expect(ended.stdout).toContain('Metrics of the 20 rows whose label the model knows:');
    expect(ended.stderr).toContain('1 row of some.csv has a label that the model does not know ("maybe"); it counts as wrong');
  });

  it('reads fields as the model has them, not as the cells look', async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      code: i % 2 ? '1.50' : 'A',
      text: i % 2 ? 'one two three four' : 'a b c d',
      y: i % 2,
    }));
    file('codes.csv', csvOf(rows));
    await good(['train', '-q', '--label', 'y', 'codes.csv', 'codes.json']);
    file('code.csv', 'code,text,y\n1.50,17,1\n');
    expect(await good(['predict', 'code.csv', 'codes.json'])).toBe('1\n');
    file('words.csv', 'code,text,y\n1.50,one two,1\nA,a b,?\n');
    const { stdout, stderr } = await run(['predict', 'words.csv', 'codes.json', 'out']);
    expect([stdout, stderr]).toEqual(['Accuracy = 50% (1/2)\n', expect.stringContaining('does not know ("?")')]);
  });

  it('ignores fields that the model does not know, or refuses them, and names one that is missing', async () => {
    await trained('m.json');
    file('extra.csv', csvOf([{ ...customers(1, 5)[0]!, more: 1, again: 2 }]));
    const ended = await run(['predict', 'extra.csv', 'm.json', 'out']);
    expect([ended.code, ended.stderr]).toEqual([
      0,
      'fista-classify: extra.csv has 2 columns that the model does not know ("more", "again"): ignored\n',
    ]);
    expect(await bad(1, ['predict', '--extra-columns', 'refuse', 'extra.csv', 'm.json', 'out'])).toContain(
      'Expected only columns of the model for extra.csv but received "more" and 1 more',
    );
    file('short.csv', csvOf([{ ...customers(1, 5)[0]!, zip: undefined }]).replace('zip', 'postcode'));
    expect((await run(['predict', 'short.csv', 'm.json', 'out'])).stderr).toMatch(
      /Expected a value for records\[0\]\.zip, as in every record that was learnt from, but received none.*\[ERR_RECORDS\]\n$/,
    );
  });

  it('refuses LIBSVM text, and a label that --label names but the file has not', async () => {
    await trained('m.json');
    file('data.svm', '1 1:1\n');
    expect(await bad(2, ['predict', 'data.svm', 'm.json'])).toContain(
      'Expected CSV or JSON lines, as the model was trained on records, but received "data.svm"; use --csv or --json-lines if it is one of them [ERR_USAGE]',
    );
    expect(await bad(1, ['predict', '--label', 'gone', 'new.csv', 'm.json'])).toContain(
      'Expected a field "gone", as --label says, in new.csv',
    );
    expect(await good(['predict', '-q', '--no-label', 'new.csv', 'm.json'])).toMatch(/^(yes|no)\n/);
  });
});

describe('fista-classify inspect of a model of records', () => {
  it('shows the fields', async () => {
    await trained('m.json');
    const out = await good(['inspect', 'm.json']);
    expect(out).toMatch(/\n4 fields make 25 columns:\n {2}age {3}number {6}2 columns\n/);
    expect(out).toContain('\n  note  text        16 columns, 16 distinct\nignored: id\n');
    expect(out).toMatch(/\n {2}city=Rome +\d/);
    const json = JSON.parse(await good(['inspect', '--json', 'm.json'])) as { fields: FieldInfo[]; ignored: string[] };
    expect(json.fields.map(({ name }) => name)).toEqual(['age', 'city', 'zip', 'note']);
    expect(json.ignored).toEqual(['id']);
  });
});

describe('fista-classify convert of a model of records', () => {
  it('keeps the encoder in JSON, and warns that other formats have none', async () => {
    await trained('m.json');
    await good(['convert', '-q', 'm.json', 'copy.json']);
    expect(text('copy.json')).toBe(text('m.json'));
    const { code, stderr } = await run(['convert', 'm.json', 'm.onnx']);
    expect([code, stderr]).toEqual([
      0,
      'fista-classify: m.json takes records, but m.onnx will take the 25 columns that are made of them\n',
    ]);
  });
});

describe('fista-classify explain', () => {
  it('prints the share of each field, which add up to the decision value', async () => {
    await trained('m.json');
    const out = JSON.parse(await good(['explain', '--json', '--row', '3', 'm.json', 'new.csv'])) as Explanation & { row: number };
    const model = LinearSvm.fromJSON(JSON.parse(text('m.json')));
    const record = customers(3, 2)[2]!;
    expect(out).toEqual({ row: 3, actual: record.churn, ...model.explain(record) });
    expect(out.fields.reduce((sum, { share }) => sum + share, out.base)).toBeCloseTo(out.value, 12);
    const lines = (await good(['explain', '--row', '3', 'm.json', 'new.csv'])).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^row 3 of new\.csv: "(yes|no)"(, as in the file|; the file has "(yes|no)")$/);
    expect(lines[1]).toMatch(/^ {2}base +[-+]\d\S* {2}the mean training row$/);
    expect(lines.slice(2, 6).map((line) => /^ {2}(\w+) +[-+]\d\S* /.exec(line)![1])).toEqual(out.fields.map(({ name }) => name));
    expect(lines[6]).toMatch(/^ {2}value +[-+]\d\S* {2}above 0 is "yes", below 0 "no"$/);
    expect(lines).toHaveLength(7);
  });

  it('explains the first row of any format, shows as many fields as asked for, and missing values', async () => {
    await trained('m.json');
    file('one.jsonl', linesOf([{ note: 'I complain about it', zip: '02139' }]));
    const lines = (await good(['explain', '--top', '1', 'm.json', 'one.jsonl'])).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[3]).toMatch(/^ {2}3 more +[-+]\d/);
    const all = await good(['explain', 'm.json', 'one.jsonl']);
    expect(all).toMatch(/^ {2}age +\S+ {2}missing$/m);
    expect(all).toMatch(/^ {2}zip +\S+ {2}"02139"$/m);
    expect(all).toMatch(/^ {2}city +\S+ {2}missing$/m);
    expect(all).toMatch(/^ {2}note +\S+ {2}note: \w+ \S+, note: \w+ \S+$/m);
  });

  it('refuses a row beyond the last, a model of points, and LIBSVM text', async () => {
    await trained('m.json');
    expect(await bad(1, ['explain', '--row', '61', 'm.json', 'new.csv'])).toBe(
      'fista-classify: Expected a row of new.csv, which has 60, for --row but received 61 [ERR_RECORDS]',
    );
    expect(await bad(2, ['explain', '--row', '0', 'm.json', 'new.csv'])).toContain('for --row but received "0" [ERR_USAGE]');
    file('points.csv', 'x,label\n1,a\n-1,b\n');
    await good(['train', '-q', 'points.csv', 'points.json']);
    expect(await bad(1, ['explain', 'points.json', 'new.csv'])).toBe(
      'fista-classify: Expected a model trained on records for points.json but this one was trained on points [ERR_MODEL]',
    );
    expect(await bad(2, ['explain', 'm.json', 'data.svm'])).toContain('Expected CSV or JSON lines');
  });
});
