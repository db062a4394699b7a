import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinearSvm, type SparseMatrix, type SvmOptions } from '../lib/index.js';
import { generator, sparse, wdbc } from './svm-data.js';

const predict = ['/usr/bin/liblinear-predict', '/usr/local/bin/liblinear-predict'].find(existsSync);
if (!predict) {
  process.stdout.write(
    'model.toLiblinear() is not checked against liblinear-predict, which is not installed (Debian: liblinear-tools)\n',
  );
}

describe('model.toLiblinear()', () => {
  it('writes the text of a LIBLINEAR model, the positive label first', () => {
    const model = LinearSvm.fromJSON({
      format: 'fista-classify/linear-svm',
      version: 1,
      labels: [3, 7],
      bias: -0.5,
      weights: [1e-20, 0.1],
    });
    expect(model.toLiblinear()).toBe(
      'solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 7 3\nnr_feature 2\nbias 1\nw\n1e-20 \n0.1 \n-0.5 \n',
    );
  });
});

/** 300 points of 4 to 12 entries in 40 columns, some beyond any label's reach. */
function randomSparse(names: readonly [number, number]): { points: SparseMatrix; labels: number[] } {
  const uniform = generator(names[0] * 10 + names[1]);
  const rows = Array.from({ length: 300 }, () =>
    Array.from({ length: 40 }, () => (uniform() < 0.2 ? Math.round(2000 * uniform() - 1000) / 500 : 0)),
  );
  const labels = rows.map((row) => names[row[0]! + row[1]! - row[2]! + 0.5 * (uniform() - 0.5) > 0 ? 1 : 0]);
  return { points: sparse(rows), labels };
}

describe.skipIf(!predict)('liblinear-predict with model.toLiblinear()', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'liblinear-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function theirs(model: LinearSvm<number>, { indptr, indices, values, rows }: SparseMatrix): number[] {
    const lines = Array.from({ length: rows }, (_, i) => {
      const entries = Array.from({ length: indptr[i + 1]! - indptr[i]! }, (_, k) => indptr[i]! + k);
      return ['0', ...entries.map((k) => `${indices[k]! + 1}:${values![k]!}`)].join(' ');
    });
    const [data, file, out] = ['data', 'model', 'out'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(data, lines.join('\n') + '\n');
    writeFileSync(file, model.toLiblinear());
    execFileSync(predict!, [data, file, out], { stdio: 'pipe' });
    return readFileSync(out, 'utf8').trim().split('\n').map(Number);
  }

  const cases: [string, () => { points: SparseMatrix; labels: number[] }, SvmOptions<number>][] = [
    ['wdbc', () => ({ points: sparse(wdbc().rows), labels: wdbc().labels }), {}],
    [
      'wdbc, standardised, positive: -1',
      () => ({ points: sparse(wdbc().rows), labels: wdbc().labels }),
      { scale: 'standard', positive: -1 },
    ],
  ];
  for (const names of [
    [-1, 1],
    [0, 1],
    [1, 2],
    [-5, -2],
  ] as const) {
    cases.push([`random points, labels ${names.join(', ')}`, () => randomSparse(names), {}]);
    cases.push([
      `random points, labels ${names.join(', ')}, positive: ${names[0]}`,
      () => randomSparse(names),
      { positive: names[0] },
    ]);
  }

  it.each(cases)('predicts the same: %s', (_name, make, options) => {
    const { points, labels } = make();
    const model = LinearSvm.fit(points, labels, options);
    const ours = model.predict(points);
    expect(theirs(model, points)).toEqual(ours);
    expect(new Set(ours).size).toBe(2);
    expect(model.score(points, labels).accuracy).toBeGreaterThan(0.75);
  });
});
