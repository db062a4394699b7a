import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { crossValidate, LinearSvm, readLibsvm, stop } from '../../lib/index.js';
import { matches } from '../../scripts/examples.js';
import { names } from '../support/backends.js';
import { HANG, ROOT } from '../support/child.js';
import { random } from '../support/random.js';
import { clouds } from '../support/svm-data.js';

const BIN = join(ROOT, 'bin', 'fista-classify.js');
const WDBC = join(ROOT, 'test', 'fixtures', 'wdbc.libsvm.gz');

const program = (name: string) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`].find(existsSync);
const [liblinearTrain, liblinearPredict, script, mkfifo] = ['liblinear-train', 'liblinear-predict', 'script', 'mkfifo'].map(
  program,
);
if (!liblinearTrain || !liblinearPredict) {
  process.stdout.write('The command line is not checked against LIBLINEAR, which is not installed (Debian: liblinear-tools)\n');
}
if (!mkfifo) process.stdout.write('The wait for a named pipe is not checked: mkfifo is not installed (Debian: coreutils)\n');
if (!script) process.stdout.write('The progress line is not checked on a terminal: script is not installed (Debian: bsdutils)\n');

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-cli-'))));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

const file = (name: string, text?: string | Uint8Array): string => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const json = (name: string) => JSON.parse(text(name)) as Record<string, unknown>;

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts the command. `at` is a moment of its run and the signals it then sends itself (test/support/moments.cjs). */
function start(args: string[], input?: string, at?: readonly [moment: string, ...signals: NodeJS.Signals[]]): Started {
  const flags = at ? ['--require', join(__dirname, '../support/moments.cjs')] : [];
  const env = at ? { ...process.env, MOMENT: at[0], SIGNALS: at.slice(1).join() } : process.env;
  const child = spawn(process.execPath, [...flags, BIN, ...args], { cwd: folder, env, stdio: 'pipe', timeout: HANG });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.end(input);
  const ended = new Promise<Ended>((done) => child.on('close', (code, signal) => done({ code, signal, stdout, stderr })));
  return { child, ended };
}

const run = (...given: Parameters<typeof start>) => start(...given).ended;

/** Runs the command, expects exit code 0, and returns its stdout. */
async function good(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
}

/** Runs the command, expects this exit code and an empty stdout, and returns the last line of stderr. */
async function bad(code: number, args: string[], input?: string): Promise<string> {
  const ended = await run(args, input);
  expect(ended.stdout).toBe('');
  expect(ended.code).toBe(code);
  const lines = ended.stderr.trimEnd().split('\n');
  expect(ended.stderr).not.toMatch(/^\s+at /m); // no stack trace
  return lines.at(-1)!;
}

/** Overlapping clouds as LIBSVM text, on which a fit takes long. */
function large(number = 5_000): string {
  const { rows, labels } = clouds(7, number, 20, 0.5);
  return rows.map((row, i) => `${labels[i]} ${row.map((x, j) => `${j + 1}:${x.toFixed(4)}`).join(' ')}\n`).join('');
}
const LONG = ['--method', 'fista', '--stop', 'gap:0', '--gamma', '1e6', '--max-iterations', '1e9'];

/** Trains until the time limit; again if a busy machine did not reach the first check within it. */
async function trainFor(time: string, ...words: string[]): Promise<{ status: string; elapsed: number; backend: string }> {
  for (;;) {
    const { code, stdout } = await run(['train', '--json', ...LONG, '--time-limit', time, ...words, '-', 'm.json'], large(800));
    if (code === 2) continue;
    expect(code).toBe(3);
    return (JSON.parse(stdout) as { info: { status: string; elapsed: number; backend: string } }).info;
  }
}

describe.concurrent('fista-classify', () => {
  it('--help shows the common case before the list of commands', async () => {
    const help = await good(['--help']);
    expect(help.indexOf('train data.svm model.json')).toBeGreaterThan(0);
    expect(help.indexOf('train data.svm model.json')).toBeLessThan(help.indexOf('Commands:'));
    for (const name of ['train', 'predict', 'explain', 'separate', 'inspect', 'convert', 'doctor', 'build'])
      expect(help).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(help).toMatch(/Exit codes: 0 .* 1 .* 2 .*\n3 .*\n130 /);
    expect(await good(['help'])).toBe(help);
  });

  it.each(['train', 'predict', 'explain', 'separate', 'inspect', 'convert', 'doctor', 'build'])(
    '%s --help begins with an example',
    async (name) => {
      const help = await good([name, '--help']);
      const example = help.indexOf(`  fista-classify ${name} `);
      expect(example).toBeGreaterThan(0);
      expect(example).toBeLessThan(help.indexOf('Usage:'));
      expect(help).toMatch(/^Options:\n {2}-/m);
      expect(help).toMatch(/^Exit codes: /m);
      for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
      expect(await good(['help', name])).toBe(help);
    },
  );

  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await good(['--version'])).toBe(`${version}\n`);
  });

  it.each([
    [[], 'Expected a command but received none'],
    [['trian'], 'Unknown command "trian"; did you mean train?'],
    [['train'], 'Expected 1 to 2 file names for train but received 0'],
    [['inspect', 'a', 'b'], 'Expected 1 file name for inspect but received 2'],
    [['train', '--gama', '1', 'x'], 'Unknown option "--gama"; did you mean --gamma?'],
    [['train', '-x', 'x'], 'Unknown option "-x"; fista-classify train --help lists'],
    [['train', 'x', '-c'], 'Expected NUMBER|auto after -c but received nothing'],
    [['train', '--gamma', '-1', 'x'], 'Expected a positive number for --gamma but received "-1"'],
    [['train', '--gamma=', 'x'], 'Expected a positive number for --gamma but received ""'],
    [['train', '--json=1', 'x'], 'Expected no value for --json but received "1"'],
    [['train', '-v', '1', 'x'], 'Expected an integer from 2 to 1000000 for -v but received "1"'],
    [['train', '-v', '0x10', 'x'], 'Expected an integer from 2 to 1000000 for -v but received "0x10"'],
    [['train', '-v', '5', 'x', 'model'], 'Expected neither a model name nor --report with -v'],
    [
      ['train', '-s', '0', 'x'],
      'Expected 1, 2 or 3 for -s but received "0": only LIBLINEAR\'s L2-regularised SVMs are trained here',
    ],
    [['train', '-s', '3', '--loss', 'squared-hinge', 'x'], 'Expected one loss but received -s 3 and --loss squared-hinge'],
    [['train', '--method', 'sgd', 'x'], 'Expected auto, ascent, newton, fista or paper for --method but received "sgd"'],
    [['train', '--method', 'fista', '-v', '3', 'x'], 'Expected one of --method and -v but received both'],
    [['train', '--loss', 'log', 'x'], 'Expected hinge or squared-hinge for --loss but received "log"'],
    [['train', '-B', '-1', 'x'], 'Expected a number of 0 or more for -B but received -1: a bias is always trained here'],
    [['train', '-e', '0.1', '--stop', 'stale', 'x'], 'Expected one of -e and --stop'],
    [['train', '--stop', 'never', 'x'], 'Expected agreement:SHARE, gap:NUMBER or stale for --stop but received "never"'],
    [['train', '--stop', 'gap', 'x'], 'Expected agreement:SHARE, gap:NUMBER or stale for --stop but received "gap"'],
    [['train', '--stop', 'agreement:2', 'x'], 'Expected a number from 0 to 1 for the share of stop.agreement but received 2'],
    [
      ['train', '--time-limit', '30', 'x'],
      'Expected a time with its unit, such as 500ms, 30s, 5min or 2h, for --time-limit but received "30"',
    ],
    [
      ['train', '--time-limit', '30sec', 'x'],
      'Expected a time with its unit, such as 500ms, 30s, 5min or 2h, for --time-limit but received "30sec"',
    ],
    [['train', '--time-limit', '0s', 'x'], 'Expected a positive number for --time-limit but received "0"'],
    [['separate', '--time-limit', '1e', 'x.csv', 'y.csv'], 'Expected a time with its unit'],
    [['train', '-w1', 'two', 'x'], 'Expected a finite number for -w1 but received "two"'],
    [['train', '--scale', 'big', 'x'], 'Expected auto, none, standard or maxabs for --scale but received "big"'],
    [['predict', '-b', '1', '--decision-values', 'x', 'y'], 'Expected one of -b and --decision-values but received both'],
    [['predict', '-b', '2', 'x', 'y'], 'Expected'],
    [['predict', '--metrics', '--no-label', 'x', 'y'], 'Expected one of --metrics and --no-label but received both'],
    [['train', '-v', '5', '--scoring', 'roc_auc', 'x'], 'Unknown score "roc_auc" for --scoring; did you mean rocAuc?'],
    [['train', '-v', '5', '--scoring', 'profit', 'x'], 'Unknown score "profit" for --scoring; expected one of accuracy, '],
    [['train', '-v', '5', '--scoring', 'log_los', 'x'], 'Unknown score "log_los" for --scoring; did you mean logLoss?'],
    [
      ['train', '-b', '1', '-v', '3', '--scoring', 'f1', 'x'],
      'Expected one of -b and -v, which writes no model, but received both',
    ],
    [['train', '--scoring', 'f1', 'x'], 'Expected -v FOLDS with --scoring f1 but received none'],
    [['train', '-b', '2', 'x'], 'Expected 0, 1, sigmoid or isotonic for --probability but received "2"'],
    [['train', '-b', '1', '-v', '3', 'x'], 'Expected one of -b and -v, which writes no model, but received both'],
    [
      ['train', '-b', '1', '--format', 'liblinear', 'x'],
      "Expected --format json with -b but received liblinear: LIBLINEAR's models of SVMs have no probabilities",
    ],
    [['separate', 'x.csv'], 'Expected two files of points or one .json file of ellipsoids but received x.csv'],
    [['separate', '--radius', '-1', 'x.csv', 'y.csv'], 'Expected one radius or two, of 0 or more, for --radius but received -1'],
  ])('with arguments %j exits with code 2 and says why', async (args, message) => {
    const line = await bad(2, args);
    expect(line).toContain(`fista-classify: ${message}`);
    expect(line).toMatch(/\[ERR_(USAGE|OPTION)\]$/);
  });

  it('reports a backend that does not load, without a stack trace', async () => {
    const env = { ...process.env, FISTA_CLASSIFY_BACKEND: 'native', FISTA_CLASSIFY_BINARY: join(ROOT, 'nowhere.node') };
    for (const words of [['--version'], ['--version', '--json']]) {
      const child = spawn(process.execPath, [BIN, ...words], { env, stdio: 'pipe' });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      expect(await new Promise((done) => child.on('close', done))).toBe(1);
      expect(said).toMatch(/The native addon did not load: [^]*ERR_BACKEND|"code":"ERR_BACKEND"/);
      expect(said).not.toMatch(/^\s+at /m);
    }
  });

  it('--json reports errors as JSON', async () => {
    for (const [args, code, exit] of [
      [['train', '--json', 'nowhere.svm'], 'ENOENT', 1],
      [['train', '--json', '--gama', '1'], 'ERR_USAGE', 2],
    ] as const) {
      const ended = await run([...args]);
      expect(ended.stderr).toBe('');
      expect(ended.code).toBe(exit);
      expect(JSON.parse(ended.stdout)).toEqual({ error: { code, message: expect.any(String) as string } });
    }
  });
});

describe('fista-classify train', () => {
  it('writes a model that LinearSvm.fromJSON reads, and the same file each time', async () => {
    const first = await good(['train', WDBC, 'm.json']);
    expect(first).toMatch(/^Done \(agreement\) after \d+ iterations, /);
    expect(first).toMatch(/^training accuracy \d\d\.\d %: \d+ of 569 rows get their own label$/m);
    expect(first).toMatch(
      /^proved: \d+ of 569 rows \(\d\d\.\d %\) get the label, right or wrong, that the exact optimum gives them$/m,
    );
    // Accuracy comes first, and every share says what it is a share of.
    expect(first.indexOf('training accuracy')).toBeLessThan(first.indexOf('proved'));
    for (const line of first.split('\n').filter((text) => text.includes('%'))) expect(line).toMatch(/ of 569 rows /);
    expect(first).toMatch(/\nwrote m\.json\n$/);
    const { points, labels } = await readLibsvm(WDBC);
    const fitted = LinearSvm.fit(points, labels);
    const read = LinearSvm.fromJSON(json('m.json'));
    expect(read.labels).toEqual([-1, 1]);
    expect(read.predict(points)).toEqual(fitted.predict(points));
    expect(json('m.json').training).toMatchObject({ status: 'agreement', rows: 569, scale: 'maxabs' });
    await good(['train', '-q', '--threads', '1', WDBC, 'again.json']);
    expect(text('again.json')).toBe(text('m.json'));
  });

  it('writes JSON.stringify(model) plus a summary of the training', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    const { points, labels } = await readLibsvm(WDBC);
    const { training, ...model } = json('m.json');
    expect(JSON.stringify(model)).toBe(JSON.stringify(LinearSvm.fit(points, labels)));
    expect(training).toMatchObject({ rows: 569, status: 'agreement' });
    // Only the columns that have entries.
    await good(['train', '-q', '--cols', '1000000', file('wide.svm', '1 7:1\n-1 999999:1\n'), 'wide.json']);
    expect(text('wide.json').length).toBeLessThan(1000);
    expect(json('wide.json').weights).toMatchObject({ length: 1_000_000, indices: [6, 999_998] });
  });

  it('names the model after the data if no name is given', async () => {
    const data = file('some.svm', '1 1:1\n-1 1:-1\n');
    expect(await good(['train', '-q', data])).toBe('');
    expect(await good(['train', '-q', '--format', 'liblinear', data])).toBe('');
    expect(readdirSync(folder).sort()).toEqual(['some.svm', 'some.svm.model', 'some.svm.model.json']);
    expect(text('some.svm.model')).toMatch(/^solver_type /);
  });

  it('accepts the options of LIBLINEAR and its own', async () => {
    const data = gunzipSync(readFileSync(WDBC)).toString();
    const words = 'train --json -c 0.5 -w1 2 -e 1e-5 -s 3 -B 1 --scale=standard --threads 1 - m.json';
    const out = await good(words.split(' '), data);
    const { info, labels, columns, files } = JSON.parse(out) as {
      info: Record<string, unknown>;
      labels: unknown;
      columns: number;
      files: string[];
    };
    expect(info).toMatchObject({ status: 'gap', gamma: 0.5, scale: 'standard', threads: 1, rows: 569 });
    expect(info.relativeGap).toBeLessThanOrEqual(1e-5);
    expect([labels, columns, files]).toEqual([[-1, 1], 30, ['m.json']]);
    const { points, labels: y } = await readLibsvm(WDBC);
    const weighted = LinearSvm.fit(points, y, {
      gamma: 0.5,
      classWeight: { 1: 2 },
      scale: 'standard',
      stop: stop.gap(1e-5),
    });
    expect(LinearSvm.fromJSON(json('m.json')).weights).toEqual(weighted.weights);
  });

  it('-w and --positive accept negative labels and words', async () => {
    const data = file('words.svm', 'ham 1:1\nham 1:2\nspam 1:-1\nspam 1:-2\n');
    await good(['train', '-q', '--labels', 'string', '-wspam', '3', '--positive', 'ham', data, 'm.json']);
    expect(LinearSvm.fromJSON(json('m.json')).labels).toEqual(['spam', 'ham']);
    expect(await good(['predict', '-q', data, 'm.json'])).toBe('ham\nham\nspam\nspam\n');
    await good(['train', '-q', '-w-1', '3', WDBC, 'm.json']);
    expect(await bad(2, ['train', '-q', '-w7', '3', WDBC, 'm2.json'])).toContain(
      'Expected -1 or 1 for a key of -w<label>, as in labels, but received 7',
    );
    expect(existsSync(file('m2.json'))).toBe(false);
  });

  it('-v prints the accuracy as LIBLINEAR does, and writes no file', async () => {
    const out = await good(['train', '-v', '5', WDBC]);
    expect(out).toMatch(/^Cross Validation Accuracy = 9\d\.?\d*%\n$/);
    const { accuracy, correct, rows, folds } = JSON.parse(await good(['train', '--json', '-v', '5', WDBC])) as Record<
      string,
      number
    >;
    expect(out).toBe(`Cross Validation Accuracy = ${Number((100 * accuracy!).toPrecision(6))}%\n`);
    expect([accuracy, rows, folds]).toEqual([correct! / 569, 569, 5]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('--gamma auto and -C choose gamma, and with -v print the table', async () => {
    const { info } = JSON.parse(await good(['train', '--json', '-C', WDBC, 'm.json'])) as {
      info: { gamma: number; validation: { table: { gamma: number }[] } };
    };
    expect(info.validation.table.map(({ gamma }) => gamma)).toContain(info.gamma);
    const table = await good(['train', '-v', '3', '--gamma', 'auto', WDBC]);
    expect(table.match(/^gamma .* ± .*%/gm)!.length).toBeGreaterThan(3);
    expect(table.match(/\(best\)$/gm)!.length).toBe(1);
    // The accuracy on held-out rows comes between that on the training rows and the proof.
    const words = (await good(['train', '-C', WDBC, 'm.json'])).split('\n');
    expect(words[1]).toMatch(/^training accuracy /);
    expect(words[2]).toMatch(/^accuracy on held-out rows 9\d\.\d % ± \d\.\d % \(3 folds of 569 rows\)$/);
    expect(words[3]).toMatch(/^proved: /);
    expect(words[4]).toBe('The proof says how near the model is to the optimum of its problem, not how often it is right.');
    expect(table).not.toContain('limit');
  });

  it('--loss, and -s as LIBLINEAR has it, choose the loss', async () => {
    const info = async (...words: string[]) =>
      (JSON.parse(await good(['train', '--json', ...words, WDBC, 'm.json'])) as { info: { loss: string; primal: number } }).info;
    const [hinge, squared] = [await info(), await info('--loss', 'squared-hinge')];
    expect([hinge.loss, squared.loss]).toEqual(['hinge', 'squared-hinge']);
    expect((await info('-s', '3')).primal).toBe(hinge.primal);
    for (const type of ['1', '2']) expect((await info('-s', type)).primal).toBe(squared.primal);
    const solver = async (...words: string[]) => {
      await good(['train', '--format', 'liblinear', ...words, WDBC, 'l.model']);
      return readFileSync(join(folder, 'l.model'), 'utf8').split('\n')[0];
    };
    expect(await solver()).toBe('solver_type L2R_L1LOSS_SVC_DUAL');
    expect(await solver('-s', '2')).toBe('solver_type L2R_L2LOSS_SVC');
    expect(await good(['inspect', 'm.json'])).toMatch(/squared-hinge/);
    expect(await good(['train', '-v', '3', '-s', '2', WDBC])).toMatch(/^Cross Validation Accuracy = 9\d/);
  });

  it('-v says how many fits ended at a limit', async () => {
    const words = ['train', '-v', '3', '--stop', 'gap:0', '--max-iterations', '1'];
    const { stdout, stderr } = await run([...words, '--gamma', 'auto', WDBC]);
    const lines = stdout.trim().split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatch(/^gamma .* on held-out rows; 3 of 3 fits ended at a limit( \(best\))?$/);
    expect(stderr).toMatch(/gamma \S+: the accuracy is that of unfinished models; 3 of 3 fits ended at a limit\n$/);
    expect((await run([...words, '-q', WDBC])).stderr).toMatch(/3 of 3 fits ended at a limit\n$/);
  });

  it('writes no model if the time limit passes before the first check', async () => {
    file('data.svm', large());
    file('m.json', 'old');
    const { code, stderr } = await run(['train', '--time-limit', '0.001ms', '--stop', 'gap:0', 'data.svm', 'm.json']);
    // A fast machine may reach the first check: then there is a model.
    if (code === 3) expect(LinearSvm.fromJSON(json('m.json')).weights.some((weight) => weight !== 0)).toBe(true);
    else {
      expect([code, text('m.json')]).toEqual([2, 'old']);
      expect(stderr).toContain(
        'Expected more time for --time-limit but 0.001ms was up before the first check: nothing was written',
      );
    }
  });

  it('writes the model at a limit of iterations, with exit code 3', async () => {
    const ended = await run(['train', '--max-iterations', '1', '--stop', 'gap:0', WDBC, 'm.json']);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/^Stopped at the limit of iterations after 1 iteration,/);
    expect(LinearSvm.fromJSON(json('m.json')).weights.length).toBe(30);
  });

  it.each(names)('--time-limit 0.2s and --backend %s are obeyed', async (backend) => {
    const { status, elapsed, ...info } = await trainFor('0.2s', '--backend', backend);
    expect([status, info.backend]).toEqual(['time-limit', backend]);
    expect(elapsed).toBeGreaterThanOrEqual(200);
  });

  it.each([
    ['100ms', 100],
    ['0.1 s', 100],
    ['0.002min', 120],
    ['3e-5h', 108],
  ])('--time-limit %s lasts at least %d ms', async (time, min) => {
    const { status, elapsed } = await trainFor(time);
    expect(status).toBe('time-limit');
    expect(elapsed).toBeGreaterThanOrEqual(min);
  });

  it('says how to read LIBSVM text whose name ends in .csv', async () => {
    file('libsvm.csv', '1 1:1\n2 1:2\n');
    expect(await bad(1, ['train', 'libsvm.csv', 'm.json'])).toMatch(
      /; this is LIBSVM text, which is read unless the file name or --csv says CSV \[ERR_CSV\]$/,
    );
  });

  it('does not reword a file name in an error', async () => {
    file('options.svm', '1 1:x\n');
    expect(await bad(1, ['train', 'options.svm', 'm.json'])).toMatch(/ at options\.svm:1:/);
  });

  it('--report writes an HTML page', async () => {
    expect(await good(['train', '--report', 'r.html', WDBC, 'm.json'])).toMatch(/wrote m\.json\nwrote r\.html\n$/);
    expect(text('r.html')).toMatch(/^<!doctype html>/i);
    expect(text('r.html')).toContain('wdbc.libsvm');
    expect(text('r.html')).toMatch(/<small>\d+ of 569 training rows wrong<\/small>/);
    expect(text('r.html')).toContain('>column 30<');
  });

  it('predict --report writes a page on the rows whose labels the model knows', async () => {
    await good(['train', WDBC, 'm.json']);
    const page = async (data: string) => {
      await good(['predict', '--report', 'r.html', data, 'm.json', 'out']);
      expect(readdirSync(folder)).toContain('out');
      return text('r.html');
    };
    expect(await page(WDBC)).toMatch(/<small>\d+ of 569 rows of wdbc\.libsvm\.gz wrong<\/small>/);
    file('some.svm', '1 1:12 2:3\n0 1:8\n-1 2:4\n');
    const { code } = await run(['predict', '--report', 'r.html', 'some.svm', 'm.json', 'out']);
    expect(code).toBe(0);
    expect(text('r.html')).toMatch(/<small>\d of 2 rows of some\.svm with a label of the model wrong<\/small>/);
  });

  it('predict --report refuses data without labels of the model, and the file of the labels, and writes nothing', async () => {
    await good(['train', WDBC, 'm.json']);
    file('some.svm', '0 1:12\n');
    expect(await bad(1, ['predict', '--report', 'r.html', 'some.svm', 'm.json', 'out'])).toBe(
      'fista-classify: Expected rows with labels of the model in some.svm for --report but there are none [ERR_LABELS]',
    );
    expect(await bad(2, ['predict', '--report', './out', WDBC, 'm.json', 'out'])).toBe(
      'fista-classify: Expected a file other than that of the labels, out, for --report but received ./out [ERR_USAGE]',
    );
    expect(await bad(2, ['predict', '--report', 'm.json', WDBC, 'm.json', 'out'])).toContain('other than the input m.json');
    expect(readdirSync(folder).sort()).toEqual(['m.json', 'some.svm']);
  });

  it('writes the model to stdout for -, and the summary to stderr', async () => {
    const { code, stdout, stderr } = await run(['train', WDBC, '-']);
    expect(code).toBe(0);
    expect(LinearSvm.fromJSON(JSON.parse(stdout)).weights.length).toBe(30);
    expect(stderr).toContain('Done (agreement)');
  });

  it.each([
    ['no rows', '', 'Expected at least one row at data.svm:1:1 but received none [ERR_LIBSVM]'],
    ['a broken line', '1 1:1\n-1 2\n', 'Expected index:value at data.svm:2:4 but received "2" [ERR_LIBSVM]'],
    ['columns from 0', '1 0:1\n', 'for a file that counts from 0 use --zero-based [ERR_LIBSVM]'],
    ['words', 'spam 1:1\n', 'for labels that are words use --labels string [ERR_LIBSVM]'],
    ['one label', '1 1:1\n1 1:2\n', 'Expected two distinct labels in data.svm but every label is 1 [ERR_LABELS]'],
  ])('refuses %s with exit code 1, and keeps the old model', async (_what, data, message) => {
    file('data.svm', data);
    file('m.json', 'old');
    expect(await bad(1, ['train', 'data.svm', 'm.json'])).toContain(message);
    expect(text('m.json')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['data.svm', 'm.json']);
  });

  it('-v names stdin in an error about its labels', async () => {
    expect(await bad(1, ['train', '-v', '2', '-'], '1 1:1\n1 1:2\n1 1:3\n')).toContain(
      'Expected two distinct labels in stdin but every label is 1',
    );
  });

  it('trains and predicts three labels or more, by pairs or against the rest', async () => {
    const lines = Array.from({ length: 90 }, (_, i) => `${['ant', 'bee', 'cow'][i % 3]!} ${(i % 3) + 1}:${5 + (i % 7)} 4:${i % 5}`);
    file('data.svm', lines.join('\n'));
    for (const multiclass of ['pairs', 'rest']) {
      const said = await good(['train', '--labels', 'string', '--multiclass', multiclass, 'data.svm', 'm.json']);
      expect(said).toContain(`3 planes, ${multiclass === 'pairs' ? 'each pair of classes' : 'each class against the rest'}`);
      expect(said).toContain('training accuracy 100.0 %');
      await good(['predict', '--labels', 'string', 'data.svm', 'm.json', 'out']);
      expect(text('out').split('\n').slice(0, 4)).toEqual(['ant', 'bee', 'cow', 'ant']);
      await good(['predict', '--labels', 'string', '--decision-values', 'data.svm', 'm.json', 'out']);
      expect(text('out').split('\n')[0]!.split(' ')).toHaveLength(4);
      expect(await good(['inspect', 'm.json'])).toContain('labels    "ant", "bee", "cow"');
    }
    expect(await good(['train', '--labels', 'string', '-v', '3', 'data.svm'])).toContain('Accuracy = 100%');
    await good(['train', '--labels', 'string', '--report', 'page.html', 'data.svm', 'm.json']);
    expect(text('page.html')).toContain('ant, bee, cow');
  });

  it('-b 1 trains and predicts probabilities, in the layout of svm-predict', async () => {
    const lines = Array.from({ length: 90 }, (_, i) => `${i % 3} 1:${i % 3 === 0 ? 3 : 0} 2:${i % 3 === 1 ? 3 : 0} 3:${i % 7}`);
    file('data.svm', lines.join('\n'));
    for (const kind of ['1', 'isotonic']) {
      await good(['train', '-b', kind, 'data.svm', 'm.json']);
      await good(['predict', '-b', '1', 'data.svm', 'm.json', 'out']);
      const [head, ...rows] = text('out').trimEnd().split('\n');
      expect(head).toBe('labels 0 1 2');
      expect(rows).toHaveLength(90);
      for (const [i, row] of rows.entries()) {
        const [label, ...p] = row.split(' ').map(Number);
        expect(label).toBe(i % 3);
        expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12);
        expect(p.indexOf(Math.max(...p))).toBe(i % 3);
      }
      expect(await good(['inspect', 'm.json'])).toContain(kind === '1' ? 'sigmoid' : 'isotonic');
    }
    await good(['train', 'data.svm', 'm.json']);
    expect(await bad(1, ['predict', '-b', '1', 'data.svm', 'm.json', 'out'])).toContain(
      'Expected a model trained with -b for m.json but it has no probabilities',
    );
  });

  it('refuses a model given as data, as predict does', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    await good(['train', '-q', '--format', 'liblinear', WDBC, 'm.model']);
    await good(['convert', 'm.json', 'm.json.gz']);
    file('labels.svm', 'solver_type 1:1\n{ 1:2\n'); // ordinary words as labels
    await good(['train', '-q', '--labels', 'string', 'labels.svm', 'words.json']);
    for (const name of ['m.json', 'm.model', 'm.json.gz', 'words.json']) {
      const line = (code: string) => `fista-classify: Expected rows of data for ${name} but received a model [${code}]`;
      expect(await bad(1, ['train', name, 'new.json'])).toBe(line('ERR_LIBSVM'));
      expect(await bad(1, ['train', '--labels', 'string', name, 'new.json'])).toBe(line('ERR_LIBSVM'));
    }
    expect(await bad(1, ['predict', 'm.json', 'm.json'])).toContain('Expected rows of data for m.json but received a model');
    expect(await bad(1, ['train', '--csv', 'm.json', 'new.json'])).toContain(
      'Expected rows of data for m.json but received a model',
    );
  });

  it('refuses to overwrite its data, as predict does its model', async () => {
    file('data.svm', '1 1:1\n-1 1:-1\n');
    symlinkSync('data.svm', file('link.svm'));
    expect(await bad(2, ['train', 'data.svm', 'link.svm'])).toContain(
      'Expected a file other than the input data.svm for the output but received link.svm',
    );
    await good(['train', '-q', 'data.svm', 'm.json']);
    expect(await bad(2, ['predict', 'data.svm', 'm.json', './m.json'])).toContain('Expected a file other than the input m.json');
    expect(text('data.svm')).toBe('1 1:1\n-1 1:-1\n');
  });

  it('refuses to write the model and the page to one file', async () => {
    symlinkSync('m.json', file('link.html'));
    symlinkSync('.', file('here'));
    for (const page of ['./m.json', 'link.html', 'here/m.json', 'here/link.html']) {
      expect(await bad(2, ['train', '--report', page, WDBC, 'm.json'])).toBe(
        `fista-classify: Expected a file other than the model's, m.json, for --report but received ${page} [ERR_USAGE]`,
      );
    }
    expect(readdirSync(folder).sort()).toEqual(['here', 'link.html']);
  });

  it('-v of more folds than rows names -v in its error', async () => {
    expect(await bad(2, ['train', '-v', '5', '-'], '1 1:1\n-1 1:2\n1 1:3\n')).toContain(
      'Expected an integer from 2 to 3 for -v but',
    );
  });

  it('reports a target that cannot be written before it reads the data', async () => {
    mkdirSync(file('folder'));
    file('plain', '');
    expect(await bad(1, ['train', 'nowhere.svm', 'folder'])).toMatch(/folder is a folder \[EISDIR\]$/);
    expect(await bad(1, ['train', 'nowhere.svm', 'no/m.json'])).toMatch(/there is no no \[ENOENT\]$/);
    expect(await bad(1, ['train', 'nowhere.svm', 'plain/m.json'])).toMatch(/there is no plain \[ENOENT\]$/);
    expect(await bad(1, ['train', '--report', 'no/r.html', 'nowhere.svm', 'm.json'])).toMatch(/there is no no \[ENOENT\]$/);
    expect(await bad(1, ['train', 'nowhere.svm', 'm.json'])).toBe(
      'fista-classify: Cannot open nowhere.svm: no such file or directory [ENOENT]',
    );
    const folderRead = 'fista-classify: Cannot read folder: illegal operation on a directory [EISDIR]';
    expect(await bad(1, ['train', 'folder', 'm.json'])).toBe(folderRead);
    expect(await bad(1, ['train', '--csv', 'folder', 'm.json'])).toBe(folderRead);
    expect(await bad(1, ['inspect', 'folder'])).toBe(folderRead);
    expect(await bad(1, ['convert', 'folder', 'out.svm'])).toBe(folderRead);
  });
});

