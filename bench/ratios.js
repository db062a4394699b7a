// Runs trials in rounds, and computes and formats their ratios.
'use strict';

const best = (list) => Math.min(...list);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** The speed relative to the reference: the median over the rounds of the ratio within a round, and the ratio of the best times. */
function speed(seconds, reference) {
  return { median: median(seconds.map((t, k) => reference[k] / t)), best: best(reference) / best(seconds) };
}

const digits = (x) => (x >= 1e6 ? x.toExponential(1) : x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0));
const show = (ratio) => `${digits(ratio.median)} | ${digits(ratio.best)}`;
const milliseconds = (seconds) => digits(1000 * seconds);

/** A cell that tells whether a target is met: unclear if the two ratios disagree. */
function judged(ratio, wanted, reaches) {
  const reached = [ratio.median, ratio.best].map(reaches);
  if (reached[0] !== reached[1]) return `${wanted} unclear`;
  return { value: `${wanted} ${reached[0] ? 'met' : 'MISSED'}`, met: reached[0] };
}
const verdict = (ratio, min) => judged(ratio, `≥ ${min}`, (x) => x >= min);
const verdictAtMost = (ratio, max) => judged(ratio, `≤ ${max}`, (x) => x <= max);

/** Formats columns as wide as their widest cell; the first is left-justified. */
function layout(rows) {
  const texts = rows.map((row) => row.map((cell) => String(cell?.value ?? cell ?? '')));
  const widths = texts[0].map((_, c) => Math.max(...texts.map((row) => (row[c] ?? '').length)));
  const pad = (cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
  return texts.map((row) => row.map(pad).join('   ').trimEnd()).join('\n');
}

/**
 * Runs the trials in turns, forwards and backwards (A B B A), as a trial that follows another process finds the caches cold. Returns
 * the seconds of each. A trial is () => seconds, or a promise of them.
 */
async function interleave(trials, rounds) {
  const seconds = trials.map(() => []);
  const there = [...trials.keys()];
  for (let round = 0; round < rounds; round++) {
    for (const k of round % 2 ? there.toReversed() : there) seconds[k].push(await trials[k]());
  }
  return seconds;
}

module.exports = { best, median, speed, digits, show, milliseconds, verdict, verdictAtMost, layout, interleave };
