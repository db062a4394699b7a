// Compiled, not run, where fista-classify is installed: checks what its types accept and refuse in a CommonJS module.
import {
  backend,
  Dataset,
  readCsv,
  readLibsvm,
  writeLibsvm,
  type BackendInfo,
  type DenseMatrix,
  type SparseMatrix,
} from 'fista-classify';

export const info: BackendInfo = backend;
export const name: 'native' | 'wasm' | 'js' = backend.name;
export const reason: string | undefined = backend.loadError?.message;

const dense: DenseMatrix = { data: new Float64Array(6), rows: 2, cols: 3 };
const sparse: SparseMatrix = { indptr: [0, 1], indices: [2], rows: 1, cols: 3 };
export const datasets: Dataset[] = [
  Dataset.from(dense, { threads: 1 }),
  Dataset.from(sparse),
  Dataset.from([[1, 2]], { backend: 'js' }),
];
datasets[0]?.dispose();

export async function files(): Promise<Float64Array> {
  const words: string[] = (await readLibsvm('a.svm', { labels: 'string' })).labels;
  const { points, labels } = await readLibsvm(new Uint8Array(0), { cols: 3 });
  await writeLibsvm('b.svm', points, words);
  const table = await readCsv('c.csv', { label: 'y', labels: 'number' });
  // @ts-expect-error -- the label column must be named
  await readCsv('c.csv');
  return table.points.rows > 0 ? table.labels : labels;
}

// @ts-expect-error -- not points
Dataset.from('points');
// @ts-expect-error -- no such backend
Dataset.from(dense, { backend: 'gpu' });
