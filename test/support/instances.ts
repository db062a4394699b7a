/** Small SVM problems for fast-check, chosen to be hard to certify. */
import fc from 'fast-check';
import type { Loss, Points, SvmOptions } from '../../lib/types.js';
import { stop } from '../../lib/svm/stopping.js';
import { normal, random } from './random.js';

export interface Instance {
  readonly points: Exclude<Points, import('../../lib/data/dataset.js').Dataset>;
  readonly value: (i: number, j: number) => number;
  readonly rows: number;
  readonly cols: number;
  readonly labels: number[];
  readonly options: SvmOptions<number>;
}

const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.record({ n: fc.integer({ min: 2, max: 12 }), d: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ n: fc.integer({ min: 2, max: 40 }), d: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ n: fc.integer({ min: 20, max: 200 }), d: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ n: fc.integer({ min: 2, max: 30 }), d: fc.integer({ min: 10, max: 50 }) }) },
);

const parameters = fc.record({
  size: sizes,
  seed: fc.nat(),
  shape: fc.constantFrom(
    'normal',
    'separable',
    'clusters',
    'collinear',
    'duplicates',
    'twins', // the same points in both classes
    'grid', // small integers: exact ties, offsets that form intervals
    'mirror', // symmetric about the origin, rows at the origin too
    'cube', // entries 0 or 1
    'nothing', // all rows equal
    'outlier', // one row far away
  ),
  labels: fc.constantFrom('random', 'random', 'balanced', 'one positive', 'one negative', 'side'),
  mean: fc.constantFrom<number>(0, 0, 0, 1, -100, 1e4, 1e7, 1e8),
  size10: fc.constantFrom<number>(0, 0, 0, 0, -3, 3, -8, 6, 40, -60),
  columns: fc.constantFrom('alike', 'alike', 'decades', 'constant', 'zero'),
  rows: fc.constantFrom('all', 'all', 'some zero'),
  form: fc.constantFrom<Form>('rows', 'f64', 'f64', 'f32', 'csr f64', 'csr f32', 'ones'),
  scale: fc.constantFrom<'none' | 'standard' | 'maxabs' | 'auto'>('none', 'none', 'standard', 'maxabs', 'auto'),
  gamma: fc.constantFrom('1/n', '4/n', '64/n', '64/n', '1024/n', '4096/n', 'tiny', 'huge', 'flat', 'default'),
  loss: fc.constantFrom<Loss>('hinge', 'hinge', 'squared-hinge'),
  mu: fc.constantFrom(undefined, undefined, undefined, 0.01, 1, 2, 3, 100), // times 1 / gamma
  weights: fc.constantFrom('none', 'none', 'decades', 'many decades', 'zeros', 'decades and zeros', 'balanced', 'classes'),
  stepSize: fc.constantFrom<'measured' | 'norm' | 'paper'>('measured', 'measured', 'measured', 'measured', 'norm', 'paper'),
  shrinking: fc.boolean(),
  ascent: fc.boolean(),
  checkEvery: fc.constantFrom(1, 5, undefined),
  stop: fc.constantFrom('default', 'gap 1e-3', 'gap 1e-9', 'gap 1e-9', 'gap 0', 'gap 0', 'stale'),
  maxIterations: fc.constantFrom<number>(30, 30, 200, 200, 200, 1000),
  warm: fc.constantFrom('none', 'none', 'none', 'random', 'far'),
  threads: fc.constantFrom(1, 2),
});

export type Parameters = typeof parameters extends fc.Arbitrary<infer T> ? T : never;

export type Form = 'rows' | 'f64' | 'f32' | 'csr f64' | 'csr f32' | 'ones';

