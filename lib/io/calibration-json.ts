/** How planes' values become probabilities, in the JSON of a model. */
import { coded, plural, rangeError, show } from '../errors.js';
import { finite } from '../input/numbers.js';
import type { Calibration } from '../svm/calibration.js';
import type { OutlineObject } from './json-text.js';
import { numbers, properties, readList, type Own } from './json-values.js';
import type { Checksum } from './model-checksum.js';

const WHERE = 'json.calibration';

export function calibrationOutline(calibration: readonly Calibration[], sum: Checksum): OutlineObject {
  return {
    kind: calibration[0]!.kind,
    // Made after the planes and proofs, and so in the order in which the checksum takes them.
    planes: function* () {
      for (const one of calibration) {
        sum.calibration(one);
        yield one.kind === 'sigmoid' ? { a: one.a, b: one.b } : { values: one.values, probabilities: one.probabilities };
      }
    },
  };
}

export function readCalibration(value: unknown, planes: number): Calibration[] | undefined {
  if (value === undefined) return undefined;
  const own = properties(value, 'an object', WHERE);
  const kind = own('kind');
  if (kind !== 'sigmoid' && kind !== 'isotonic') throw rangeError('ERR_MODEL', "'sigmoid' or 'isotonic'", `${WHERE}.kind`, kind);
  const list = readList(own('planes'), planes, `${plural(planes, 'object')}, one for each plane,`, `${WHERE}.planes`);
  const read = kind === 'sigmoid' ? readSigmoid : readIsotonic;
  const form = kind === 'sigmoid' ? '{ a, b }' : '{ values, probabilities }';
  const calibration: Calibration[] = [];
  for (let p = 0; p < planes; p++) {
    const where = `${WHERE}.planes[${p}]`;
    calibration.push(read(properties(list[p], form, where), where));
  }
  return calibration;
}

function readSigmoid(own: Own, where: string): Calibration {
  const number = (name: string) => finite(own(name), `${where}.${name}`, 'ERR_MODEL');
  return { kind: 'sigmoid', a: number('a'), b: number('b') };
}

/** A line has at most so many ends: two for each row that it was learnt from. */
const MAX_ENDS = 2 ** 32;

function readIsotonic(own: Own, where: string): Calibration {
  const values = numbers(own('values'), MAX_ENDS, `${where}.values`);
  const probabilities = numbers(own('probabilities'), MAX_ENDS, `${where}.probabilities`);
  if (values.length === 0) throw rangeError('ERR_MODEL', 'at least one number', `${where}.values`, values.length);
  if (probabilities.length !== values.length) {
    const there = `${where}.probabilities, as in ${where}.values,`;
    throw rangeError('ERR_MODEL', plural(values.length, 'number'), there, probabilities.length);
  }
  const falls = values.findIndex((x, k) => k > 0 && x <= values[k - 1]!);
  if (falls > 0) throw outOfOrder(`a number above ${values[falls - 1]!}`, `${where}.values[${falls}]`, values[falls]);
  const bad = probabilities.findIndex((p, k) => !(p >= (k === 0 ? 0 : probabilities[k - 1]!) && p <= 1));
  if (bad >= 0) {
    const least = bad === 0 ? 0 : probabilities[bad - 1]!;
    throw outOfOrder(`a number from ${least} to 1`, `${where}.probabilities[${bad}]`, probabilities[bad]);
  }
  return { kind: 'isotonic', values, probabilities };
}

function outOfOrder(what: string, where: string, value: unknown): Error {
  return coded(RangeError, 'ERR_MODEL', `Expected ${what}, as they ascend, for ${where} but received ${show(value)}`);
}
