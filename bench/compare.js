// One problem, ours and LIBLINEAR: each with the parameters that are fastest among those that classify the test set well enough.
//   C and gamma   64/n, 256/n, 1024/n, 4096/n and 1
//   well enough   test accuracy within 0.2 points of LIBLINEAR's best
//   ours          stop.agreement(0.99), stop.gap(1e-2) or stop.gap(1e-3); scale: 'none', the data being scaled for both
'use strict';
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { LinearSvm, stop } = require('..');
const { Peer, writeProblem } = require('./peers/process.js');
const { accuracy } = require('./sets.js');
const { best } = require('./ratios.js');

const WITHIN = 0.002;
const SOLVERS = [1, 2, 3];
const RULES = { 'agreement 99 %': stop.agreement(0.99), 'gap 1e-2': stop.gap(1e-2), 'gap 1e-3': stop.gap(1e-3) };

/** [words, value] of C and gamma for n rows. */
const grid = (n) => [...[64, 256, 1024, 4096].map((K) => [`${K}/n`, K / n]), ['1', 1]];

/** Seconds of one fit, from the user's typed arrays to the model. */
function fit({ points, labels }, options) {
  const from = performance.now();
  const model = LinearSvm.fit(points, labels, { scale: 'none', ...options });
  return { seconds: (performance.now() - from) / 1000, model };
}

/** Every choice of ours with its accuracy and its time: the best of `runs`. forms: { words: points }. */
function searchOurs(problem, forms, { runs = 3, limit = 30, threads = 2 } = {}) {
  const { labels } = problem.train;
  const found = [];
  for (const [form, points] of Object.entries(forms)) {
    for (const [gammaName, gamma] of grid(points.rows)) {
      for (const [rule, stopping] of Object.entries(RULES)) {
        const options = { gamma, stop: stopping, threads, timeLimit: 1000 * limit };
        const times = [];
        let model;
        for (let run = 0; run < runs && (run === 0 || times[0] < limit / 10); run++) {
          const result = fit({ points, labels }, options);
          times.push(result.seconds);
          model = result.model;
        }
        const { status, iterations, passes, relativeGap } = model.info;
        if (status === 'time-limit') continue;
        const seconds = best(times);
        found.push({
          form,
          gammaName,
          gamma,
          rule,
          seconds,
          accuracy: accuracy(problem.test, model),
          status,
          iterations,
          passes,
          relativeGap,
        });
      }
    }
  }
  return found;
}

/** Every choice of LIBLINEAR. Once a solver needs more than `limit` seconds, its larger C are left out. */
async function searchLiblinear(problem, peer, { runs = 2, limit = 60 } = {}) {
  const found = [];
  const leftOut = [];
  for (const solver of SOLVERS) {
    for (const [CName, C] of grid(problem.train.points.rows).sort((a, b) => a[1] - b[1])) {
      if (found.at(-1)?.solver === solver && found.at(-1).seconds > limit) {
        leftOut.push(`-s ${solver} at C = ${CName}`);
        continue;
      }
      const times = [];
      let model;
      for (let run = 0; run < runs && (run === 0 || times[0] < limit / 10); run++) {
        model = await peer.train(`${solver} ${C} 0`);
        times.push(model.seconds);
      }
      found.push({ solver, CName, C, seconds: best(times), accuracy: accuracy(problem.test, model) });
    }
  }
  return { found, leftOut };
}

/** The fastest of the choices that reach an accuracy. */
function fastest(choices, least) {
  return choices.filter((choice) => choice.accuracy >= least).sort((a, b) => a.seconds - b.seconds)[0];
}

/** Calls use(start), where start(command) starts a solver with the problem in its memory; cleans up behind it. */
async function withPeers(train, use) {
  const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
  const peers = [];
  try {
    const file = join(folder, 'problem');
    writeProblem(file, train);
    return await use(async (command) => {
      const peer = await Peer.start(command, file, join(folder, `weights-${peers.length}`));
      peers.push(peer);
      return peer;
    });
  } finally {
    for (const peer of peers) await peer.stop();
    rmSync(folder, { recursive: true });
  }
}

module.exports = { WITHIN, SOLVERS, RULES, grid, fit, searchOurs, searchLiblinear, fastest, withPeers };
