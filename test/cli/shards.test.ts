import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANG, ROOT } from '../support/child.js';
import { random } from '../support/random.js';

// A cross-validation in several jobs, each a process of its own.

const BIN = join(ROOT, 'bin', 'fista-classify.js');
const WDBC = join(ROOT, 'test', 'fixtures', 'wdbc.libsvm.gz');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fista-shards-'));
  const next = random(1);
  const row = (k: number) => Array.from({ length: 3 }, (_, j) => (next() + (k === j ? 0.7 : 0)).toFixed(3));
  const lines = Array.from({ length: 120 }, (_, i) => ['red', 'green', 'blue'][i % 3]! + ',' + row(i % 3).join());
  writeFileSync(join(folder, 'three.csv'), ['label,a,b,c', ...lines].join('\n'));
  const records = lines.map((line, i) => `${line},${['x', 'y', ''][(i * 7) % 3]}`);
  writeFileSync(join(folder, 'records.csv'), ['label,a,b,c,kind', ...records].join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
    timeout: HANG,
  });
  return { status, stdout, stderr };
}

function good(args: readonly string[], env?: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = run(args, env);
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}${stdout}`);
  return stdout;
}

function bad(code: number, args: readonly string[]): string {
  const { status, stdout, stderr } = run(args);
  expect({ status, stdout }).toEqual({ status: code, stdout: '' });
  return stderr;
}

/** Writes the shards of a run to files, and returns their names. */
function shards(name: string, of: number, words: readonly string[], env?: NodeJS.ProcessEnv): string[] {
  return Array.from({ length: of }, (_, k) => {
    const file = `${name}-${k + 1}.json`;
    writeFileSync(join(folder, file), good([...words, '--json', '--shard', `${k + 1}/${of}`], env));
    return file;
  });
}

/** The text without the time that it took. */
const timeless = (text: string) => text.replace(/,"elapsed":[\d.e+-]+\}/, '}');

describe('train --shard and --merge', () => {
  it.each([
    ['the default gamma, a fold a job', 5, ['-v', '5', WDBC]],
    ['several gammas, several folds a job', 2, ['-v', '5', '-c', '0.01,0.1,1', '--seed', '7', WDBC]],
    ['one job', 1, ['-v', '3', '-c', '0.5', WDBC]],
    ['three classes with probabilities', 3, ['-v', '3', '-c', '0.1,1', '--scoring', 'logLoss', 'three.csv']],
    ['records, each fold with an encoder of its own', 2, ['-v', '4', 'records.csv']],
    ['weights and another loss', 3, ['-v', '3', '-c', '0.1,1', '-w1', '2', '-s', '2', '--scoring', 'rocAuc', WDBC]],
  ] as const)('print the very bytes of a single run: %s', (_, of, words) => {
    const files = shards('same', of, ['train', ...words]);
    for (const flags of [['--json'], []]) {
      const single = timeless(good(['train', ...flags, ...words]));
      expect(timeless(good(['train', '--merge', ...flags, ...files.toReversed()]))).toBe(single);
      expect(single).toContain(flags.length > 0 ? '"table"' : 'Cross Validation Accuracy');
    }
  });

  it('keep numbers that JSON does not have', () => {
    const [file] = shards('odd', 1, ['train', '-v', '2', WDBC]);
    const { checksum, ...shard } = JSON.parse(readFileSync(join(folder, file!), 'utf8')) as Record<string, unknown>;
    expect(checksum).toBe(digest(shard));
    const odd = {
      ...shard,
      scores: [{ gamma: 1, accuracy: [0.5, 1], score: [0, 0], loss: ['-0', 'Infinity'], status: ['gap', 'gap'] }],
    };
    writeFileSync(join(folder, 'odd.json'), JSON.stringify({ ...odd, checksum: digest(odd) }));
    expect(good(['train', '--merge', '--json', 'odd.json'])).toContain('"loss":null');
  });

  const digest = (object: object) => createHash('sha256').update(JSON.stringify(object)).digest('hex');

  it.each([
    [['--shard', '1/5', '--json', 'x'], 'Expected -v FOLDS with --shard but received none'],
    [['-v', '5', '--shard', '1/5', 'x'], 'Expected --json with --shard, as --merge reads JSON, but received none'],
    [['-v', '5', '--json', '--shard', '6/5', 'x'], 'Expected K/N with K from 1 to N, such as 2/5, for --shard but received "6/5"'],
    [['-v', '5', '--json', '--shard', '0/5', 'x'], 'for --shard but received "0/5"'],
    [['-v', '5', '--json', '--shard', '2', 'x'], 'for --shard but received "2"'],
    [['-v', '5', '--json', '--shard', '1/6', 'x'], 'Expected at most 5 shards, as -v says 5 folds, for --shard but received 6'],
    [['-v', '5', '-C', '--json', '--shard', '1/5', 'x'], 'but received auto: which gammas that tries depends on all folds'],
    [['-c', '0.1,1', 'x'], 'Expected one number or auto for --gamma without -v but received "0.1,1"'],
    [['-c', '0.1,,1', '-v', '3', 'x'], 'Expected a positive number for --gamma but received ""'],
    [['--merge', '-c', '1', 'x'], 'Expected no other option with --merge, as the shards have them, but received --gamma'],
    [['--merge'], 'Expected 1 or more file names for train but received 0'],
  ])('refuse the command line %j', (words, message) => {
    const { status, stdout, stderr } = run(['train', ...words]);
    expect(status).toBe(2);
    expect(stdout + stderr).toContain(
      JSON.stringify(message)
        .slice(1, -1)
        .replaceAll('\\"', words.includes('--json') ? '\\"' : '"'),
    );
  });

  it('refuse shards that are not those of one run, and say which', () => {
    const words = ['train', '-v', '3', '-c', '1'];
    const files = shards('run', 3, [...words, WDBC]);
    const [a, b, c] = files as [string, string, string];
    const merge = (...list: string[]) => bad(1, ['train', '--merge', ...list]);
    const text = readFileSync(join(folder, b), 'utf8');
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return name;
    };
    expect(merge(a, b)).toContain('Expected all of 3 shards but received 2: missing is 3 [ERR_SHARD]');
    expect(merge(c)).toContain('missing are 1, 2');
    expect(merge(a, b, c, b)).toContain(`Expected each shard once but received shard 2 of 3 in ${b} and in ${b}`);
    expect(merge(a, 'nowhere.json')).toContain('Cannot open nowhere.json: no such file or directory');
    expect(merge(a, write('cut.json', text.slice(0, 200)), c)).toContain(
      'cut.json but received text that is not JSON, or that is cut off',
    );
    expect(merge(a, write('none.json', ''), c)).toContain('none.json but received an empty file');
    expect(merge(a, write('other.json', '[1]'), c)).toContain('other.json but received other JSON');
    expect(merge(a, write('changed.json', text.replace('"accuracy":[0.9', '"accuracy":[0.8')), c)).toContain(
      'its checksum differs',
    );
    expect(merge(a, write('old.json', text.replace(/"version":"[^"]*"/, '"version":"0.0.1"')), c)).toContain('one of "0.0.1"');
    const failed = run(['train', '-v', '3', '--json', '--shard', '2/3', 'nowhere.svm']).stdout;
    expect(merge(a, write('failed.json', failed), c)).toContain('that job had failed: Cannot open nowhere.svm');

    const other = (name: string, of: number, words: readonly string[], env?: NodeJS.ProcessEnv) => shards(name, of, words, env)[1]!;
    expect(merge(a, other('of', 2, [...words, WDBC]), c)).toContain('has a number of shards of 3, and of-2.json 2');
    expect(merge(a, other('gamma', 3, ['train', '-v', '3', '-c', '2', WDBC]), c)).toContain(
      'the option --gamma "1", and gamma-2.json "2"',
    );
    expect(merge(a, other('folds', 3, ['train', '-v', '4', '-c', '1', WDBC]), c)).toContain('has a number of folds of 3');
    expect(merge(a, other('rows', 3, [...words, 'three.csv']), c)).toContain('data of 569 rows, and rows-2.json 120 rows');
    const simd = { ...process.env, FISTA_CLASSIFY_BACKEND: 'js' };
    if (!text.includes('"backend":"js"')) {
      expect(merge(a, other('js', 3, [...words, WDBC], simd), c)).toContain(
        'Expected shards of one kind of instructions but run-1.json has native',
      );
    }

    const changed = write('changed.svm', '1 1:1\n-1 1:2\n1 1:3\n-1 1:4\n1 1:5\n-1 1:6\n');
    const first = shards('data', 2, ['train', '-v', '2', changed])[0]!;
    write('changed.svm', '1 1:1\n-1 1:2\n1 1:3\n-1 1:4\n1 1:5\n-1 1:7\n');
    expect(merge(first, other('data2', 2, ['train', '-v', '2', changed]))).toContain('has data with the digest');
    expect(bad(2, ['train', '--merge', '-v', '4', a, b, c])).toContain(
      'Expected 3 folds, as the shards say, for -v but received 4',
    );
  });
});
