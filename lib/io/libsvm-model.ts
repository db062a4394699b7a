/**
 * LIBSVM's model files, for its svm-predict.
 *
 * Given:  a model of two classes, or of a plane for each pair.
 * Wanted: a text of the same planes. LIBSVM's plane of classes a and b, a before b in the file's order of labels, is a sum of support
 *         vectors of both classes, minus rho; above 0 it votes for a, else for b. A support vector of class a has a coefficient for each
 *         other class: that for b is number b - 1 if a comes first.
 * So:     each plane is one support vector, its weights, of its first class, with coefficient 1 for the other class and 0 for the rest, and
 *         rho is minus the bias. The labels are in the file in reverse order, as the positive label of a pair here is the second one: then
 *         no sign changes, and a value of 0 votes alike.
 *
 * svm-predict takes the label with the most votes; among equal ones the first, here the largest. `predict` breaks ties by the values. Labels
 * may differ there, and nowhere else. The sigmoids of probabilities are written too, for svm-predict -b 1; it couples them by iteration to
 * a tolerance of 0.005 a class, and takes the most probable label. There is no place for isotonic calibration.
 */
import { coded, plural } from '../errors.js';
import type { Calibration } from '../svm/calibration.js';
import { isPairs, type Model } from '../svm/model.js';
import { checkIntegers } from './liblinear.js';
import { entriesOf } from './model-checksum.js';

/** Entries that are written at a time: at most 150 kB of text. */
const BLOCK = 4096;

/** The text of a model, in pieces. Labels must be integers, and planes of several classes between pairs. */
export function libsvmLines(model: Model): Generator<string> {
  const { labels, planes } = model;
  checkIntegers(labels, 'LIBSVM');
  if (!isPairs(model)) {
    const what = "planes between pairs of classes, as a fit with multiclass: 'pairs' makes them,";
    throw coded(
      RangeError,
      'ERR_MODEL',
      `Expected ${what} for LIBSVM's text but received ${plural(planes.length, 'plane')} against the rest`,
    );
  }
  return lines(model);
}

function* lines({ labels, planes, calibration }: Model): Generator<string> {
  const classes = labels.length;
  yield `svm_type c_svc\nkernel_type linear\nnr_class ${classes}\ntotal_sv ${planes.length}\n`;
  const biases: number[] = [];
  for (const { plane } of pairs(classes)) biases.push(-planes[plane]!.bias + 0);
  yield* line('rho', biases);
  yield* line('label', labels.toReversed());
  if (calibration?.[0]!.kind === 'sigmoid') {
    const sigmoids = calibration as readonly (Calibration & { kind: 'sigmoid' })[];
    for (const name of ['a', 'b'] as const) {
      const numbers = Array.from(pairs(classes), ({ plane }) => sigmoids[plane]![name]);
      yield* line(`prob${name.toUpperCase()}`, numbers);
    }
  }
  yield* line(
    'nr_sv',
    Array.from(labels, (_, k) => classes - 1 - k),
  );
  yield 'SV\n';
  for (const { other, plane } of pairs(classes)) {
    yield `${'0 '.repeat(other - 1)}1 ${'0 '.repeat(classes - 1 - other)}`;
    const { indices, values } = entriesOf(planes[plane]!.weights);
    for (let begin = 0; begin < indices.length; begin += BLOCK) {
      const end = Math.min(begin + BLOCK, indices.length);
      let text = '';
      for (let k = begin; k < end; k++) text += `${indices[k]! + 1}:${values[k]} `;
      yield text;
    }
    yield '\n';
  }
}

/** LIBSVM's pairs of classes in its order, each with the number of its plane here, where classes are numbered the other way round. */
function* pairs(classes: number): Generator<{ readonly other: number; readonly plane: number }> {
  for (let first = 0; first < classes; first++) {
    for (let other = first + 1; other < classes; other++) {
      const [negative, positive] = [classes - 1 - other, classes - 1 - first];
      yield { other, plane: (negative * (2 * classes - negative - 1)) / 2 + positive - negative - 1 };
    }
  }
}

/** A field of the header, which may have millions of values. */
function* line(name: string, values: readonly unknown[]): Generator<string> {
  yield name;
  for (let begin = 0; begin < values.length; begin += BLOCK) yield ` ${values.slice(begin, begin + BLOCK).join(' ')}`;
  yield '\n';
}