describe('a file with column 2147483647', () => {
  it('is refused by train, separate and convert before they allocate memory', async () => {
    file('wide.svm', '1 2147483647:1\n-1 1:2\n');
    const max = /Expected at most 268435456 columns, .* for points but received 2147483647 \[ERR_POINTS\]$/;
    expect(await bad(1, ['train', 'wide.svm', 'm.json'])).toMatch(max);
    expect(await bad(1, ['train', '-v', '2', 'wide.svm'])).toMatch(max);
    expect(await bad(1, ['separate', 'wide.svm', 'wide.svm'])).toContain('but received 4 × 2147483647 [ERR_POINTS]');
    expect(await bad(1, ['convert', 'wide.svm', 'wide.csv'])).toContain('for wide.csv but wide.svm has 2147483647 [ERR_CSV]');
    expect(readdirSync(folder)).toEqual(['wide.svm']);
  });
});

describe.skipIf(!existsSync('/dev/full'))('fista-classify on a full disk', () => {
  const full = (line: string) =>
    spawnSync('/bin/sh', ['-c', `"${process.execPath}" "${BIN}" ${line}`], { cwd: folder, encoding: 'utf8' });

  it('exits with 1 and the reason if stdout cannot be written', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    for (const line of [`predict "${WDBC}" m.json`, 'inspect m.json', 'inspect --json m.json', '--help']) {
      const { status, stderr } = full(`${line} > /dev/full`);
      expect([line, status, stderr]).toEqual([line, 1, 'fista-classify: Cannot write stdout: no space left on device [ENOSPC]\n']);
    }
    expect(await bad(1, ['predict', WDBC, 'm.json', '/dev/full'])).toBe(
      'fista-classify: Cannot write /dev/full: no space left on device [ENOSPC]',
    );
  });
});

