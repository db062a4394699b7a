/** Full and read-only disks, closed pipes and kills: the old file stays, or the new one is whole. */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LinearSvm } from '../../lib/index.js';
import { ROOT } from '../support/child.js';

const BIN = join(ROOT, 'bin', 'fista-classify.js');
const WIDE = '--cols 100000 --format liblinear'; // a model of 300 kB
const onPosix = process.platform !== 'win32';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-disk-'))));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'data.svm'), '1 1:1\n-1 1:-1\n');
  writeFileSync(join(folder, 'broken.svm'), 'x');
  writeFileSync(join(folder, 'm.json'), 'old');
});

const text = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Runs a shell script, in which `fista` is the command. */
function shell(script: string, options: SpawnSyncOptions = {}, around: string[] = []) {
  const lines = `fista() { "${process.execPath}" "${BIN}" "$@"; }\n${script}`;
  const [command, ...rest] = [...around, '/bin/sh', '-c', lines];
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd: folder, ...options, encoding: 'utf8' });
  expect(stderr).not.toMatch(/^\s+at /m); // no stack trace
  return { status, stdout, stderr };
}

// Mounts in a new namespace vanish with it; on some systems a user without privileges may create one.
const mounts =
  process.platform === 'linux' &&
  [['unshare', '-m'], ['unshare', '-rm']].find(
    ([command, flags]) => spawnSync(command!, [flags!, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
  ); // prettier-ignore
if (!mounts) process.stdout.write('Left out: full and read-only disks. Nothing can be mounted here.\n');

describe.skipIf(!mounts)('fista-classify on a full or read-only disk', () => {
  /** Runs the script with `disk` as a separate file system that holds an old model and page; prints what it holds at the end. */
  const onDisk = (size: string, script: string) => {
    mkdirSync(join(folder, 'disk'));
    const begin = `mount -t tmpfs -o size=${size} tmpfs disk && cp m.json disk/m.json && cp m.json disk/p.html && sync || exit 9`;
    return shell(`${begin}\n${script}\necho "exit $?"; ls disk; head -c 3 disk/m.json disk/p.html`, {}, mounts || []);
  };
  const there = (model: string, page = 'old') => `m.json\np.html\n==> disk/m.json <==\n${model}\n==> disk/p.html <==\n${page}`;

  it('train reports a full disk in one line, and keeps only the old model', () => {
    const { stdout, stderr } = onDisk('256k', `fista train -q ${WIDE} data.svm disk/m.json`);
    expect(stderr).toBe('fista-classify: Cannot write disk/m.json: no space left on device [ENOSPC]\n');
    expect(stdout).toBe(`exit 1\n${there('old')}`);
  });

  it('train writes the model and keeps the old page if there is no room for the new one', () => {
    const { stdout, stderr } = onDisk('16k', `fista train -q --report disk/p.html data.svm disk/m.json`);
    expect(stderr).toBe('fista-classify: Cannot write disk/p.html: no space left on device [ENOSPC]\n');
    expect(stdout).toBe(`exit 1\n${there('{"f')}`);
  });

  it('predict and convert keep the old files on a full disk', () => {
    const many = 'i=0; while [ $i -lt 14 ]; do cat data.svm data.svm > more; mv more data.svm; i=$((i + 1)); done';
    const script = `fista train -q data.svm model.json; ${many}; fista predict -q data.svm model.json disk/p.html; fista convert data.svm disk/m.json --to libsvm`;
    const { stdout, stderr } = onDisk('16k', script);
    expect(stderr).toBe(
      ['p.html', 'm.json'].map((name) => `fista-classify: Cannot write disk/${name}: no space left on device [ENOSPC]\n`).join(''),
    );
    expect(stdout).toBe(`exit 1\n${there('old')}`);
  });

  it('train and predict report a read-only disk before they read the data', () => {
    const remount = 'mount -o remount,ro disk || exit 9';
    const { stdout, stderr } = onDisk(
      '256k',
      `${remount}; fista train broken.svm disk/m.json; fista train nowhere.svm disk/new.json; fista predict x y disk/new`,
    );
    expect(stderr.split('\n')).toEqual([
      'fista-classify: Cannot open disk/m.json: read-only file system [EROFS]',
      'fista-classify: Cannot write to disk: read-only file system [EROFS]',
      'fista-classify: Cannot write to disk: read-only file system [EROFS]',
      '',
    ]);
    expect(stdout).toBe(`exit 1\n${there('old')}`);
  });
});

describe.skipIf(!onPosix)('fista-classify with restricted or closed output', () => {
  it('train reports a file size limit, and keeps only the old model', () => {
    const { status, stdout, stderr } = shell(`ulimit -f 200; fista train -q ${WIDE} data.svm m.json`);
    expect(stderr).toBe('fista-classify: Cannot write m.json: file too large [EFBIG]\n');
    expect([status, stdout, text('m.json')]).toEqual([1, '', 'old']);
    expect(readdirSync(folder).sort()).toEqual(['broken.svm', 'data.svm', 'm.json']);
  });

  // Root may write everywhere, so the user nobody runs the command, if it may read the package.
  const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const able = onPosix && spawnSync(process.execPath, [BIN, '--version'], other).status === 0;
  it.skipIf(!able)('train reports a folder without write permission before it reads the data', () => {
    chmodSync(folder, 0o555);
    try {
      const { status, stderr } = shell('fista train nowhere.svm new.json; fista train broken.svm m.json', other);
      expect(stderr).toMatch(/^fista-classify: Cannot write to \.: permission denied \[EACCES\]\n/);
      expect(stderr).toMatch(/\nfista-classify: Cannot (open m\.json|write to \.): permission denied \[EACCES\]\n$/);
      expect([status, text('m.json')]).toEqual([1, 'old']);
    } finally {
      chmodSync(folder, 0o700);
    }
  });

  it.each(['| head -n 1', '>&-', '2>&-', '>&- 2>&-'])('train writes the whole model if its output is closed by %s', (closed) => {
    const { stderr } = shell(`{ fista train data.svm m.json; echo "exit $?" >&9; } 9>&2 ${closed}`);
    expect(stderr.replace('data.svm: 2 rows, 1 column\n', '')).toBe('exit 0\n');
    expect(LinearSvm.fromJSON(JSON.parse(text('m.json'))).weights.length).toBe(1);
  });

  it.each([
    ['train data.svm -', 'a model'],
    ['train data.svm m.json --report -', 'a page'],
    ['convert data.svm - --to csv', 'data'],
    ['predict data.svm broken.svm -', 'labels'],
    ['predict data.svm broken.svm', 'labels by default'],
  ])('%s reports a closed stdout instead of losing %s', (words) => {
    const { stderr } = shell(`{ fista ${words}; echo "exit $?" >&9; } 9>&2 >&-`);
    expect(stderr).toBe('fista-classify: Expected an open stdout, to which - writes, but it is closed [EBADF]\nexit 1\n');
    expect(text('m.json')).toBe('old');
    // Output to /dev/null is discarded without an error.
    const { stderr: thrown } = shell('{ fista train -q data.svm -; echo "exit $?" >&9; } 9>&2 > /dev/null');
    expect(thrown).toBe('exit 0\n');
  });

  it('train writing the model to a pipe exits quietly if the reader closes it', () => {
    const { stdout, stderr } = shell(`{ fista train -q ${WIDE} data.svm -; echo "exit $?" >&9; } 9>&2 | head -n 1`);
    expect([stdout, stderr]).toEqual(['solver_type L2R_L1LOSS_SVC_DUAL\n', 'exit 0\n']);
  });

  // The process sends itself the signal (test/support/moments.cjs), so that timing does not matter. scripts/kill-train.js kills from outside.
  const train = (environment: NodeJS.ProcessEnv) => {
    writeFileSync(join(folder, 'm.json'), 'old');
    writeFileSync(join(folder, 'p.html'), 'old');
    const args = [
      '--require',
      join(__dirname, '../support/moments.cjs'),
      BIN,
      'train',
      '-q',
      '--report',
      'p.html',
      'data.svm',
      'm.json',
    ];
    const env = { ...process.env, ...environment };
    const { status, signal, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    const left = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
    return { status, signal, stderr, left, model: text('m.json'), page: text('p.html') };
  };
  const steps = ['create', 'write', 'half', 'sync', 'close', 'rename', 'renamed'];
  const moments = ['m.json', 'p.html'].flatMap((file) => steps.map((step) => `${step} ${file}`));

  let undisturbed: ReturnType<typeof train> | undefined;

  it.each(moments)('train killed at "%s" leaves the old model or the whole new one', (MOMENT) => {
    const { model: whole } = (undisturbed ??= train({}));
    const isWhole = (page: string) => page.startsWith('<!doctype html>') && page.endsWith('</html>\n');
    const reached = (moment: string) => moments.indexOf(MOMENT) >= moments.indexOf(moment);

    const killed = train({ MOMENT, SIGNALS: 'SIGKILL' });
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    expect(killed.model).toBe(reached('renamed m.json') ? whole : 'old');
    expect(killed.page).toSatisfy((page) => (reached('renamed p.html') ? isWhole(page as string) : page === 'old'));
    expect(killed.left.length).toBe(/create|renamed/.test(MOMENT) ? 0 : 1);
    for (const name of killed.left) rmSync(join(folder, name));

    // SIGINT ends it while chunks are still to be written; after the last one it completes both files.
    const interrupted = train({ MOMENT, SIGNALS: 'SIGINT' });
    expect(interrupted.left).toEqual([]);
    if (interrupted.status === 130) {
      expect(interrupted.stderr).toBe('fista-classify: Interrupted: nothing was written [ERR_INTERRUPTED]\n');
      expect([interrupted.model, interrupted.page]).toEqual(['old', 'old']);
      expect(reached('renamed m.json')).toBe(false);
    } else {
      expect([interrupted.status, interrupted.stderr, interrupted.model]).toEqual([0, '', whole]);
      expect(interrupted.page).toSatisfy(isWhole);
    }
  });
});
