/** How far the rows are on their own side of the plane, of two labels. */
import { histogram } from './histogram.js';
import { rowCount } from './number-text.js';
import { nameOfLabel, type Evaluation, type Report } from './report-data.js';

export function marginChart({ model }: Report, { actual, decisions, rows }: Evaluation): string[] {
  if (!model.isBinary() || !decisions) return [];
  const [negative, positive] = model.labels;
  const up = decisions.filter((_, i) => actual[i] === 1);
  const down = decisions.filter((_, i) => actual[i] === 0).map((value) => 0 - value);
  return [
    histogram({
      title: `Margins of the ${rows}`,
      note: 'How far each row is on its own side of the plane: below 0 it is misclassified, above 1 it is beyond the margin.',
      x: 'margin',
      groups: [
        { name: `label ${nameOfLabel(positive)} (${rowCount(up.length)})`, values: up },
        { name: `label ${nameOfLabel(negative)} (${rowCount(down.length)})`, values: down },
      ],
      marks: [
        { at: 0, name: 'plane' },
        { at: 1, name: 'margin' },
      ],
    }),
  ];
}
