/** The ROC curve and the precision–recall curve; of three labels or more, one a label against the rest. */
import type { Ranking } from '../metrics/ranking.js';
import { lineChart, type Series } from './line-chart.js';
import { upToOne } from './number-text.js';
import { nameOfLabel, rankings, type Evaluation, type Report } from './report-data.js';

type Place = readonly [x: number, y: number];

export function rankingCharts(report: Report, evaluation: Evaluation): string[] {
  const known = rankings(report, evaluation).filter(({ ranking }) => ranking !== undefined);
  if (known.length === 0) return [];
  const { classes } = evaluation.score;
  const one = report.model.labels.length === 2;
  const whose = one ? `label ${nameOfLabel(report.model.labels[1])}` : 'each label against the rest';
  const series = (curve: (ranking: Ranking) => Place[], area: 'rocAuc' | 'averagePrecision', word: string): Series[] =>
    known.map(({ label, number, ranking }) => ({
      name: `${one ? '' : `${nameOfLabel(label)}: `}${word} ${upToOne(classes[number]![area]!)}`,
      points: curve(ranking!),
      marks: false,
    }));
  const area = (name: 'rocAuc' | 'averagePrecision', word: string) =>
    one ? ` The ${word} is ${upToOne(classes[1]![name]!)}.` : ` The mean ${word} is ${upToOne(evaluation.score[name]!)}.`;
  return [
    lineChart({
      title: 'ROC curve',
      note: `Of ${whose}, on the ${evaluation.rows}: what is found and what is a false alarm as the threshold falls. On the dashed line values tell nothing.${area('rocAuc', 'area under the curve')}`,
      x: 'false alarms, share of the other rows',
      y: "found, share of the label's rows (recall)",
      percent: 'xy',
      diagonal: true,
      series: series(rocPlaces, 'rocAuc', 'area'),
    }),
    lineChart({
      title: 'Precision and recall',
      note: `Of ${whose}, on the ${evaluation.rows}: how many of those found are right as the threshold falls.${area('averagePrecision', 'average precision')}`,
      x: "recall, share of the label's rows found",
      y: 'precision, share of those found that are right',
      percent: 'xy',
      series: series(precisionPlaces, 'averagePrecision', 'average precision'),
    }),
  ];
}

function rocPlaces({ truePositives, falsePositives, positives, negatives }: Ranking): Place[] {
  const places: Place[] = [[0, 0]];
  truePositives.forEach((right, k) =>
    add(places, falsePositives[k]! / negatives, right / positives, k === truePositives.length - 1),
  );
  return places;
}

/** Steps: the area below them is the average precision. They end where everything is found. */
function precisionPlaces({ truePositives, falsePositives, positives }: Ranking): Place[] {
  const places: Place[] = [];
  for (let k = 0, found = 0; found < positives; k++) {
    const right = truePositives[k]!;
    if (right === found) continue;
    const precision = right / (right + falsePositives[k]!);
    add(places, found / positives, precision, found === 0);
    add(places, right / positives, precision, right === positives);
    found = right;
  }
  return places;
}

/** Leaves out places that a drawing cannot tell from the last one, as there may be millions. */
function add(places: Place[], x: number, y: number, always: boolean): void {
  const [a, b] = places.at(-1) ?? [-1, -1];
  if (always || Math.abs(x - a) + Math.abs(y - b) > 1e-3) places.push([x, y]);
}
