/** Rows are decided and certified in blocks, so that little memory is held at a time: the blocks must not show. */
import { describe, expect, test } from 'vitest';
import { Dataset } from '../../lib/data/dataset.js';
import { writeJSON } from '../../lib/io/model-json.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { blockHeight, sidesOf, type PlaneProof } from '../../lib/svm/model.js';
import { names } from '../support/backends.js';
import { planesOf, type Way } from '../io/models.js';

/**
 * Classes are directions in the first two columns, and a point has the label of the direction that is nearest to its own. The third column is
 * in no plane, but counts in the distance from the centre.
 */
function fan(way: Way, classes: number) {
  const direction = (c: number) => [Math.cos((2 * Math.PI * c) / classes), Math.sin((2 * Math.PI * c) / classes)];
  const off = 0.1; // of a direction, so that no value is 0
  const between = direction(off)[0]! - direction(1 - off)[0]!; // the least that a point has to spare
  const sides = sidesOf(classes, way);
  const planes = sides.map(({ positive, negative }) => {
    const [own, other] = [direction(positive), negative === undefined ? [0, 0] : direction(negative)];
    return { weights: [own[0]! - other[0]!, own[1]! - other[1]!, 0], bias: 0 };
  });
  // Labels are certain at distances of about 1, and not at 100.
  const inverseScale = Float64Array.of(1, 1, 1);
  const proofs = sides.map((_, p): PlaneProof => {
    const centre = Float64Array.of(0, 0, way === 'pairs' ? 0.01 * (p % 3) : 0);
    return { slope: between / 10, low: -between / 100, high: between / 100, norm: 2, inverseScale, centre };
  });
  const labels = Array.from({ length: classes }, (_, c) => 2 * c);
  const model = LinearSvm.fromJSON<number>(writeJSON(planesOf(labels, way, planes, { proofs }), { proofs: true }));
  const row = (i: number) => {
    const c = (i * 37) % classes;
    const far = (i * i + (i >> 3)) % 5 < 2;
    return { label: 2 * c, certain: !far, point: [...direction(c + off), far ? 100 : 0] };
  };
  const make = (count: number) => {
    const all = Array.from({ length: count }, (_, i) => row(i));
    return {
      points: { data: Float64Array.from(all.flatMap(({ point }) => point)), rows: count, cols: 3 },
      labels: all.map(({ label }) => label),
      certain: all.map(({ certain }) => certain),
    };
  };
  return { model, planes: planes.length, centres: way === 'pairs' ? planes.length : 1, row, make };
}

describe.each(names)('in blocks of rows, %s backend', (backend) => {
  /** As given, for the backend that is loaded, and as a Dataset. */
  const formsOf = (points: Parameters<typeof Dataset.from>[0]) =>
    backend === names[0] ? [points, Dataset.from(points, { backend })] : [Dataset.from(points, { backend })];

  test.each([
    ['rest', 1023],
    ['pairs', 46],
  ] as const)('predict(points), decision(points) and score(points) are those of single points: %s', (way, classes) => {
    const { model, planes, make, row } = fan(way, classes);
    const rows = 9000;
    const height = blockHeight(rows, planes, 2 ** 22);
    expect(height).toBeLessThan(rows / 2); // three blocks
    const { points, labels } = make(rows);
    const near = [0, 1, height - 1, height, height + 1, 2 * height - 1, 2 * height, 2 * height + 1, rows - 1];
    for (const form of formsOf(points)) {
      expect(model.predict(form)).toEqual(labels);
      expect(model.score(form, labels).accuracy).toBe(1);
      for (const i of near) expect(model.predictOne(row(i).point)).toBe(labels[i]);
      if (way === 'rest') continue;
      const all = model.decision(form);
      for (const i of near) {
        const one = model.decision([row(i).point]);
        all.subarray(i * classes, (i + 1) * classes).forEach((value, c) => expect(value).toBeCloseTo(one[c]!, 9));
      }
    }
  });

  test.each([
    ['rest', 1023, 2500],
    ['pairs', 46, 1300],
  ] as const)('certify(points) is that of single points: %s', (way, classes, rows) => {
    const { model, planes, centres, make, row } = fan(way, classes);
    const height = blockHeight(rows, planes + centres);
    expect(height).toBeLessThan(rows / 2);
    const { points, certain } = make(rows);
    for (const form of formsOf(points)) expect(model.certify(form)).toEqual(certain);
    for (const i of [0, height - 1, height, height + 1, rows - 1]) {
      expect(model.certify([row(i).point])).toEqual([certain[i]]);
    }
  });
});
