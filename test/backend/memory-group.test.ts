/**
 * The command line in a control group that kills a process which takes more memory than its limit. Needs control groups of version 1 and
 * root; skipped elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HANG, ROOT } from '../support/child.js';
import { clouds } from '../support/svm-data.js';

const CGROUP = '/sys/fs/cgroup/memory';
const canLimit = existsSync(join(CGROUP, 'memory.limit_in_bytes')) && process.getuid?.() === 0;
const LIMIT = 160e6;

describe.skipIf(!canLimit)(`with at most ${LIMIT / 1e6} MB of memory`, () => {
  const group = join(CGROUP, `fista-classify-${process.pid}`);
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'group-'));
    mkdirSync(group);
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(LIMIT));
  });
  afterEach(() => {
    rmdirSync(group);
    rmSync(folder, { recursive: true });
  });

  /** Runs node in the group. */
  const inside = (args: string[], environment: NodeJS.ProcessEnv = {}) => {
    const enter = `echo $$ > ${group}/tasks && exec "$@"`;
    const { stderr, signal, status } = spawnSync('sh', ['-c', enter, 'sh', process.execPath, ...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: HANG,
      env: { ...process.env, ...environment },
    });
    return { stderr, signal, status };
  };
  const command = join(ROOT, 'bin', 'fista-classify.js');
  const done = { stderr: expect.any(String) as string, signal: null, status: 0 };

  it('a process that takes more is killed: the limit works', () => {
    expect(inside(['-e', 'Buffer.alloc(400e6, 1)']).signal).toBe('SIGKILL');
  });

  it('fista-classify train and predict take two entries in 100,000,000 columns', () => {
    writeFileSync(join(folder, 'wide.svm'), '1 100000000:1\n-1 1:1\n');
    expect(inside([command, 'train', 'wide.svm', 'model.json'])).toEqual(done);
    expect(statSync(join(folder, 'model.json')).size).toBeLessThan(2000);
    expect(inside([command, 'predict', 'wide.svm', 'model.json', 'out.txt'])).toEqual(done);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('1\n-1\n');
  });

  it('fista-classify train refuses 280,000,000 columns, more than a model may have', () => {
    writeFileSync(join(folder, 'wide.svm'), '1 280000000:1\n-1 1:1\n');
    const { stderr, signal, status } = inside([command, 'train', 'wide.svm', 'model.json']);
    expect([signal, status]).toEqual([null, 1]);
    expect(stderr).toMatch(/Expected at most 268435456 columns, .* but received 280000000 \[ERR_POINTS\]\n$/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'fista-classify train ends with the code of %s and writes no model while memory is short',
    (signal) => {
      // Rows that take most of the memory left beside the 60 MB of the process, and a fit that does not end.
      const { rows, labels } = clouds(7, 2_000, 20, 0.5);
      const line = (row: readonly number[], i: number) =>
        `${labels[i]} ${row.map((x, j) => `${j + 1}:${x.toFixed(4)}`).join(' ')}\n`;
      writeFileSync(join(folder, 'rows.svm'), rows.map(line).join('').repeat(30));
      const endless = ['--stop', 'gap:0', '--gamma', '1e6', '--max-iterations', '1e9'];
      const args = [
        '--require',
        join(ROOT, 'test', 'support', 'moments.cjs'),
        command,
        'train',
        ...endless,
        'rows.svm',
        'model.json',
      ];
      const ended = inside(args, { MOMENT: 'check 3', SIGNALS: signal });
      expect([ended.signal, ended.status]).toEqual([null, signal === 'SIGINT' ? 130 : 143]);
      expect(existsSync(join(folder, 'model.json'))).toBe(false);
    },
  );
});
