// The digits 0 and 1 of MNIST, and the paper's ellipsoids around them: centre x in [0, 1]^784, shape diag(1e-10 + (1 - |2x - 1|) / 2).
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');

const PIXELS = 784;

/** The digits in test/fixtures: 125 of each. */
function readFixture() {
  const bytes = gunzipSync(readFileSync(join(__dirname, '..', 'test', 'fixtures', 'mnist01.idx3-ubyte.gz')));
  const images = Array.from({ length: 250 }, (_, i) => bytes.subarray(16 + PIXELS * i, 16 + PIXELS * (i + 1)));
  return { zeros: images.slice(0, 125), ones: images.slice(125) };
}

/** Reads IDX files (images, labels) as { zeros, ones }: lists of images of 784 bytes. */
function readDigits(images, labels) {
  const digits = { zeros: [], ones: [] };
  for (let i = 0; i < labels.readUInt32BE(4); i++) {
    digits[labels[8 + i] === 0 ? 'zeros' : 'ones'].push(images.subarray(16 + PIXELS * i, 16 + PIXELS * (i + 1)));
  }
  return digits;
}

/** A family of ellipsoids as { centers, shapes }. */
function ellipsoids(images) {
  const [centers, shapes] = [0, 1].map(() => new Float64Array(images.length * PIXELS));
  images.forEach((image, i) => {
    for (let j = 0; j < PIXELS; j++) {
      const x = image[j] / 255;
      centers[i * PIXELS + j] = x;
      shapes[i * PIXELS + j] = 1e-10 + 0.5 * (1 - Math.abs(2 * x - 1));
    }
  });
  const block = (data) => ({ data, rows: images.length, cols: PIXELS });
  return { centers: block(centers), shapes: block(shapes) };
}

/** A generator of numbers in [0, 1), the same for the same seed (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws n entries of a list, without repetition. */
function draw(list, n, next) {
  const all = [...list];
  for (let k = 0; k < n; k++) {
    const other = k + Math.floor(next() * (all.length - k));
    [all[k], all[other]] = [all[other], all[k]];
  }
  return all.slice(0, n);
}

/** The minimum, median and maximum of some numbers. */
function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const n = sorted.length;
  return { min: sorted[0], median: (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2, max: sorted[n - 1] };
}

/** The digits of one half ('train' or 'test') of MNIST, or undefined. */
function loadDigits(data, half) {
  const images = data(`mnist01-${half}-images-idx3-ubyte`);
  const labels = data(`mnist01-${half}-labels-idx1-ubyte`);
  return images && labels && readDigits(images, labels);
}

/** Seeded draws of pairs of families, of n zeros and m ones. */
function instances(digits, n, m, count) {
  return Array.from({ length: count }, (_, k) => {
    const next = random(k + 1);
    return [ellipsoids(draw(digits.zeros, n, next)), ellipsoids(draw(digits.ones, m, next))];
  });
}

/** Two random ellipses with centres (-d, 0) and (d, 0), as in the paper's figure. */
function ellipses(seed) {
  const next = random(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const shape = () => {
    const [[a, b], [c, e]] = [
      [normal(), normal()],
      [normal(), normal()],
    ];
    return [
      [0.1 * (a * a + b * b) + 1e-3, 0.1 * (a * c + b * e)],
      [0.1 * (a * c + b * e), 0.1 * (c * c + e * e) + 1e-3],
    ];
  };
  const [A, B] = [shape(), shape()];
  return (d) => [[{ center: [-d, 0], shape: A }], [{ center: [d, 0], shape: B }]];
}

module.exports = { readFixture, readDigits, loadDigits, ellipsoids, instances, ellipses, random, draw, spread };
