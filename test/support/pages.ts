/** Pages under test: of models of few and many labels, with hostile names, with long and empty histories, and of the benchmarks. */
import { createRequire } from 'node:module';
import {
  LinearSvm,
  stop,
  type Label,
  type Points,
  type ReportOptions,
  type SvmOptions,
  type SvmProgress,
} from '../../lib/index.js';
import { reportPage } from '../../lib/report/write-report.js';
import { normal, random } from './random.js';
import { wdbc } from './svm-data.js';

const { resultsPage } = createRequire(__filename)('../../bench/page.js') as { resultsPage: (results: object[]) => string };

/** A model and what a report says of it. */
export interface Reported {
  readonly model: LinearSvm & Required<Pick<ReturnType<typeof LinearSvm.fit>, 'info'>>;
  readonly options: ReportOptions & Required<Pick<ReportOptions, 'history'>> & { points: Points; labels: readonly Label[] };
}

/** A fit with its progress and its rows. */
export function fitted(points: Points, labels: readonly Label[], title = 'a title', options?: SvmOptions): Reported {
  const history: SvmProgress[] = [];
  const model = LinearSvm.fit(points, labels, {
    stop: stop.gap(1e-5),
    onProgress: (progress) => history.push(progress),
    ...options,
  });
  return { model, options: { title, history, points, labels, rows: 'training rows' } };
}

export const cancer = (options?: SvmOptions) => {
  const { rows: points, labels } = wdbc();
  return fitted(
    points,
    labels.map((label) => (label > 0 ? 'malignant' : 'benign')),
    'Breast cancer',
    options,
  );
};

/** Overlapping normal clouds, one a label. */
export function manyLabels(classes: number, rows: number, nameOf: (k: number) => Label, options?: SvmOptions): Reported {
  const next = random(classes);
  const centres = Array.from({ length: classes }, () => Array.from({ length: 5 }, () => 2 * normal(next)));
  const of = Array.from({ length: rows }, (_, i) => i % classes);
  const points = of.map((k) => centres[k]!.map((centre) => centre + 1.5 * normal(next)));
  const labels = of.map(nameOf);
  return fitted(points, labels, `${classes} labels`, { stop: stop.gap(1e-2), ...options });
}

const HOSTILE = `</title></script><script>window.harmed = 1</script><img src="http://example.invalid/x" onerror='window.harmed = 2'>&lt;`;

/** Markup in the title, the labels, the column names and the word for the rows. */
function hostile(classes: number): Reported {
  const { model, options } = manyLabels(classes, 30 * classes, (k) => `${HOSTILE}${k}`, { probability: 'sigmoid' });
  const columns = Array.from({ length: 5 }, (_, j) => `${j}${HOSTILE}`);
  return { model, options: { ...options, title: HOSTILE, rows: HOSTILE, columns } };
}

/** A history with more checks than the axis has pixels, whose relative gap ends in zeros and then NaN. */
export function long(): Reported {
  const { model, options } = cancer();
  const last = options.history.at(-1)!;
  const history = Array.from({ length: 20_000 }, (_, k) => ({
    ...last,
    iteration: k + 1,
    elapsed: 50 * k,
    relativeGap: k < 19_000 ? (1 + 0.9 * Math.sin(k)) * 10 ** (-k / 1000) : k < 19_500 ? 0 : NaN,
  }));
  return { model, options: { ...options, history } };
}

/** Two equal rows with different labels, and no history. */
function min(): Reported {
  const { model, options } = fitted([[1], [1]], [1, 2], 'Two rows');
  return { model, options: { ...options, history: [] } };
}

/** One of the rows, with one label. */
function oneRow(): Reported {
  const { model, options } = cancer({ probability: 'isotonic' });
  return { model, options: { ...options, points: wdbc().rows.slice(0, 1), labels: [options.labels[0]!] } };
}

const written = ({ model, options }: Reported) => reportPage(model, options);

const LONG_NAMES = ['wren', 'great spotted woodpecker', '', 'Pneumonoultramicroscopicsilicovolcanoconiosis', 'owl'];

export const PAGES: Record<string, () => string> = {
  'of a fit': () => written(cancer()),
  'with probabilities and a choice of gamma': () => written(cancer({ gamma: 'auto', probability: 'sigmoid' })),
  'of five labels': () =>
    written(manyLabels(5, 300, (k) => LONG_NAMES[k]!, { gamma: 'auto', probability: 'sigmoid', multiclass: 'pairs' })),
  'of 25 labels': () => written(manyLabels(25, 500, (k) => `label number ${k}`)),
  'of 40 labels': () => written(manyLabels(40, 800, (k) => k, { probability: 'sigmoid', multiclass: 'rest' })),
  'of a model alone': () => reportPage(LinearSvm.fromJSON(cancer().model.toJSON())),
  'of one row': () => written(oneRow()),
  'of two labels whose names are hostile': () => written(hostile(2)),
  'of four labels whose names are hostile': () => written(hostile(4)),
  'of ten labels whose names are hostile': () => written(hostile(10)),
  'of 20,000 checks': () => written(long()),
  'of two rows': () => written(min()),
  'of the benchmarks': () => resultsPage(results()),
};

function results(): object[] {
  return [
    {
      name: 'serve',
      title: HOSTILE,
      date: '2026-01-01 00:00',
      machine: { cpu: 'a CPU' },
      versions: { node: 'v20' },
      tables: [
        {
          title: 'Latency',
          columns: ['what', 'p99 ms', HOSTILE],
          rows: [
            ['without', 1.25, { value: 2, met: true }],
            [HOSTILE, null, { value: 1e9, met: false }],
          ],
          notes: ['measured', HOSTILE],
        },
      ],
      plots: [
        {
          title: 'Time over rows',
          kind: 'line',
          x: 'rows',
          y: 'seconds',
          log: 'xy',
          series: Array.from({ length: 8 }, (_, k) => ({
            name: `solver ${k}`,
            points: [1, 10, 100, 1e6].map((x) => [x, x * (k + 1) * 1e-6]),
          })),
        },
        { title: 'Unknown', kind: 'pie' },
        {
          title: 'Ratios',
          kind: 'bar',
          bars: [
            { name: 'a', value: 3 },
            { name: 'b', value: 1e-9 },
          ],
        },
        { title: 'Broken', kind: 'line' },
      ],
    },
    { name: 'old', date: '2025', cpu: 'another', calls: {}, printed: ['a <b> line', 'another'] },
  ];
}
