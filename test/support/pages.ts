/** Pages under test: of a fit, of fits with hostile names, with long and empty histories, and of the benchmarks. */
import { createRequire } from 'node:module';
import { LinearSvm, stop, type Label, type SvmProgress } from '../../lib/index.js';
import { report, type ReportInput } from '../../lib/report/training-page.js';
import { wdbc } from './svm-data.js';

const { resultsPage } = createRequire(__filename)('../../bench/page.js') as { resultsPage: (results: object[]) => string };

/** A fit and its progress, as the command line passes them to report(). */
export function fitted(points: Parameters<typeof LinearSvm.fit>[0], labels: readonly Label[], title = 'a title'): ReportInput {
  const history: SvmProgress[] = [];
  const model = LinearSvm.fit(points, labels, { stop: stop.gap(1e-5), onProgress: (progress) => history.push(progress) });
  const correct = model.predict(points).filter((label, i) => label === labels[i]).length;
  return { title, model, info: model.info, history, correct, decisions: model.decision(points), labels };
}

export const cancer = () => {
  const { rows: points, labels } = wdbc();
  return fitted(
    points,
    labels.map((label) => (label > 0 ? 'malignant' : 'benign')),
    'Breast cancer',
  );
};

const HOSTILE = `</title></script><script>window.harmed = 1</script><img src="http://example.invalid/x" onerror='window.harmed = 2'>&lt;`;

/** Markup in the title, the labels and the column names. */
function hostile(): ReportInput {
  const input = cancer();
  const rename = (label: Label) => (label === 'malignant' ? `${HOSTILE}+` : `${HOSTILE}-`);
  return {
    ...input,
    title: HOSTILE,
    model: { planes: input.model.planes, labels: [rename(input.model.labels[0]), rename(input.model.labels[1])] },
    labels: Array.from(input.labels, rename),
    names: Array.from({ length: 30 }, (_, j) => `${j}${HOSTILE}`),
  };
}

/** A history with more checks than the axis has pixels, whose relative gap ends in zeros and then NaN. */
export function long(): ReportInput {
  const input = cancer();
  const last = input.history[input.history.length - 1]!;
  const history = Array.from({ length: 20_000 }, (_, k) => ({
    ...last,
    iteration: k + 1,
    elapsed: 50 * k,
    relativeGap: k < 19_000 ? (1 + 0.9 * Math.sin(k)) * 10 ** (-k / 1000) : k < 19_500 ? 0 : NaN,
  }));
  return { ...input, history };
}

/** Two equal rows with different labels, and no history. */
function min(): ReportInput {
  const input = fitted([[1], [1]], [1, 2], 'Two rows');
  return { ...input, history: [] };
}

export const PAGES: Record<string, () => string> = {
  'of a fit': () => report(cancer()),
  'of a fit whose names are hostile': () => report(hostile()),
  'of 20,000 checks': () => report(long()),
  'of two rows': () => report(min()),
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
