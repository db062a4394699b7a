/** Malicious files: refused with a reason, in time and memory proportional to their size. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinearSvm, readCsv, readLibsvm, writeLibsvm } from '../../lib/index.js';
import { node, ROOT } from '../support/child.js';

const bytes = (text: string) => Buffer.from(text);

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-hostile-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Runs the command line with a heap of so many megabytes. */
function fista(args: string[], heap = 512) {
  const flags = [`--max-old-space-size=${heap}`, join(ROOT, 'bin', 'fista-classify.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, ...args], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('regular expressions in lib, bin and examples', () => {
  const files = ['lib', 'bin', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
  const found = files.flatMap((file) => {
    const list: { file: string; source: string }[] = [];
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
    const visit = (at: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(at)) list.push({ file, source: at.text });
      // An expression built at run time could not be tested here.
      if (ts.isNewExpression(at) && at.expression.getText(source) === 'RegExp') list.push({ file, source: 'new RegExp' });
      at.forEachChild(visit);
    };
    visit(source);
    return list;
  });

  it('are all literals, and none takes quadratic time on 250 kB of text', async () => {
    expect(found.length).toBeGreaterThan(30);
    expect(found.filter(({ source }) => source === 'new RegExp')).toEqual([]);
    // In a separate process, since a match cannot be interrupted. Quadratic time would take minutes for each.
    const code = `
      const pumps = ['1', ' ', 'a', 'A', '-', '.', '"', "'", ',', '\\n', '1.', 'e-', ", a '", 'options.', '&', '0:'];
      const texts = pumps.flatMap((pump) => ['', ', ', '1'].map((before) => before + pump.repeat(250e3 / pump.length) + '!\\0'));
      for (const expression of [${found.map(({ source }) => source).join(', ')}]) {
        process.stdout.write('\\n' + expression);
        for (const text of texts) text.replace(expression, '');
      }
      process.stdout.write('\\nall');`;
    const { stdout, stderr } = await node(['-e', code]);
    expect(`${stdout.split('\n').at(-1)} ${stderr}`).toBe('all ');
  });
});

describe('readCsv of a cell of a megabyte', () => {
  it.each([
    ['digits', '1'.repeat(1e6)],
    ['digits after a point', `1.${'1'.repeat(1e6)}`],
    ['digits of an exponent', `1e${'1'.repeat(1e6)}`],
    ['blanks', `1${' '.repeat(1e6)}`],
  ])('refuses %s followed by an x, with a shortened message', async (_, cell) => {
    await expect(readCsv(bytes(`x,label\n${cell}x,1\n`), { label: 'label' })).rejects.toMatchObject({
      code: 'ERR_CSV',
      message: expect.stringMatching(/^Expected a finite number at input:2:1 \(column "x"\) but received "1.{39}…"$/) as string,
    });
  });
});

describe('readLibsvm and readCsv with maxBytes', () => {
  const text = '1 1:1\n-1 1:2\n';
  const table = 'y,x\n1,1\n2,2\n';
  const sources = (content: string) => [
    bytes(content),
    gzipSync(content),
    file('plain', content),
    file('zipped', gzipSync(content)),
    Readable.from([...content]),
  ];
  const long = (code: string, max: number) => ({
    code,
    name: 'RangeError',
    message: expect.stringMatching(
      new RegExp(`^Expected at most ${max} bytes of text for .*, as options.maxBytes says, but`),
    ) as string,
  });

  it('accept a text of maxBytes and refuse a longer one, from bytes, gzip, files and streams', async () => {
    for (const source of sources(text)) expect((await readLibsvm(source, { maxBytes: text.length })).points.rows).toBe(2);
    for (const source of sources(text)) {
      await expect(readLibsvm(source, { maxBytes: text.length - 1 })).rejects.toMatchObject(long('ERR_LIBSVM', text.length - 1));
    }
    for (const source of sources(table)) {
      expect((await readCsv(source, { label: 'y', maxBytes: table.length })).points.rows).toBe(2);
    }
    for (const source of sources(table)) {
      const reading = readCsv(source, { label: 'y', maxBytes: table.length - 1 });
      await expect(reading).rejects.toMatchObject(long('ERR_CSV', table.length - 1));
    }
    expect((await readLibsvm(bytes(text), { maxBytes: Infinity })).points.rows).toBe(2);
    for (const maxBytes of [-1, 0.5, NaN, '1']) {
      await expect(readLibsvm(bytes(text), { maxBytes } as object)).rejects.toMatchObject({ code: 'ERR_OPTION' });
    }
  });

  it('refuse a small gzip file that unpacks to a gigabyte, before it is unpacked', async () => {
    // A gigabyte of rows in less than 5 MB of gzip members.
    const bomb = Buffer.concat(Array<Buffer>(100).fill(gzipSync('1 1:1\n'.repeat(2e6))));
    expect(bomb.length).toBeLessThan(5e6);
    await expect(readLibsvm(bomb, { maxBytes: 1e6 })).rejects.toMatchObject(long('ERR_LIBSVM', 1e6));
    file('bomb.svm', bomb);
    expect(fista(['train', '--max-bytes', '1000000', 'bomb.svm', 'm.json'])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'fista-classify: Expected at most 1000000 bytes of text for bomb.svm, as --max-bytes says, but received more [ERR_LIBSVM]\n',
    });
  });
});