describe('fista-classify separate of CSV without a header', () => {
  it('warns that a first row of numbers is taken for names', async () => {
    file('a.csv', '1,2\n3,4\n');
    file('b.csv', '10.5,2\n30,4\n');
    const warning =
      'fista-classify: the first row of b.csv was read as column names, but they are all numbers; use --no-header if it is data';
    expect((await run(['separate', 'a.csv', 'b.csv'])).stderr).toContain(warning);
    expect((await run(['separate', '--no-header', 'a.csv', 'b.csv'])).stderr).toBe('');
  });
});

describe('fista-classify interrupted by a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('train ends on %s with exit code %d, and leaves the old model and no other file', async (name, exit) => {
    file('data.svm', large());
    file('m.json', 'old');
    const words = ['train', ...LONG, '--report', 'r.html', 'data.svm', 'm.json'];
    const { code, stdout, stderr } = await run(words, undefined, ['check 3', name]);
    expect(stderr).toMatch(/Interrupted: nothing was written \[ERR_INTERRUPTED\]\n$/);
    expect([code, stdout]).toEqual([exit, '']);
    expect(text('m.json')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['data.svm', 'm.json']);
  });

  it('train ends cleanly on two SIGINTs, as from a terminal and npx', async () => {
    file('data.svm', large());
    const { code, stderr } = await run(['train', ...LONG, 'data.svm', 'm.json'], undefined, ['check 3', 'SIGINT', 'SIGINT']);
    expect(stderr).toMatch(/Interrupted: nothing was written \[ERR_INTERRUPTED\]\n$/);
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual(['data.svm']);
  });

  it('convert ends on SIGINT in the middle of writing, and leaves the old file and no temporary one', async () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => `${i % 2} ${(i % 3000) + 1}:1\n`);
    file('wide.svm', rows.join('')); // 12 MB of CSV, in several chunks
    file('out.csv', 'old');
    expect((await run(['convert', 'wide.svm', 'out.csv'], undefined, ['half out.csv', 'SIGINT'])).code).toBe(130);
    expect(text('out.csv')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['out.csv', 'wide.svm']);
  });

  it.skipIf(!mkfifo)('train ends on SIGINT while it waits for a named pipe', async () => {
    execFileSync(mkfifo!, [file('pipe')]);
    const { code, signal, stderr } = await run(['train', 'pipe', 'm.json'], undefined, ['open pipe', 'SIGINT']);
    expect(stderr).toBe('fista-classify: Interrupted: nothing was written [ERR_INTERRUPTED]\n');
    expect([code, signal]).toEqual([null, 'SIGINT']); // a normal exit would wait for the thread that opens the pipe
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it.skipIf(!mkfifo)('train does not report that nothing was written once the model is written', async () => {
    execFileSync(mkfifo!, [file('page')]);
    const { child, ended } = start(['train', '-q', '--report', 'page', WDBC, 'm.json']);
    while (!existsSync(file('m.json'))) await new Promise((done) => setTimeout(done, 10));
    child.kill('SIGINT');
    // Opens and closes the pipe as a reader until the writer has seen it.
    while (child.exitCode === null && child.signalCode === null) {
      await new Promise((done) => setTimeout(done, 50));
      closeSync(openSync(file('page'), constants.O_RDONLY | constants.O_NONBLOCK));
    }
    const { code, stderr } = await ended;
    expect([0, 1]).toContain(code);
    expect(stderr).toBe(code === 0 ? '' : 'fista-classify: Cannot write page: broken pipe [EPIPE]\n');
    expect(LinearSvm.fromJSON(json('m.json')).weights.length).toBe(30);
  });

  it('train ends on SIGINT while it waits for stdin', async () => {
    const child = spawn(process.execPath, [BIN, 'train', '-', 'm.json'], { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    // More than a pipe holds: once it is all written, the command is reading.
    await new Promise((done) => child.stdin.write('1 1:1\n'.repeat(1e6), done));
    child.kill('SIGINT');
    expect(await new Promise((done) => child.on('close', done))).toBe(130);
    expect(stderr).toContain('Interrupted');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('fista-classify predict', () => {
  const data = () => file('data.svm', '+1 1:1\n-1 1:-1\n1 2:5 7:1\n-1 1:3\n');
  const model = () =>
    file('m.json', JSON.stringify({ format: 'fista-classify/linear-svm', version: 1, labels: [-1, 1], bias: 0, weights: [1, 2] }));

  it('writes labels to a file and the accuracy to stdout, as LIBLINEAR does', async () => {
    data();
    model();
    const ended = await run(['predict', 'data.svm', 'm.json', 'out']);
    expect([ended.code, ended.stdout]).toEqual([0, 'Accuracy = 75% (3/4)\n']);
    expect(text('out')).toBe('1\n-1\n1\n1\n');
    // One warning for all entries beyond the columns of the model.
    expect(ended.stderr).toBe('fista-classify: data.svm has columns beyond the 2 of the model: 1 of its entries were ignored\n');
  });

  it('writes labels, or decision values, to stdout if no file is named', async () => {
    const { stdout, stderr } = await run(['predict', data(), model()]);
    expect(stdout).toBe('1\n-1\n1\n1\n');
    expect(stderr).toContain('Accuracy = 75% (3/4)');
    expect((await run(['predict', '-q', '--decision-values', data(), model()])).stdout).toBe('1 1\n-1 -1\n1 10\n1 3\n');
  });

  it('--json prints accuracy and counts', async () => {
    const { stdout } = await run(['predict', '--json', data(), model(), 'out']);
    expect(JSON.parse(stdout)).toEqual({ rows: 4, accuracy: 0.75, correct: 3, unknown: 0, counts: [{ label: -1, rows: 1 }, { label: 1, rows: 3 }], ignored: 1, file: 'out' }); // prettier-ignore
    expect(JSON.parse((await run(['predict', '--json', data(), model()])).stdout)).not.toHaveProperty('file');
  });

  it('prints no accuracy if the model knows none of the labels', async () => {
    const { code, stdout } = await run(['predict', file('u.svm', '0 1:1\n0 1:2\n'), model(), 'out']);
    expect([code, stdout]).toEqual([0, 'No accuracy: no row has a label of the model (-1, 1)\n']);
    expect(text('out')).toBe('1\n1\n');
  });

  it('warns of rows with labels that the model does not know', async () => {
    file('some.svm', '1 1:1\n0 1:2\n-1 1:-1\n7 1:1\n0 1:1\n5 1:1\n6 1:1\n');
    const ended = await run(['predict', '--json', 'some.svm', model(), 'out']);
    expect(ended.stderr).toBe(
      'fista-classify: 5 rows of some.svm have labels that the model does not know (0, 7, 5, …); they count as wrong\n',
    );
    expect(JSON.parse(ended.stdout)).toMatchObject({ rows: 7, correct: 2, unknown: 5 });
    const one = await run(['predict', file('one.svm', '1 1:1\n0 1:2\n'), model(), 'out']);
    expect(one.stderr).toContain('1 row of ');
    expect(one.stderr).toContain(' has a label that the model does not know (0); it counts as wrong\n');
    expect([one.code, one.stdout]).toEqual([0, 'Accuracy = 50% (1/2)\n']);
  });

  it('reads CSV with and without labels', async () => {
    file('a.csv', 'x,label,y\n1,yes,0\n-1,no,0\n');
    file('b.csv', 'x,y\n5,0\n');
    file('c.csv', '5;0;yes\n');
    await good(['train', 'a.csv', 'm.json']);
    expect(json('m.json').columns).toEqual(['x', 'y']);
    expect(await good(['predict', 'a.csv', 'm.json', 'out'])).toBe('Accuracy = 100% (2/2)\n');
    expect(await good(['predict', '--no-label', 'b.csv', 'm.json'])).toBe('yes\n');
    expect(await good(['predict', '--no-header', '--delimiter', ';', '--label', '-1', 'c.csv', 'm.json', 'out'])).toBe(
      'Accuracy = 100% (1/1)\n',
    );
    expect(await bad(1, ['predict', 'b.csv', 'm.json'])).toContain(
      'Expected a column "label", as --label says, at b.csv:1 but received "x,y"',
    );
  });

  it('finds CSV columns by name', async () => {
    file('a.csv', 'age,h,label\n1,100,old\n2,110,old\n-1,90,young\n-2,120,young\n');
    await good(['train', '-q', '--scale', 'none', 'a.csv', 'm.json']);
    expect(json('m.json').columns).toEqual(['age', 'h']);
    await good(['predict', '-q', '--decision-values', 'a.csv', 'm.json', 'straight']);
    file('b.csv', 'h,age,label\n100,1,old\n110,2,old\n90,-1,young\n120,-2,young\n');
    expect(await good(['predict', '--decision-values', 'b.csv', 'm.json', 'swapped'])).toBe('Accuracy = 100% (4/4)\n');
    expect(text('swapped')).toBe(text('straight'));
    // Columns that the model does not know may hold anything; one warning names them.
    file('c.csv', 'id,h,age,label,note\n#1,100,1,old,x\n#2,90,-1,young,y\n');
    const extra = await run(['predict', '--json', 'c.csv', 'm.json', 'out']);
    expect(extra.stderr).toBe('fista-classify: c.csv has 2 columns that the model does not know ("id", "note"): ignored\n');
    expect(JSON.parse(extra.stdout)).toMatchObject({ accuracy: 1, ignored: 4 });
    file('d.csv', 'h,height,label\n100,1,old\n');
    expect(await bad(1, ['predict', 'd.csv', 'm.json', 'out'])).toBe(
      'fista-classify: Expected the column "age" at d.csv:1 but received "h,height,label" [ERR_CSV]',
    );
    // convert keeps the names, and inspect shows them.
    await good(['convert', 'm.json', 'again.json', '-q']);
    expect(json('again.json')).toEqual(json('m.json'));
    expect(await good(['inspect', 'm.json'])).toMatch(/^ {2}age {2}/m);
  });

  it('--extra-columns refuse refuses columns that the model does not have', async () => {
    file('a.csv', 'age,h,label\n1,100,old\n-1,90,young\n');
    await good(['train', '-q', 'a.csv', 'm.json']);
    file('b.csv', 'id,h,age,label,note\n#1,100,1,old,x\n');
    const refuse = ['predict', '--extra-columns', 'refuse'];
    expect(await bad(1, [...refuse, 'b.csv', 'm.json', 'out'])).toBe(
      'fista-classify: Expected only columns of the model for b.csv but received "id" and 1 more; use --extra-columns ignore to leave them out [ERR_CSV]',
    );
    expect(await good(['predict', '--extra-columns', 'ignore', 'b.csv', 'm.json', 'out'])).toBe('Accuracy = 100% (1/1)\n');
    expect(await good([...refuse, 'a.csv', 'm.json', 'out'])).toBe('Accuracy = 100% (2/2)\n');
    // LIBSVM text has no names: its columns beyond the model's are the extra ones.
    file('a.svm', '1 1:1 2:1\n-1 1:-1 2:1\n');
    await good(['train', '-q', 'a.svm', 'n.json']);
    file('b.svm', '1 1:1 3:1\n');
    expect(await bad(1, [...refuse, 'b.svm', 'n.json', 'out'])).toMatch(/b\.svm:1:7 but received .*\[ERR_LIBSVM\]$/);
    expect(await bad(2, ['predict', '--extra-columns', 'drop', 'b.svm', 'n.json'])).toContain(
      'Expected ignore or refuse for --extra-columns but received "drop"',
    );
  });

  it('refuses CSV that is read as LIBSVM text, as train does', async () => {
    const csv = 'age,h,label\n1,100,old\n-1,90,young\n';
    file('a.csv', csv);
    file('a.txt', csv);
    await good(['train', '-q', 'a.csv', 'm.json']);
    const like = 'this looks like CSV (readCsv, --csv) [ERR_LIBSVM]';
    expect(await bad(1, ['predict', '-', 'm.json'], csv)).toContain(like);
    expect(await bad(1, ['predict', 'a.txt', 'm.json'])).toContain(like);
    expect(await bad(1, ['train', 'a.txt', 'n.json'])).toContain(like);
    expect(await bad(1, ['train', '--labels', 'string', 'a.txt', 'n.json'])).toContain(like);
    expect(await good(['predict', '--csv', '-', 'm.json'], csv)).toBe('old\nyoung\n');
  });

  it('warns if the file names its columns and the model does not', async () => {
    file('a.csv', 'age,h,label\n1,100,old\n-1,90,young\n');
    await good(['train', '-q', 'a.csv', 'm.json']);
    file('n.json', JSON.stringify({ ...json('m.json'), columns: undefined, checksum: undefined }));
    const { code, stderr } = await run(['predict', 'a.csv', 'n.json', 'out']);
    expect(code).toBe(0);
    expect(stderr).toBe('fista-classify: n.json has no column names: the columns of a.csv are taken in order\n');
  });

  it('takes CSV columns in order if the file or the model has no names, and checks their number', async () => {
    file('a.csv', 'age,h,label\n1,0,old\n-1,0,young\n');
    file('bare.csv', 'old,1,0\nyoung,-1,0\n');
    await good(['train', '-q', 'a.csv', 'named.json']);
    await good(['train', '-q', '--no-header', 'bare.csv', 'bare.json']);
    expect(json('bare.json').columns).toBeUndefined();
    expect(await good(['predict', '-q', '--no-header', 'bare.csv', 'named.json'])).toBe('old\nyoung\n');
    expect(await good(['predict', '-q', 'a.csv', 'bare.json'])).toBe('old\nyoung\n');
    file('wide.csv', 'old,1,0,7\n');
    expect(await bad(1, ['predict', '--no-header', 'wide.csv', 'named.json'])).toContain(
      'Expected 2 columns beside labels for wide.csv, one for each weight of named.json, but received 3',
    );
    file('short.csv', 'age,label\n1,old\n');
    expect(await bad(1, ['predict', 'short.csv', 'bare.json'])).toContain(
      'Expected 2 columns beside labels for short.csv, one for each weight of bare.json, but received 1',
    );
  });

  it('refuses a bad model, and keeps the old output', async () => {
    file('out', 'old');
    await good(['train', '-q', WDBC, 'm.json']);
    const whole = text('m.json');
    const cases: [string, string][] = [
      ['-1 1:2\n', `Expected a model, JSON or LIBLINEAR's text, for cut.json but received "-1 1:2" [ERR_MODEL]`],
      [whole.slice(0, whole.length >> 1), 'Expected JSON at cut.json:'],
      [whole.slice(0, -3), 'the end: the file was cut [ERR_MODEL]'],
      ['', 'Expected a model for cut.json but received an empty file [ERR_MODEL]'],
      [whole.replace(/"bias":-?\d/, '"bias":7'), 'cut.json: Expected '],
      [whole.replace(/"bias":-?\d/, '"bias":7'), 'but received others: the model was edited or damaged'],
      [
        whole.replace('"weights":[', '"weights":["x",'),
        'cut.json: Expected a finite number for json.weights[0] but received "x" [ERR_MODEL]',
      ],
      [whole.replace('"version":1', '"version":3'), '(written by a newer fista-classify) [ERR_MODEL]'],
      [
        'solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \n',
        'but received the end: the file was cut [ERR_MODEL]',
      ],
      [
        'solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \nx \n',
        'Expected a finite number, weight 2 of 2, at cut.json:8:1 but received "x" [ERR_MODEL]',
      ],
    ];
    for (const [content, message] of cases) {
      file('cut.json', content);
      expect(await bad(1, ['predict', WDBC, 'cut.json', 'out'])).toContain(message);
    }
    file('cut.json', Buffer.of(0x7b, 0xff, 0xfe, 0));
    expect(await bad(1, ['predict', WDBC, 'cut.json', 'out'])).toContain('Expected text in UTF-8, gzipped or not, for cut.json');
    expect(text('out')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['cut.json', 'm.json', 'out']);
  });

  it('exits quietly if the reader of stdout closes it', async () => {
    file('many.svm', '1 1:1\n-1 1:-1\n'.repeat(200_000));
    model();
    const child = spawn(process.execPath, [BIN, 'predict', 'many.svm', 'm.json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.once('data', () => void child.stdout.destroy());
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
    expect(stderr).toBe('Accuracy = 100% (400000/400000)\n');
  });

  it('train writes its model even if stdout is a closed pipe', async () => {
    const child = spawn(process.execPath, [BIN, 'train', WDBC, 'm.json'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.destroy();
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
    expect(LinearSvm.fromJSON(json('m.json')).weights.length).toBe(30);
  });
});

describe('fista-classify predict --metrics', () => {
  const three = (number: number) => {
    const next = random(3);
    return Array.from({ length: number }, (_, i) => {
      return `${['ant', 'bee', 'cat'][i % 3]} 1:${(i % 3) + next()} 2:${next()}\n`;
    }).join('');
  };

  it('prints what model.score gives, below the accuracy, and with --json all of it', async () => {
    await good(['train', '-q', '-b', '1', WDBC, 'm.json']);
    const printed = await good(['predict', '--metrics', WDBC, 'm.json', 'out']);
    const { points, labels } = await readLibsvm(WDBC);
    const score = LinearSvm.fromJSON<number>(json('m.json')).score(points, labels);
    const [negative, positive] = score.classes;
    const digits = (...values: number[]) => values.map((value) => value.toFixed(4)).join(' ');
    const lines = printed.split('\n').map((line) => line.replace(/ +/g, ' '));
    expect(lines[0]).toMatch(/^Accuracy = /);
    expect(lines.slice(1)).toEqual([
      `balanced accuracy ${digits(score.balancedAccuracy)}`,
      `Matthews' correlation ${digits(score.matthews)}`,
      `ROC AUC ${digits(score.rocAuc!)} (of 1 against -1)`,
      `average precision ${digits(score.averagePrecision!)} (of 1 against -1)`,
      `log loss ${Number(score.logLoss!.toPrecision(3))}`,
      `Brier score ${Number(score.brier!.toPrecision(3))}`,
      '',
      'label precision recall F1 support',
      `-1 ${digits(negative!.precision, negative!.recall, negative!.f1)} 357`,
      `1 ${digits(positive!.precision, positive!.recall, positive!.f1)} 212`,
      '',
      `macro average ${digits(score.macro.precision, score.macro.recall, score.macro.f1)} 569`,
      `weighted average ${digits(score.weighted.precision, score.weighted.recall, score.weighted.f1)} 569`,
      '',
      'confusion matrix, predicted labels in columns',
      'actual -1 1',
      ...score.confusion.map((row, k) => `${[-1, 1][k]} ${row.join(' ')}`),
      '',
    ]);
    const object = JSON.parse(await good(['predict', '--metrics', '--json', WDBC, 'm.json'])) as { metrics: object };
    expect(object.metrics).toEqual({ rows: 569, ...score });
    expect(text('out').split('\n')).toHaveLength(570); // the labels alone
  });

  it('goes to stderr with the accuracy if the labels go to stdout', async () => {
    file('data.svm', three(60));
    await good(['train', '-q', '--labels', 'string', 'data.svm', 'm.json']);
    const { stdout, stderr } = await run(['predict', '--metrics', '--labels', 'string', 'data.svm', 'm.json']);
    expect(stdout).toMatch(/^((ant|bee|cat)\n){60}$/);
    expect(stderr).toMatch(/^Accuracy = [^]*\nROC AUC {16}\d\.\d{4} {2}\(mean over the labels\)\n[^]*\nactual +ant +bee +cat\n/);
    expect(stderr).not.toContain('log loss'); // the model has no probabilities
  });

  it('is of the rows whose label the model knows, and says so', async () => {
    file('data.svm', three(60));
    await good(['train', '-q', '--labels', 'string', 'data.svm', 'm.json']);
    file('more.svm', `${three(60)}dog 1:1\n`);
    const { stdout, stderr } = await run(['predict', '--metrics', '--labels', 'string', 'more.svm', 'm.json', 'out']);
    expect(stderr).toContain('1 row of more.svm has a label that the model does not know ("dog"); it counts as wrong');
    expect(stdout).toMatch(/^Accuracy = .*\/61\)\nMetrics of the 60 rows whose label the model knows:\n/);
    const scored = async (name: string) => {
      const { stdout } = await run(['predict', '--metrics', '--json', '--labels', 'string', name, 'm.json']);
      return (JSON.parse(stdout) as { metrics: { rows: number } }).metrics;
    };
    expect(await scored('more.svm')).toEqual(await scored('data.svm'));
  });

  it('refuses data without a label of the model, and writes nothing', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    expect(await bad(1, ['predict', '--metrics', file('u.svm', '0 1:1\n0 1:2\n'), 'm.json', 'out'])).toMatch(
      /: Expected rows with a label of the model \(-1, 1\) for --metrics but \S+ has none \[ERR_LABELS\]$/,
    );
    expect(existsSync(file('out'))).toBe(false);
  });

  it('says that there is no ROC AUC of rows of one label', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    const printed = await good(['predict', '--metrics', file('one.svm', '1 1:1\n'), 'm.json', 'out']);
    expect(printed).toMatch(/^ROC AUC {16}- {2}\(needs rows of two labels\)$/m);
  });
});

describe('fista-classify train --scoring', () => {
  it('prints the mean score and its standard error, by gamma where there are several', async () => {
    const { points, labels } = await readLibsvm(WDBC);
    const { best } = await crossValidate(points, labels, { folds: 3, gammas: 'default', scoring: 'rocAuc' });
    const line = `Cross Validation rocAuc = ${best.mean.toFixed(4)} ± ${best.standardError.toFixed(4)}\n`;
    expect(await good(['train', '-v', '3', '--scoring', 'rocAuc', WDBC])).toMatch(
      new RegExp(`^${line}Cross Validation Accuracy = [\\d.]+%\n$`),
    );
    const object = JSON.parse(await good(['train', '--json', '-v', '3', '--scoring', 'rocAuc', WDBC])) as object;
    expect(object).toMatchObject({ scoring: 'rocAuc', score: best.mean, standardError: best.standardError, folds: 3 });
    const path = await good(['train', '--gamma', 'auto', '-v', '3', '--scoring', 'matthews', WDBC]);
    expect(path).toMatch(
      /^(gamma [\d.]+: matthews 0\.\d{4} ± 0\.\d{4} on held-out rows( \(best\))?\n){3,}Cross Validation matthews = /,
    );
    expect(path.match(/\(best\)/g)).toHaveLength(1);
  });

  it('learns the probabilities that logLoss and brier need, as -b says', async () => {
    const { points, labels } = await readLibsvm(WDBC);
    for (const [words, probability] of [
      [[], 'sigmoid'],
      [['-b', 'isotonic'], 'isotonic'],
    ] as const) {
      const { best } = await crossValidate(points, labels, { folds: 2, gammas: 'default', scoring: 'logLoss', probability });
      expect(await good(['train', '-v', '2', '--scoring', 'logLoss', ...words, WDBC])).toContain(
        `Cross Validation logLoss = ${best.mean.toFixed(4)} ± `,
      );
    }
  });

  it('refuses a score of two labels for three', async () => {
    file('data.svm', '1 1:1\n2 1:2\n3 1:3\n'.repeat(4));
    expect(await bad(2, ['train', '-v', '2', '--scoring', 'f1', 'data.svm'])).toBe(
      'fista-classify: Expected a metric of several classes for --scoring, as there are 3 distinct labels, but received "f1" [ERR_OPTION]',
    );
  });
});

describe.skipIf(!liblinearTrain || !liblinearPredict)('fista-classify predict and liblinear-predict', () => {
  it('predict the same with the models of both, in both formats', async () => {
    const uniform = random(5);
    const rows = Array.from({ length: 400 }, () => Array.from({ length: 12 }, () => Math.round(2000 * uniform() - 1000) / 1000));
    file('data.svm', rows.map((row) => `${row[0]! + row[1]! - row[2]! + uniform() > 0.5 ? 4 : 2} ${row.map((x, j) => `${j + 1}:${x}`).join(' ')}\n`).join('')); // prettier-ignore
    const theirs = (model: string) => {
      const said = execFileSync(liblinearPredict!, ['data.svm', model, 'theirs'], { cwd: folder, encoding: 'utf8' });
      return [said, text('theirs')];
    };
    const ours = async (model: string) => [await good(['predict', 'data.svm', model, 'ours']), text('ours')];
    // A model of LIBLINEAR
    execFileSync(liblinearTrain!, ['-q', '-s', '2', '-B', '1', 'data.svm', 'l.model'], { cwd: folder });
    expect(await ours('l.model')).toEqual(theirs('l.model'));
    expect(await good(['convert', 'l.model', 'l.json'])).toBe('wrote l.json (json): 12 weights\n');
    expect(await ours('l.json')).toEqual(theirs('l.model'));
    // A model of fista-classify
    await good(['train', 'data.svm', 'f.json']);
    await good(['convert', 'f.json', 'f.model']);
    expect(await ours('f.json')).toEqual(theirs('f.model'));
    await good(['train', '--format', 'liblinear', 'data.svm', 'g.model']);
    expect(text('g.model')).toBe(text('f.model'));
  });
});

describe('fista-classify separate', () => {
  it('prints a plane between balls around the rows of two files', async () => {
    file('a.csv', 'x,y\n0,0\n0,1\n');
    file('b.csv', 'x,y\n3,0\n4,1\n');
    const lines = (await good(['separate', '--goal', 'widest', '--radius', '0.5,0.25', 'a.csv', 'b.csv'])).split('\n');
    expect(lines[0]).toBe('separated');
    expect(lines.slice(1, 5).map((line) => line.split(' ')[0])).toEqual(['normal', 'offset', 'width', 'robustness']);
    const width = Number(lines[3]!.split(' ')[1]);
    expect(width).toBeCloseTo(2.25, 3);
  });

  it('rounds the bounds on the distance outwards', async () => {
    file('a.csv', 'x\n0\n');
    file('b.csv', 'x\n1.7999996\n');
    const [, low, high] = /^distance of the hulls: (\S+) to (\S+)$/m.exec(await good(['separate', 'a.csv', 'b.csv']))!;
    expect([low, high]).toEqual(['1.79999', '1.8']);
  });

  it('prints a witness for families that touch, with exit code 3', async () => {
    file('a.svm', '1 1:0\n1 2:1\n');
    file('b.svm', '1 1:1\n');
    const ended = await run(['separate', '--radius', '2', 'a.svm', 'b.svm']);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/^touching\nwitness \S+ \S+\ndistance of the hulls: 0 to /);
  });

  it('reads ellipsoids from JSON, and prints the result as JSON with --json', async () => {
    file('e.json', JSON.stringify({ first: [{ center: [0, 0], shape: 1 }], second: [{ center: [4, 0], shape: [[1, 0], [0, 2]] }] })); // prettier-ignore
    const result = JSON.parse(await good(['separate', '--json', 'e.json'])) as Record<string, unknown>;
    expect(result).toMatchObject({ status: 'separated', goalReached: true });
    expect(result.normal).toHaveLength(2);
    expect(result.slack).toHaveLength(2);
  });

  it('stops at --max-iterations with exit code 3', async () => {
    file('a.csv', 'x,y\n0,0\n10,0.5\n');
    file('b.csv', 'x,y\n5,0.26\n');
    const ended = await run(['separate', '--goal', 'widest', '--max-iterations', '1', 'a.csv', 'b.csv']);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/^(max-iterations|separated)\n/);
  });

  it.each([
    ['{"first": [', 'Expected JSON at e.json:1:12 but received the end: the file was cut [ERR_ELLIPSOIDS]'],
    ['{"first": []}', 'Expected { "first": […], "second": […] } for e.json but received something else [ERR_ELLIPSOIDS]'],
    ['{"first": [{"center": [1]}], "second": [{"center": ["x"]}]}', '[ERR_ELLIPSOIDS]'],
  ])('refuses %s', async (content, message) => {
    file('e.json', content);
    expect(await bad(1, ['separate', 'e.json'])).toContain(message);
  });
});

describe('fista-classify inspect', () => {
  it('shows labels, bias, weights and the summary of the training', async () => {
    await good(['train', WDBC, 'm.json']);
    const out = await good(['inspect', '--top', '2', 'm.json']);
    expect(out).toMatch(/^format {4}JSON\nlabels {4}-1 below 0, 1 above\nbias {6}-?\d/);
    expect(out).toMatch(/^weights {3}30, of which 30 are not 0; norm /m);
    expect(out).toMatch(/^training {2}status agreement, iterations \d+, rows 569, /m);
    expect(out.split('largest weights\n')[1]!.trimEnd().split('\n')).toHaveLength(2);
    const model = LinearSvm.fromJSON(json('m.json'));
    const { weights } = JSON.parse(await good(['inspect', '--json', 'm.json'])) as {
      weights: { largest: { column: string; weight: number }[] };
    };
    const sizes = model.weights.map((w) => Math.abs(w));
    expect(weights.largest.map(({ weight }) => Math.abs(weight))).toEqual([...sizes].sort((a, b) => b - a).slice(0, 10));
    for (const { column, weight } of weights.largest) expect(model.weights[Number(column) - 1]).toBe(weight);
  });

  it('shows a LIBLINEAR model from stdin', async () => {
    const model = 'solver_type L1R_LR\nnr_class 2\nlabel 7 3\nnr_feature 2\nbias -1\nw\n0 \n-2 \n';
    expect(await good(['inspect', '-'], model)).toBe(
      'format    LIBLINEAR\nlabels    3 below 0, 7 above\nbias      0\nweights   2, of which 1 are not 0; norm 2\nlargest weights\n  2  -2\n  1  0\n',
    );
  });

  it('prints no control characters of a malicious file, as train and predict', async () => {
    const evil = '\u001b[2J\u009b31m\u202e\n';
    const plain = /^[^\0-\x09\x0b-\x1f\x7f-\x9f\u202e]*$/;
    const json = { format: 'fista-classify/linear-svm', version: 1, labels: [evil, 'b'], bias: 0, weights: [1] };
    file('m.json', JSON.stringify({ ...json, training: { status: evil, columns: [evil] } }));
    expect(await good(['inspect', 'm.json'])).toMatch(plain);
    const told = await good(['inspect', '--json', 'm.json']);
    expect(told).toMatch(plain);
    expect(JSON.parse(told)).toMatchObject({ labels: [evil, 'b'] });
    // Errors contain none either, and are one line each.
    file('d.svm', `1 1:1\n${evil}`);
    file('d.csv', `${evil}x,label\n1,1\n"2"${evil},0\n`);
    file('e.csv', `"${evil}",label\n1,1\n${evil},0\n`);
    file('n.json', `{"a": ${evil}}`);
    for (const args of [
      ['predict', WDBC, 'm.json'],
      ['train', 'd.svm', 'x'],
      ['train', 'd.csv', 'x'],
      ['train', 'e.csv', 'x'],
      ['inspect', 'n.json'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(plain);
      expect(stderr).toMatch(/^fista-classify: Expected .*\n$/);
    }
  });

  it('--top lists as many weights as asked for', async () => {
    const weights = Array.from({ length: 200_000 }, (_, j) => j);
    file('m.json', JSON.stringify({ format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 0, weights }));
    const lines = (await good(['inspect', '--top', '200000', 'm.json'])).trimEnd().split('\n');
    expect(lines.at(-200_000)).toBe('  200000  199999');
    expect(lines.at(-1)).toBe('  1       0');
  });

  it.each([
    ['Expected JSON for m.json but received "x" where no value can begin', '{"a": x}'],
    ['Expected JSON at m.json:1:9 but received "}"', '{"a": 1,}'],
    ['Expected JSON at m.json:3:16 but received "b"', '{"a":\n\n "position 3", b'],
    ['Expected JSON at m.json:1:10 but received the end: the file was cut', '{"a": tru'],
    ['Expected JSON at m.json:1:1000007 but received the end: the file was cut', `{"a": ${'['.repeat(1e6)}`],
    ['Expected JSON at m.json:1000001:1 but received "x"', `{${'\n'.repeat(1e6)}x`],
  ])('refuses a file that is not JSON: %s', async (message, content) => {
    file('m.json', content);
    expect(await bad(1, ['inspect', 'm.json'])).toBe(`fista-classify: ${message} [ERR_MODEL]`);
  });
});

describe('fista-classify convert', () => {
  it('keeps every number from LIBSVM text to CSV and back, with and without gzip', async () => {
    const { points, labels } = await readLibsvm(WDBC);
    await good(['convert', WDBC, 'd.csv.gz']);
    expect(gunzipSync(readFileSync(file('d.csv.gz'))).toString()).toMatch(/^label,x1,x2,/);
    await good(['convert', 'd.csv.gz', 'd.svm']);
    const read = await readLibsvm(file('d.svm'));
    expect(read.points).toEqual(points);
    expect(read.labels).toEqual(labels);
    await good(['convert', 'd.svm', 'e.svm.gz']);
    expect(gunzipSync(readFileSync(file('e.svm.gz'))).toString()).toBe(text('d.svm'));
    expect(await good(['convert', 'd.svm', '-'])).toBe(text('d.svm'));
  });

  it('quotes CSV cells that contain commas or quotes', async () => {
    file('a.csv', 'label,"a,""b"\n"x,y",1\n"z",2\n');
    await good(['convert', 'a.csv', 'b.csv']);
    expect(text('b.csv')).toBe('label,"a,""b"\n"x,y",1\nz,2\n');
  });

  it('keeps every bit of a model', async () => {
    await good(['train', WDBC, 'm.json']);
    await good(['convert', 'm.json', 'z.json.gz']);
    await good(['convert', 'z.json.gz', 'n.json']);
    expect(text('n.json')).toBe(text('m.json'));
    await good(['convert', 'm.json', 'm.model']);
    await good(['convert', '--to', 'json', 'm.model', 'again']);
    expect(json('again')).toMatchObject(LinearSvm.fromJSON(json('m.json')).toJSON());
    expect(await bad(1, ['inspect', file('x.json', text('m.model').slice(0, -2))])).toContain('the file was cut');
  });

  it('writes the bytes of toOnnx, by the name of the file or with --to onnx, and reads none', async () => {
    await good(['train', WDBC, 'm.json']);
    const bytes = Buffer.from(LinearSvm.fromJSON(json('m.json')).toOnnx());
    expect(await good(['convert', 'm.json', 'm.onnx'])).toBe('wrote m.onnx (onnx): 30 weights\n');
    await good(['convert', 'm.json', 'm.ONNX.gz']);
    await good(['convert', '--to', 'onnx', 'm.json', 'other']);
    expect(readFileSync(file('m.onnx')).equals(bytes)).toBe(true);
    expect(gunzipSync(readFileSync(file('m.ONNX.gz'))).equals(bytes)).toBe(true);
    expect(readFileSync(file('other')).equals(bytes)).toBe(true);
    expect(await bad(2, ['convert', WDBC, 'd.onnx'])).toContain('Expected libsvm, csv or fds for data but received onnx');
    expect((await run(['convert', 'm.onnx', 'm.svm'])).code).toBe(1);
  });

  it('writes files of rows from LIBSVM text, CSV and JSON lines, which train', async () => {
    file('r.csv', 'label,x,y\n1,2,3\n0,5,1\n1,1,4\n0,6,0\n');
    file('r.jsonl', '{"year":1,"x":2,"y":3}\n{"year":0,"x":5,"y":1}\n{"year":1,"x":1,"y":4}\n{"year":0,"x":6,"y":0}\n');
    file('2015.jsonl', text('r.jsonl').replaceAll('year', '2015'));
    file('r.svm', '1 1:2 2:3\n0 1:5 2:1\n1 1:1 2:4\n0 1:6\n');
    for (const words of [
      ['r.csv'],
      ['--label', 'year', 'r.jsonl'],
      ['--label', '2015', '2015.jsonl'],
      ['r.svm'],
      ['--f32', 'r.svm'],
    ]) {
      expect(await good(['convert', ...words, 'r.fds'])).toMatch(/^wrote r\.fds \(fds\): 4 rows, 2 columns, \d+ bytes\n$/);
      await good(['train', 'r.fds', 'r.json']);
      expect(LinearSvm.fromJSON(json('r.json')).predict([[1, 5]])).toEqual([1]);
    }
    expect(await bad(2, ['convert', 'r.fds', 'again.fds'])).toContain('Expected a text for again.fds but received r.fds');
    expect(await bad(2, ['convert', '--to', 'fds', 'r.svm', 'r.fds.gz'])).toContain('Expected a name without .gz for a .fds file');
  });

  it('refuses to overwrite the file that it reads', async () => {
    file('d.svm', '1 1:1\n-1 2:2\n');
    symlinkSync('d.svm', file('link'));
    for (const to of ['d.svm', './d.svm', 'link']) {
      expect(await bad(2, ['convert', '--to', 'csv', 'd.svm', to])).toBe(
        `fista-classify: Expected a file other than the input d.svm for the output but received ${to} [ERR_USAGE]`,
      );
    }
    expect(text('d.svm')).toBe('1 1:1\n-1 2:2\n');
  });

  it('refuses formats and labels that do not fit, and keeps the old file', async () => {
    await good(['train', '-q', WDBC, 'm.json']);
    expect(await bad(2, ['convert', 'm.json', 'm.csv'])).toContain('Expected json, liblinear or onnx for a model but received csv');
    expect(await bad(2, ['convert', WDBC, 'm2.json'])).toContain('Expected libsvm, csv or fds for data but received json');
    file('words.svm', 'a 1:1\nb 1:2\n');
    await good(['train', '-q', '--labels', 'string', 'words.svm', 'w.json']);
    file('w.model', 'old');
    expect(await bad(1, ['convert', 'w.json', 'w.model'])).toContain(
      'Expected an integer for every label, as LIBLINEAR has no others, but received "a" [ERR_LABELS]',
    );
    expect(text('w.model')).toBe('old');
  });
});

describe('the progress line of fista-classify train', () => {
  it('is not printed if stderr is not a terminal', async () => {
    const { stderr } = await run(['train', WDBC, 'm.json']);
    expect(stderr).toBe(`${WDBC}: 569 rows, 30 columns\n`);
  });

  const onTerminal = (options: string, env: NodeJS.ProcessEnv = {}) =>
    execFileSync(script!, ['-qec', `"${process.execPath}" "${BIN}" train ${options} "${WDBC}" m.json`, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
    });

  it.skipIf(!script)('shows iteration, gap and share of settled labels on a terminal, and is erased at the end', () => {
    const screen = onTerminal('');
    expect(screen).toMatch(
      /\r\u001b\[2K\u001b\[2miteration \d+ · gap \S+ · label settled for (> )?\d+\.\d % of rows · \S+ m?s\u001b\[22m\r\u001b\[2K/,
    );
    expect(screen.slice(screen.lastIndexOf('\u001b[2K') + 4)).toMatch(/^Done \(agreement\)/);
  });

  it.skipIf(!script)('has no colour with NO_COLOR, and is not printed with -q or on a dumb terminal', () => {
    const plain = onTerminal('', { NO_COLOR: '1' });
    expect(plain).toContain('\u001b[2Kiteration');
    expect(plain).not.toContain('\u001b[2m');
    expect(onTerminal('-q')).not.toContain('iteration');
    expect(onTerminal('', { TERM: 'dumb' })).not.toContain('\u001b');
  });
});

describe('commands in the documentation', () => {
  const page = (name: string) => readFileSync(join(ROOT, name), 'utf8');

  it.each([
    ['README.md', ['predict', 'train']],
    ['docs/cli.md', ['convert', 'doctor', 'explain', 'inspect', 'predict', 'separate', 'train']],
    ['docs/guide.md', ['convert', 'inspect', 'predict', 'train']],
  ])('of %s run as written, and print what it says', (name, names) => {
    file('data.svm', gunzipSync(readFileSync(WDBC)));
    file('test.svm', gunzipSync(readFileSync(WDBC)));
    mkdirSync(file('bin'));
    symlinkSync(BIN, file('bin/fista-classify'));
    const env = { ...process.env, PATH: [file('bin'), dirname(process.execPath), process.env.PATH].join(':') };
    const lines = page(name)
      .match(/^```sh\n[^]*?^```$/gm)!
      .flatMap((block) => block.split('\n'))
      .filter((line) => /^(npx )?fista-classify |^printf |^# /.test(line))
      .map((line) => line.replace(/^npx /, '')); // which would look for the package that is being tested
    const used = new Set<string>();
    let printed = '';
    for (const line of lines) {
      if (line.startsWith('# ')) {
        const [said, lines] = [line.slice(2), printed.split('\n')];
        if (!lines.some((one) => matches(`${one}\n`, [said]))) expect(lines).toContain(said);
      } else {
        if (!line.startsWith('printf ')) used.add(line.split(' ')[1]!);
        printed = execFileSync('/bin/sh', ['-c', line], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
      }
    }
    expect([...used].sort()).toEqual(names);
  });

  it('have in docs/cli.md the exit codes of --help', async () => {
    const codes = [...page('docs/cli.md').matchAll(/^\| ([\d, ]+) \|/gm)].flatMap((match) => match[1]!.split(', '));
    const help = await good(['--help']);
    expect(codes).toEqual(['0', '1', '2', '3', '130', '143']);
    for (const code of codes) expect(help.slice(help.indexOf('Exit codes'))).toMatch(new RegExp(`(^|\\D)${code}\\D`));
  });
});
