// Compiled, not run, where fista-classify is installed: checks what its types accept and refuse in an ES module.
import {
  backend,
  crossValidate,
  Dataset,
  Encoder,
  LinearSvm,
  readCsv,
  readLibsvm,
  separateEllipsoids,
  Table,
  text,
  trainTestSplit,
  writeReport,
  type BackendInfo,
  type DecisionOptions,
  type DenseMatrix,
  type Fitted,
  type PredictOptions,
  type Signal,
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

// Names of columns, which may be undefined, as those of a model are.
const named: DenseMatrix = { ...dense, columns: ['a', 'b', 'c'] };
const byName = LinearSvm.fit(named, ['x', 'y']);
const options: PredictOptions = { columns: byName.columns, extraColumns: 'ignore' };
export const found: string[] = byName.predict([[1, 2, 3]], options);
export const certain: boolean[] = byName.certify(named, { extraColumns: 'refuse' });
export const values: Float64Array[] = [
  byName.decision(named, new Float64Array(2)),
  byName.decision(named, { out: new Float64Array(2), ...options }),
  byName.probability({ ...sparse, columns: datasets[1]?.columns }, { columns: ['a', 'b', 'c'] } satisfies DecisionOptions),
];
byName.score(Dataset.from([[1, 2, 3]], { columns: byName.columns }), ['x'], options);
LinearSvm.fit([[1], [2]], [-1, 1], { columns: ['a'] as const });
// @ts-expect-error -- names are strings
LinearSvm.fit({ ...dense, columns: [1, 2, 3] }, ['x', 'y']);
// @ts-expect-error -- predict has no out
byName.predict(named, { out: new Float64Array(2) });
// @ts-expect-error -- an array of doubles
byName.decision(named, new Float32Array(2));

// @ts-expect-error -- not points
Dataset.from('points');
// @ts-expect-error -- no such backend
Dataset.from(dense, { backend: 'gpu' });

// From a file to a model: labels are numbers or words, depending on the file.
export async function train(signal: Signal): Promise<string | number> {
  const { points, labels } = await readCsv('a.csv', { label: 'kind', signal });
  const { train, test } = trainTestSplit(points, labels, { seed: 1 });
  const model: Fitted<string | number> = LinearSvm.fit(train.points, train.labels, { positive: 'tea', signal });
  model.score(test.points, test.labels);
  const validation = await crossValidate(points, labels, { folds: 3 });
  await writeReport('a.html', model, { points: test.points, labels: test.labels, title: 'Tea', validation });
  const { weights } = await LinearSvm.fitAsync(points, labels, { classWeight: 'balanced' });
  return LinearSvm.fit(points, labels, { warmStart: model }).predictOne(weights);
}

export async function words(): Promise<string> {
  const { points, labels } = await readLibsvm('a.svm', { labels: 'string' });
  const model: LinearSvm<string> = LinearSvm.fit(points, labels);
  return model.predictOne({ indices: [0], values: [1] });
}

const model = LinearSvm.fit([[1], [2]], [-1, 1]);
export const label: number = model.predictOne([1]);
export const back: 'ham' | 'spam' = LinearSvm.fromJSON<'ham' | 'spam'>(JSON.parse('{}')).predictOne([1]);
export const any: string | number | boolean = LinearSvm.fromJSON({}).predictOne([1]);

// Rows to be split may be records.
const people = trainTestSplit([{ age: 1, name: 'a' }, { age: 2, name: 'b' }], ['x', 'y']); // prettier-ignore
export const age: number | undefined = people.train.points[0]?.age;
export const kind: string | undefined = people.test.labels[0];
const matrices = trainTestSplit(sparse, new Float64Array(1));
export const cols: number = matrices.test.points.cols;
export const numbers: Float64Array = matrices.train.labels;

export const { status } = separateEllipsoids([{ center: [0], radius: 1 }], [{ center: [9], shape: 1 }]);

// @ts-expect-error -- a radius is a number
separateEllipsoids([{ center: [0], radius: [1] }], []);
// @ts-expect-error -- no such key
separateEllipsoids([{ center: [0], radii: 1 }], []);
// @ts-expect-error -- no such option
LinearSvm.fit([[1], [2]], [-1, 1], { tol: 1e-3 });
// @ts-expect-error -- models are made by fit
new LinearSvm({ C: 1 });
// @ts-expect-error -- no signal
LinearSvm.fit([[1], [2]], [-1, 1], { signal: 5 });

// Records, with a type of their own.
interface Customer {
  age: number | null;
  city: string;
  note?: string;
  churn: 'yes' | 'no';
}
declare const customers: Customer[];
const churn = LinearSvm.fit(customers, 'churn', { encoder: { age: 'number', note: text({ words: [1, 2] }) } });
export const leaves: 'yes' | 'no' = churn.predictOne({ age: 30, city: 'Oslo' });
export const all: ('yes' | 'no')[] = churn.predict(customers);
export const shares: number[] = churn.explain({ age: null, city: 'Rome' }).fields.map(({ share }) => share);
export const encoder: Encoder = Encoder.fit(customers, { city: 'category' });
export const byList = LinearSvm.fit(customers, [1, 2], { encoder: { age: 'number' } }).predictOne(customers[0]!) + 1;
export const kept: LinearSvm<'yes' | 'no'> = churn;
export const read: string = LinearSvm.fromJSON<string, Customer>({}).predictOne(customers[0]!);
export const table = LinearSvm.fit(Table.from({ age: [1, 2], y: [true, false] }), 'y').predictOne({ age: 3 }) === true;
export const fromLines = LinearSvm.fitAsync((async function* () { yield* customers; })(), 'churn'); // prettier-ignore
export const validated = crossValidate(customers, 'churn', { encoder: { age: 'number' }, folds: 3 });
// @ts-expect-error -- no such field
LinearSvm.fit(customers, 'chrun');
// @ts-expect-error -- no such field
LinearSvm.fit(customers, 'churn', { encoder: { agee: 'number' } });
// @ts-expect-error -- no such kind
LinearSvm.fit(customers, 'churn', { encoder: { age: 'numbr' } });
// @ts-expect-error -- a field is missing
churn.predictOne({ age: 3 });
// @ts-expect-error -- a field has another type
churn.predict([{ age: '3', city: 'Oslo' }]);
// @ts-expect-error -- a model of points takes no records
model.predict([{ age: 3 }]);
// @ts-expect-error -- no such field
Encoder.fit(customers, { agee: 'number' });