describe('limits of labels', () => {
  it('readCsv refuses a label of more than 1000 characters', async () => {
    const read = (length: number) => readCsv(bytes(`x,label\n1,${'a'.repeat(length)}\n`), { label: 'label' });
    expect((await read(1000)).labels).toEqual(['a'.repeat(1000)]);
    await expect(read(1001)).rejects.toThrow(/^Expected a label of at most 1000 characters at input:2:2 \(column "label"\) but/);
  });

  it("readLibsvm with labels: 'string' refuses more than 1048576 distinct labels", async () => {
    const text = Array.from({ length: 2 ** 20 }, (_, i) => `${i.toString(36)}\n`).join('');
    expect(new Set((await readLibsvm(bytes(text), { labels: 'string' })).labels).size).toBe(2 ** 20);
    const message = 'Expected at most 1048576 distinct labels for input but received more';
    await expect(readLibsvm(bytes(`${text}more`), { labels: 'string' })).rejects.toMatchObject({ code: 'ERR_LIBSVM', message });
  });
});

describe('fista-classify inspect of JSON that needs more memory than its size', () => {
  // V8 creates an object for each list, and aborts the process when its heap is full.
  const heap = 128;
  const inspect = (content: string) => fista(['inspect', file('bomb.json', content)], heap);
  const max = (stderr: string, what: string) =>
    Number(new RegExp(`^fista-classify: Expected at most (\\d+) ${what} of JSON for `).exec(stderr)?.[1]);
  const texts: [string, (lists: number) => string][] = [
    ['lists in lists', (lists) => `{"a":${'['.repeat(lists - 1)}${']'.repeat(lists - 1)}}`],
    ['empty objects', (lists) => `{"a":[{}${',{}'.repeat(lists - 3)}]}`],
  ];

  it.each(texts)('reads %s that fit in the heap, and refuses more of them with a remedy', (_, bomb) => {
    const refused = inspect(bomb(1_200_000));
    const lists = max(refused.stderr, 'lists and objects');
    expect(refused.stderr).toMatch(
      / but received 1200000; NODE_OPTIONS=--max-old-space-size=⟨MB⟩ makes room for more \[ERR_MODEL\]\n$/,
    );
    const { status, stderr } = inspect(bomb(lists));
    expect(stderr).toMatch(/Expected "fista-classify\/linear-svm" for json\.format but received undefined \[ERR_MODEL\]\n$/);
    expect([refused.status, status]).toEqual([1, 1]);
  });

  it('reads a list of numbers that fits in the heap, and refuses a longer one', () => {
    const model = (weights: number) =>
      `{"format":"fista-classify/linear-svm","version":1,"labels":[0,1],"bias":0,"weights":[0${',0'.repeat(weights - 1)}]}`;
    const refused = inspect(model(1e7));
    const characters = max(refused.stderr, 'characters');
    const weights = Math.floor((characters - model(1).length) / 2);
    const { status, stdout, stderr } = inspect(model(weights));
    expect([refused.status, status, stderr]).toEqual([1, 0, '']);
    expect(stdout.replaceAll(',', '')).toContain(`weights   ${weights} of which 0 are not 0`);
    expect(fista(['separate', file('e.json', model(1e7))], heap).stderr).toMatch(/Expected at most \d+ .* \[ERR_ELLIPSOIDS\]\n$/);
  });
});

describe('names of properties that every object inherits', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  const before = Object.getOwnPropertyNames(Object.prototype);

  it.each(NAMES)('%s works as a label, a column and a key of classWeight, and changes no prototype', async (name) => {
    const text = `${name} 1:1\nother 1:-1\n${name} 1:2\nother 1:-2\n`;
    const { points, labels } = await readLibsvm(bytes(text), { labels: 'string' });
    expect(labels).toEqual([name, 'other', name, 'other']);
    const path = join(folder, 'again.svm');
    await writeLibsvm(path, points, labels);
    expect(readFileSync(path, 'utf8')).toBe(text);
    for (const classWeight of [new Map([[name, 2]]), JSON.parse(`{ "${name}": 2 }`) as Record<string, number>]) {
      const model = LinearSvm.fit(points, labels, { classWeight, positive: name });
      expect(model.labels).toEqual(['other', name]);
      expect(LinearSvm.fromJSON(JSON.parse(JSON.stringify(model))).predictOne([3])).toBe(name);
      expect(model.score(points, labels)).toMatchObject({ accuracy: 1, confusion: [[2, 0], [0, 2]] }); // prettier-ignore
    }
    const csv = await readCsv(bytes(`${name},x\n${name},1\nb,2\n`), { label: name });
    expect(csv.labels).toEqual([name, 'b']);
    expect((await readCsv(bytes(`y,${name}\na,1\nb,2\n`), { label: 'y' })).columns).toEqual([name]);
    await expect(readCsv(bytes('y,x\n1,1\n'), { label: name })).rejects.toMatchObject({ code: 'ERR_CSV' });
    for (const odd of [{ [name]: 1 }, JSON.parse(`{ "${name}": { "scale": "none" } }`) as object]) {
      expect(() => LinearSvm.fit(points, labels, odd)).toThrow(/^Unknown option/);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it.each(NAMES.slice(0, 2))('%s works as a label and a column on the command line', (name) => {
    file('d.svm', `${name} 1:1\nother 1:-1\n`);
    file('d.csv', `${name},y\n1,${name}\n-1,other\n`);
    expect(fista(['train', '-q', '--labels', 'string', `-w${name}`, '2', 'd.svm', 'm.json'])).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(fista(['predict', 'd.svm', 'm.json'])).toMatchObject({ status: 0, stdout: `${name}\nother\n` });
    expect(fista(['train', '-q', '--label', 'y', 'd.csv', 'n.json'])).toMatchObject({ status: 0, stderr: '' });
    expect(fista(['inspect', 'n.json']).stdout).toContain(`\n  ${name}  `);
    expect(fista([name])).toMatchObject({ status: 2, stderr: expect.stringContaining('Unknown command') as string });
    expect(fista(['train', `--${name}`, 'd.svm'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Unknown option') as string,
    });
  });
});
