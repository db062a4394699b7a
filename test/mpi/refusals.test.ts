/** What can be known of MPI without one. `npm run test:mpi` trains over ranks, with the MPIs that are installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dataset, LinearSvm } from '../../lib/index.js';
import { readParts } from '../../lib/io/dataset-parts.js';
import { ROOT } from '../support/child.js';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-ranks-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const none = { OMPI_COMM_WORLD_SIZE: '', PMI_SIZE: '', PMI_RANK: '', PMIX_RANK: '' };

function run(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [...words], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...none, ...env } });
}

describe('ranks', () => {
  it('are what mpi() returns, and nothing else', () => {
    for (const ranks of [3, null, {}, { rank: 0, size: 2, library: 'MPI' }]) {
      expect(() => LinearSvm.fit([[1], [2]], [0, 1], { ranks } as never)).toThrow(
        "Expected what mpi() of 'fista-classify/mpi' returns for options.ranks but received",
      );
    }
  });
});

describe('mpi()', () => {
  const connect = `require(${JSON.stringify(join(ROOT, 'dist', 'mpi', 'index.js'))}).mpi()`;

  it('says how to get the addon where there is none', () => {
    const { status, stderr } = run(['-e', connect], { FISTA_CLASSIFY_MPI_BINARY: join(folder, 'none.node') });
    expect(status).toBe(1);
    expect(stderr).toContain('Expected the addon for MPI for FISTA_CLASSIFY_MPI_BINARY but received');
    expect(stderr).toContain("code: 'ERR_MPI'");
  });

  it('says how to build the addon anew where it does not load', () => {
    const file = join(folder, 'broken.node');
    writeFileSync(file, 'no addon');
    const { status, stderr } = run(['-e', connect], { FISTA_CLASSIFY_MPI_BINARY: file });
    expect(status).toBe(1);
    expect(stderr).toMatch(/The addon for MPI did not load: .*Run "npx fista-classify build --mpi".*apt install libopenmpi-dev/);
  });
});

describe('the command line', () => {
  const cli = join(ROOT, 'bin', 'fista-classify.js');

  it('train --mpi asks for mpirun', () => {
    const { status, stderr } = run([cli, 'train', '--mpi', 'data.fds', 'model.json']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Expected mpirun to start fista-classify with --mpi, as in "mpirun -n 4 .*\[ERR_MPI\]/);
  });

  it('build --mpi asks for an MPI', () => {
    const { status, stderr } = run([cli, 'build', '--mpi'], { PATH: folder });
    expect(status).toBe(1);
    expect(stderr).toMatch(/Found no mpicc on PATH\. Install an MPI with its headers: .*libmpich-dev.*\[ERR_BUILD\]/);
  });

  it('prints an error of the command line once for all ranks', () => {
    const ran = (rank: string) => run([cli, 'train', '--mpi', '--colour', 'x.fds'], { PMI_RANK: rank, PMI_SIZE: '2' }).stderr;
    expect(ran('0')).toContain('Unknown option "--colour"');
    expect(ran('1')).toBe('');
  });
});

describe('several files as one', () => {
  const write = async (name: string, rows: Parameters<typeof Dataset.write>[1], options = {}) => {
    const path = join(folder, name);
    await Dataset.write(path, rows, options);
    return path;
  };

  it('have the rows of all of them: dense', async () => {
    const a = await write('a.fds', [
      { label: 1, point: [1, 2] },
      { label: -1, point: [3, 4] },
    ]);
    const b = await write('b.fds', [{ label: 1, point: Float32Array.of(5, 6) }]);
    expect(readParts([a, b])).toEqual({
      points: { data: Float64Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 },
      labels: Float64Array.of(1, -1, 1),
      columns: undefined,
    });
  });

  it('have the rows of all of them: sparse, of ones and of numbers, with words for labels', async () => {
    const a = await write(
      'c.fds',
      [
        { label: 'x', point: { indices: [0, 2] } },
        { label: 'y', point: { indices: [] } },
      ],
      { cols: 3 },
    );
    const b = await write('d.fds', [{ label: 'z', point: { indices: [1], values: [7] } }], { cols: 3 });
    expect(readParts([a, b])).toEqual({
      points: {
        indptr: Uint32Array.of(0, 2, 2, 3),
        indices: Uint32Array.of(0, 2, 1),
        values: Float32Array.of(1, 1, 7), // which loses nothing
        rows: 3,
        cols: 3,
      },
      labels: ['x', 'y', 'z'],
      columns: undefined,
    });
  });

  it('are refused where they differ in kind, width or labels', async () => {
    const dense = await write('e.fds', [{ label: 1, point: [1, 2] }]);
    const wide = await write('f.fds', [{ label: 1, point: [1, 2, 3] }]);
    const sparse = await write('g.fds', [{ label: 1, point: { indices: [1] } }], { cols: 2 });
    const bare = await write('h.fds', [[1, 2]]);
    expect(() => readParts([dense, wide])).toThrow(`Expected 2 columns, as ${dense} has, for ${wide} but received 3`);
    expect(() => readParts([dense, sparse])).toThrow(
      `Expected dense rows, as ${dense} has, for ${sparse} but received sparse ones`,
    );
    expect(() => readParts([dense, bare])).toThrow(`Expected labels for ${bare} but received none`);
  });
});