/** Points in one of the forms that users give them in. What is stored, after rounding to f32, are the user's data: `value` returns them. */
export function inForm(
  form: Form,
  x: Float64Array,
  n: number,
  d: number,
  next: () => number,
  thin: (i: number, j: number) => boolean = () => false,
): Pick<Instance, 'points' | 'value'> {
  if (form === 'rows') {
    const points = Array.from({ length: n }, (_, i) => Array.from(x.subarray(i * d, i * d + d)));
    return { points, value: (i, j) => x[i * d + j]! };
  }
  if (form === 'f64') return { points: { data: x, rows: n, cols: d }, value: (i, j) => x[i * d + j]! };
  if (form === 'f32') {
    const data = Float32Array.from(x);
    return { points: { data, rows: n, cols: d }, value: (i, j) => data[i * d + j]! };
  }
  const indptr = [0];
  const indices: number[] = [];
  const kept: number[] = [];
  const full = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      let v = x[i * d + j]!;
      if (form === 'ones') v = normal(next) > 0 ? 1 : 0;
      if (form === 'csr f32') v = Math.fround(v);
      if (v === 0 || thin(i, j)) continue;
      indices.push(j);
      kept.push(v);
      full[i * d + j] = v;
    }
    indptr.push(indices.length);
  }
  const values = form === 'ones' ? undefined : form === 'csr f32' ? Float32Array.from(kept) : Float64Array.from(kept);
  return { points: { indptr, indices, rows: n, cols: d, ...(values && { values }) }, value: (i, j) => full[i * d + j]! };
}

