// Compiled, not run, where fista-classify is installed: what its types allow, and what they refuse, seen from a CommonJS one.
import { backend, Dataset, type BackendInfo, type DenseMatrix, type SparseMatrix } from 'fista-classify';

export const info: BackendInfo = backend;
export const name: 'native' | 'js' = backend.name;
export const reason: string | undefined = backend.loadError?.message;

const dense: DenseMatrix = { data: new Float64Array(6), rows: 2, cols: 3 };
const sparse: SparseMatrix = { indptr: [0, 1], indices: [2], rows: 1, cols: 3 };
export const datasets: Dataset[] = [
  Dataset.from(dense, { threads: 1 }),
  Dataset.from(sparse),
  Dataset.from([[1, 2]], { backend: 'js' }),
];
datasets[0]?.dispose();

// @ts-expect-error -- not points
Dataset.from('points');
// @ts-expect-error -- no such backend
Dataset.from(dense, { backend: 'gpu' });
