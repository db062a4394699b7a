/** The report on a model as one self-contained HTML page. */
import { checkPath, resolveReport, validationFrom } from '../input/index.js';
import { writeAtomically } from '../io/atomic.js';
import { checkModel } from '../io/model-file.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { Label, ReportOptions } from '../types.js';
import { calibrationCharts } from './calibration-charts.js';
import { classScores } from './class-scores.js';
import { confusion } from './confusion-table.js';
import { gammaChart } from './gamma-chart.js';
import { sectionsOf } from './html.js';
import { marginChart } from './margin-chart.js';
import { page } from './page.js';
import { progress } from './progress-section.js';
import { proofs } from './proofs-section.js';
import { rankingCharts } from './ranking-charts.js';
import { evaluate, type Report } from './report-data.js';
import { settings } from './settings-table.js';
import { header, tiles } from './summary.js';
import { weightCharts } from './weight-charts.js';

/**
 * Writes a page on a model: with labelled points, how well it predicts them; the scores by gamma, the largest weights, what is proved and how
 * the fit went, as far as they are known. The page is one file that loads nothing and runs no script. It is written whole or not at all.
 */
export async function writeReport<L extends Label>(
  path: string,
  model: LinearSvm<L, object>,
  options?: ReportOptions<L>,
): Promise<void> {
  checkPath(path);
  checkModel(model);
  await writeAtomically(path, [reportPage(model, options)]);
}

/** The page that `writeReport` writes. Columns without names are numbered from `firstColumn`: from 1 in LIBSVM files. */
export function reportPage(model: LinearSvm<Label, object>, options?: ReportOptions, firstColumn: 0 | 1 = 0): string {
  const { info } = model;
  const input = resolveReport(options, model.planes[0]!.weights.length);
  const { title = 'Linear SVM', history, given } = input;
  const names = input.columns ?? model.columns;
  const report: Report = {
    title,
    model,
    info,
    history,
    validation: input.validation ?? (info?.validation && validationFrom(info.validation.table)),
    evaluation: given && evaluate(model, given.points, given.labels, input.rows),
    nameOf: (j) => names?.[j] ?? `column ${j + firstColumn}`,
  };
  const sections = sectionsOf([
    { id: 'predictions', heading: 'How well it predicts', content: predictions(report) },
    { id: 'gamma', heading: 'Choice of gamma', content: gammaChart(report) },
    { id: 'model', heading: 'The model', content: theModel(report) },
    { id: 'proofs', heading: 'What is proved', content: proofs(report) },
    { id: 'progress', heading: 'How it got there', content: progress(report) },
  ]);
  const proved = info ? ' What is proved refers to the training rows, and to the scaled training problem, rounding included.' : '';
  return page(title, `${header(report)}\n${tiles(report)}\n${sections}\n<footer>Written by fista-classify.${proved}</footer>`);
}

function predictions(report: Report): string {
  const { evaluation } = report;
  if (!evaluation) return '';
  const calibration = calibrationCharts(report, evaluation);
  const charts = [...rankingCharts(report, evaluation), ...calibration.charts, ...marginChart(report, evaluation)];
  const drawn = charts.length > 0 ? `<div class="charts">${charts.join('\n')}</div>` : '';
  return `${confusion(report, evaluation)}${classScores(evaluation)}${drawn}${calibration.numbers}`;
}

function theModel(report: Report): string {
  const [weights, numbers] = [weightCharts(report), settings(report)];
  return report.model.planes.length === 1 ? `<div class="charts">${weights}${numbers}</div>` : `${weights}${numbers}`;
}