export function build(p: Parameters): Instance {
  const next = random(p.seed);
  const { n, d } = p.size;
  // Labels come first: some shapes depend on them.
  const labels: number[] = Array.from({ length: n }, (_, i) => {
    if (p.labels === 'balanced') return i % 2 ? 1 : -1;
    if (p.labels === 'one positive') return i === 0 ? 1 : -1;
    if (p.labels === 'one negative') return i === 0 ? -1 : 1;
    return next() < 0.5 ? 1 : -1;
  });
  labels[0] = p.labels === 'one negative' ? -1 : 1;
  labels[n - 1] = p.labels === 'one negative' ? 1 : -1;
  const x = new Float64Array(n * d);
  const direction = Array.from({ length: d }, () => normal(next));
  const centres = Array.from({ length: 3 }, () => Array.from({ length: d }, () => 3 * normal(next)));
  for (let i = 0; i < n; i++) {
    const along = normal(next);
    const centre = centres[Math.floor(3 * next())]!;
    for (let j = 0; j < d; j++) {
      const g = normal(next);
      let v = g;
      if (p.shape === 'separable') v = 0.3 * g + labels[i]! * direction[j]!;
      if (p.shape === 'clusters') v = centre[j]! + 1e-6 * g;
      if (p.shape === 'collinear') v = along * direction[j]!;
      if (p.shape === 'duplicates' && i >= 3) v = x[(i % 3) * d + j]!;
      if (p.shape === 'twins' && i % 2 === 1) v = x[(i - 1) * d + j]!;
      if (p.shape === 'grid') v = Math.round(1.5 * g);
      if (p.shape === 'mirror') v = i % 2 === 1 ? -x[(i - 1) * d + j]! : i % 6 === 0 ? 0 : g;
      if (p.shape === 'cube') v = g > 0 ? 1 : 0;
      if (p.shape === 'nothing') v = direction[j]!;
      if (p.shape === 'outlier' && i === 0) v = 1e5 * g;
      x[i * d + j] = v;
    }
    if (p.shape === 'twins' && i % 2 === 1) labels[i] = -labels[i - 1]!;
    if (p.shape === 'mirror' && i % 2 === 1) labels[i] = -labels[i - 1]!;
  }
  if (p.labels === 'side') {
    for (let i = 1; i < n - 1; i++) {
      let s = 0.2 * normal(next);
      for (let j = 0; j < d; j++) s += direction[j]! * x[i * d + j]!;
      if (p.shape !== 'twins') labels[i] = s > 0 ? 1 : -1;
    }
  }
  if (!labels.includes(1)) labels[0] = 1;
  if (!labels.includes(-1)) labels[n - 1] = -1;
  for (let j = 0; j < d; j++) {
    const size10 = p.form.endsWith('f32') ? Math.max(-20, Math.min(20, p.size10)) : p.size10; // within the range of a float
    const factor = 10 ** size10 * (p.columns === 'decades' ? 10 ** Math.round(6 * next() - 3) : 1);
    for (let i = 0; i < n; i++) x[i * d + j] = x[i * d + j]! * factor + p.mean * (1 + j / 7);
    if (j === 0 && p.columns === 'constant') for (let i = 0; i < n; i++) x[i * d] = p.mean + 0.1;
    if (j === d - 1 && p.columns === 'zero') for (let i = 0; i < n; i++) x[i * d + j] = 0;
  }
  if (p.rows === 'some zero') for (let i = 0; i < n; i += 4) x.fill(0, i * d, i * d + d);

  const thin = (i: number, j: number) => p.seed % 2 === 0 && (i * 7 + j * 3 + p.seed) % 5 === 0;
  const { points, value } = inForm(p.form, x, n, d, next, thin);

  // gamma, mu, weights
  const gamma = {
    '1/n': 1 / n,
    '4/n': 4 / n,
    '64/n': 64 / n,
    '1024/n': 1024 / n,
    '4096/n': 4096 / n,
    tiny: 1e-6,
    huge: 1e6,
    flat: 2 ** -Math.ceil(4 * next()) / n, // every row at its bound: with as many rows in each class, the optimal offsets form an interval
    default: undefined,
  }[p.gamma];
  const decades = p.weights.startsWith('decades') ? 6 : p.weights === 'many decades' ? 12 : 0;
  const sampleWeight = Array.from({ length: n }, () => (decades > 0 ? 10 ** (decades * (next() - 0.5)) : 1));
  const hinge = p.loss === 'hinge';
  if (p.weights.endsWith('zeros')) {
    const keep = [labels.indexOf(1), labels.indexOf(-1)];
    for (let i = 0; i < n; i++) if (next() < 0.3 && !keep.includes(i)) sampleWeight[i] = 0;
  }
  const options: SvmOptions<number> = {
    ...(gamma !== undefined && { gamma }),
    loss: p.loss,
    scale: p.scale,
    ...(p.seed % 3 === 0 && p.stepSize === 'measured' && p.stop !== 'stale' && { method: 'newton' as const }),
    solver: {
      stepSize: p.stepSize,
      shrinking: p.stepSize === 'measured' && p.shrinking,
      ascent: p.ascent,
      ...((p.stop === 'stale' || p.checkEvery) && { checkEvery: p.stop === 'stale' ? 1 : p.checkEvery! }),
    },
    maxIterations: p.maxIterations,
    threads: p.threads,
    keepSets: true,
    ...(p.mu !== undefined && gamma !== undefined && hinge && { mu: p.mu / gamma }),
    ...(p.weights !== 'none' && p.weights !== 'balanced' && p.weights !== 'classes' && { sampleWeight }),
    ...(p.weights === 'balanced' && { classWeight: 'balanced' as const }),
    ...(p.weights === 'classes' && { classWeight: { 1: 10 ** (4 * next() - 2), '-1': 1 } }),
    ...(p.stop === 'gap 1e-3' && { stop: stop.gap(1e-3) }),
    ...(p.stop === 'gap 1e-9' && { stop: stop.gap(1e-9) }),
    ...(p.stop === 'gap 0' && { stop: stop.gap(0) }),
    ...(p.stop === 'stale' && { stop: hinge ? [stop.stale({ patience: 30 }), stop.gap(1e-12)] : stop.gap(1e-12) }),
    ...(p.warm !== 'none' && {
      warmStart: {
        weights: Float64Array.from({ length: d }, () => (p.warm === 'far' ? 1e3 : 1) * normal(next)),
        bias: normal(next),
      },
    }),
  };
  return { points, value, rows: n, cols: d, labels, options };
}

export const instances = parameters;

/** Data that are not stored minus their column means (f32 or sparse), with columns up to 1e9 away from 0. */
export const uncentred = fc
  .record({
    whole: parameters,
    form: fc.constantFrom<Parameters['form']>('f32', 'csr f64', 'csr f32'),
    decades: fc.constantFrom(...Array.from({ length: 37 }, (_, k) => k / 4)),
    sign: fc.constantFrom(1, -1),
    size10: fc.constantFrom<number>(0, 0, 0, 1, 2, 3, 5, -1, -3),
  })
  .map(({ whole, decades, sign, ...others }): Parameters => ({ ...whole, ...others, mean: sign * 10 ** decades }));
