/** Small problems of several classes for fast-check, chosen to be hard to certify. */
import fc from 'fast-check';
import { stop } from '../../lib/svm/stopping.js';
import type { Loss, StopRule, SvmOptions } from '../../lib/types.js';
import { inForm, type Form, type Instance } from './instances.js';
import { normal, random } from './random.js';

/** An instance, and what new points are drawn with. */
export interface ClassInstance extends Instance {
  readonly seed: number;
  /** The form that new points are given in. */
  readonly newForm: Form | 'dataset';
}

const STOPS = {
  default: undefined,
  'gap 0.5': stop.gap(0.5),
  'gap 0.05': stop.gap(0.05),
  'gap 1e-3': stop.gap(1e-3),
  'gap 1e-9': stop.gap(1e-9),
  'gap 0': stop.gap(0),
  'agreement 0.5': stop.agreement(0.5),
  'agreement 0.9': stop.agreement(0.9),
  'agreement 1': stop.agreement(1),
  both: [stop.agreement(0.8), stop.gap(1e-2)],
} satisfies Record<string, StopRule | StopRule[] | undefined>;

type Stop = keyof typeof STOPS;

const parameters = fc.record({
  classes: fc.constantFrom(2, 3, 3, 3, 3, 4, 4, 5, 6),
  size: fc.oneof(
    { weight: 6, arbitrary: fc.record({ n: fc.integer({ min: 6, max: 16 }), d: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 4, arbitrary: fc.record({ n: fc.integer({ min: 8, max: 40 }), d: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 1, arbitrary: fc.record({ n: fc.integer({ min: 6, max: 24 }), d: fc.integer({ min: 10, max: 20 }) }) },
  ),
  seed: fc.nat(),
  shape: fc.constantFrom(
    'clusters', // a class is a cluster, some of them overlapping
    'apart', // classes far from each other: no overlap
    'normal', // classes that mean nothing
    'grid', // small integers: exact ties, offsets that form intervals
    'duplicates', // three rows, again and again
    'twins', // each row twice, in two classes
    'collinear',
    'cube', // entries 0 or 1
    'nothing', // all rows equal
    'outlier', // one row far away
  ),
  counts: fc.constantFrom('random', 'random', 'balanced', 'one row a class', 'one large class'),
  mean: fc.constantFrom<number>(0, 0, 0, 0, 1, -100, 1e4, 1e8),
  size10: fc.constantFrom<number>(0, 0, 0, 0, 0, 0, -3, 3, -8, 6, 40, -60, 295, -300),
  columns: fc.constantFrom('alike', 'alike', 'alike', 'decades', 'constant', 'zero', 'same', 'of one class', 'idle'),
  form: fc.constantFrom<Form>('rows', 'f64', 'f64', 'f32', 'csr f64', 'csr f32', 'ones'),
  newForm: fc.constantFrom<Form | 'dataset'>('rows', 'f64', 'csr f64', 'dataset'),
  way: fc.constantFrom<'pairs' | 'rest' | 'auto'>('pairs', 'pairs', 'rest', 'rest', 'auto'),
  scale: fc.constantFrom<'none' | 'standard' | 'maxabs' | 'auto'>('none', 'standard', 'maxabs', 'auto'),
  gamma: fc.constantFrom('1/n', '64/n', '4096/n', 'tiny', 'minute', 'huge', 'flat', 'default', 'default', 'default'),
  loss: fc.constantFrom<Loss>('hinge', 'hinge', 'squared-hinge'),
  mu: fc.constantFrom(undefined, undefined, undefined, 0.01, 1, 3), // times 1 / gamma
  weights: fc.constantFrom('none', 'none', 'none', 'decades', 'zeros', 'decades and zeros', 'balanced', 'classes'),
  method: fc.constantFrom<'auto' | 'ascent' | 'newton' | 'fista'>('auto', 'auto', 'auto', 'ascent', 'newton', 'fista'),
  stop: fc.constantFrom<Stop>(...(Object.keys(STOPS) as Stop[])),
  maxIterations: fc.constantFrom<number>(1, 2, 3, 5, 10, 20, 200, 1000),
});

export type ClassParameters = typeof parameters extends fc.Arbitrary<infer T> ? T : never;

/** Labels by row: every class has a row. */
function labelsOf(p: ClassParameters, n: number, next: () => number): number[] {
  return Array.from({ length: n }, (_, i) => {
    if (i < p.classes || p.counts === 'balanced') return i % p.classes;
    if (p.counts === 'one row a class') return p.classes - 1;
    if (p.counts === 'one large class' && next() < 0.8) return 0;
    return Math.floor(p.classes * next());
  });
}

export function buildClasses(p: ClassParameters): ClassInstance {
  const next = random(p.seed);
  const n = Math.max(p.size.n, p.classes + 1);
  const { d } = p.size;
  const labels = labelsOf(p, n, next);
  const spread = p.shape === 'apart' ? 20 : 2;
  const centres = Array.from({ length: p.classes }, () => Array.from({ length: d }, () => spread * normal(next)));
  const direction = Array.from({ length: d }, () => normal(next));
  const x = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const along = normal(next);
    for (let j = 0; j < d; j++) {
      const g = normal(next);
      let v = g;
      if (p.shape === 'clusters' || p.shape === 'apart') v = centres[labels[i]!]![j]! + g;
      if (p.shape === 'grid') v = Math.round(1.5 * g);
      if (p.shape === 'duplicates' && i >= 3) v = x[(i % 3) * d + j]!;
      if (p.shape === 'twins' && i % 2 === 1) v = x[(i - 1) * d + j]!;
      if (p.shape === 'collinear') v = along * direction[j]!;
      if (p.shape === 'cube') v = g > 0 ? 1 : 0;
      if (p.shape === 'nothing') v = direction[j]!;
      if (p.shape === 'outlier' && i === 0) v = 1e5 * g;
      x[i * d + j] = v;
    }
  }
  const isIdle = (i: number) => p.columns === 'idle' && i % 3 === 2 && labels.indexOf(labels[i]!) !== i;
  const size10 = p.form.endsWith('f32') ? Math.max(-20, Math.min(20, p.size10)) : p.size10; // within the range of a float
  for (let j = 0; j < d; j++) {
    const factor = 10 ** size10 * (p.columns === 'decades' ? 10 ** Math.round(6 * next() - 3) : 1);
    for (let i = 0; i < n; i++) x[i * d + j] = x[i * d + j]! * factor + p.mean * (1 + j / 7);
    if (j === 0 && p.columns === 'constant') for (let i = 0; i < n; i++) x[i * d] = p.mean + 0.1;
    if (j === 0 && p.columns === 'of one class') for (let i = 0; i < n; i++) if (labels[i] !== 0) x[i * d] = p.mean;
    if (j === d - 1 && p.columns === 'zero') for (let i = 0; i < n; i++) x[i * d + j] = 0;
    // Only in rows of weight 0; in others next to nothing, if anything. (Such a column is not scaled, and squares of 1e295 would overflow.)
    if (j === d - 1 && p.columns === 'idle') {
      const size = 10 ** Math.min(size10, 100);
      for (let i = 0; i < n; i++) x[i * d + j] = isIdle(i) ? size : p.seed % 2 === 0 ? 0 : 1e-20 * size * ((i % 3) - 1);
    }
    if (j === d - 1 && p.columns === 'same') for (let i = 0; i < n; i++) x[i * d + j] = x[i * d]!;
  }
  const thin = (i: number, j: number) => p.seed % 2 === 0 && (i * 7 + j * 3 + p.seed) % 5 === 0;
  const { points, value } = inForm(p.form, x, n, d, next, thin);

  const gamma = {
    '1/n': 1 / n,
    '64/n': 64 / n,
    '4096/n': 4096 / n,
    tiny: 1e-6,
    minute: 1e-20,
    huge: 1e6,
    flat: 2 ** -Math.ceil(4 * next()) / n, // every row at its bound: with as many rows in each class, optimal offsets form intervals
    default: undefined,
  }[p.gamma];
  const sampleWeight = Array.from({ length: n }, () => (p.weights.startsWith('decades') ? 10 ** (6 * (next() - 0.5)) : 1));
  if (p.weights.endsWith('zeros')) {
    for (let i = 0; i < n; i++) if (next() < 0.3 && labels.indexOf(labels[i]!) !== i) sampleWeight[i] = 0;
  }
  for (let i = 0; i < n; i++) if (isIdle(i)) sampleWeight[i] = 0;
  const factors = Object.fromEntries(Array.from({ length: p.classes }, (_, c) => [c, 10 ** (4 * next() - 2)]));
  const rule = STOPS[p.stop];
  const options: SvmOptions<number> = {
    ...(gamma !== undefined && { gamma }),
    loss: p.loss,
    scale: Math.abs(p.size10) > 100 && p.scale === 'none' ? 'standard' : p.scale, // squares would overflow, and the fit be refused
    ...(p.classes > 2 && { multiclass: p.way }),
    method: p.method,
    maxIterations: p.maxIterations,
    threads: 1,
    ...(p.mu !== undefined && gamma !== undefined && p.loss === 'hinge' && { mu: p.mu / gamma }),
    ...(p.weights === 'balanced' && { classWeight: 'balanced' as const }),
    ...(p.weights === 'classes' && { classWeight: factors }),
    ...((p.columns === 'idle' || !['none', 'balanced', 'classes'].includes(p.weights)) && { sampleWeight }),
    ...(rule && { stop: rule }),
  };
  return { points, value, rows: n, cols: d, labels, options, seed: p.seed, newForm: p.newForm };
}

export const classInstances = parameters;
