// examples/server under load, with and without training in the background. The load comes from a second process on this machine; rounds
// with and without training alternate. Training must not raise the 99th percentile above twice its value plus 5 ms.
'use strict';
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { setTimeout: wait } = require('node:timers/promises');
const { LinearSvm, writeLibsvm } = require('../..');
const { parseLibsvm } = require('../data.js');
const { installExample } = require('../example.js');
const { random } = require('../digits.js');

const ROUNDS = 5;
const SECONDS = 3;
const CASES = [
  { name: '1 row a request, as many as it takes', rows: 1, connections: 10, rate: 0 },
  { name: '100 rows a request, as many as it takes', rows: 100, connections: 10, rate: 0 },
  { name: '1 row a request, 1000 requests a second', rows: 1, connections: 10, rate: 1000 },
];

/** a9a, or random data of its size. */
function load(data, print) {
  const text = data('a9a');
  if (text) {
    const { labels, ...points } = parseLibsvm(text);
    return { name: 'a9a', points, labels };
  }
  print('a9a is missing: random data of its size are used.\n');
  const [rows, cols, each] = [32_561, 123, 14];
  const next = random(1);
  const indices = new Uint32Array(rows * each);
  const labels = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let score = 0;
    const width = Math.floor(cols / each);
    for (let k = 0; k < each; k++) {
      const j = Math.floor(next() * width);
      indices[i * each + k] = k * width + j;
      score += Math.sin(1 + k * width + j);
    }
    labels[i] = score + 3 * (next() - 0.5) > 0 ? 1 : -1;
  }
  const indptr = Uint32Array.from({ length: rows + 1 }, (_, i) => i * each);
  return { name: 'stand-in for a9a', points: { indptr, indices, rows, cols }, labels };
}

async function start(folder) {
  const child = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', DATA: folder, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((found, failed) => {
    let log = '';
    child.once('exit', (code) => failed(new Error(`The server ended with ${code}: ${log}`)));
    child.stdout.on('data', (text) => {
      log = (log + text).slice(-10_000);
      const match = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(log);
      if (match) found(Number(match[1]));
    });
  });
  return { port, stop: () => new Promise((done) => child.once('exit', done) && child.kill('SIGTERM')) };
}

/** One round of load, from a separate process. */
async function measure(port, body, { connections, rate }) {
  const args = [join(__dirname, '..', 'load.js'), port, SECONDS, connections, rate].map(String);
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(body);
  let text = '';
  for await (const piece of child.stdout) text += piece;
  const { requests, seconds, bad, latencies } = JSON.parse(text);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.ceil(share * latencies.length) - 1)];
  return { rate: requests / seconds, p50: at(0.5), p99: at(0.99), max: at(1), bad };
}

/** Runs fits to a gap of 1e-7 one after another until stopped. Returns their number and their share of the time. */
function train(port, gamma) {
  const call = async (method, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/train`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: await response.json() };
  };
  let stopping = false;
  const began = performance.now();
  let [fits, busy] = [0, 0];
  const ended = (async () => {
    while (!stopping) {
      const from = performance.now();
      const { status } = await call('POST', { file: 'train.libsvm', options: { gamma, gap: 1e-7 }, gate: false });
      if (status !== 202) throw new Error(`POST /train answered ${status}`);
      for (;;) {
        await wait(20);
        const { state, error } = (await call('GET')).body;
        if (state === 'done') break;
        if (state !== 'running') throw new Error(`Training ${state}: ${error?.message}`);
      }
      fits++;
      busy += performance.now() - from;
    }
    return { fits, share: busy / (performance.now() - began) };
  })();
  return async () => {
    stopping = true;
    return ended;
  };
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

async function run({ print, data }) {
  const example = installExample('server');
  let autocannon;
  try {
    autocannon = require('autocannon/package.json').version;
  } catch {
    // reported below
  }
  if (!example || !autocannon) {
    print('Left out: fastify and autocannon are not installed.');
    example?.remove();
    return undefined;
  }
  const { folder, remove } = example;
  let server;
  try {
    const { name, points, labels } = load(data, print);
    await writeLibsvm(join(folder, 'train.libsvm'), points, labels);
    const model = LinearSvm.fit(points, labels);
    writeFileSync(join(folder, 'model.json'), JSON.stringify(model));
    const row = (i) => {
      const part = (list) => Array.from(list.slice(points.indptr[i], points.indptr[i + 1]));
      return { indices: part(points.indices), ...(points.values && { values: part(points.values) }) };
    };
    server = await start(folder);
    const threads = Math.max(1, availableParallelism() - 1);
    print(
      `Training data: ${name}, ${points.rows} rows, ${points.cols} columns; ${threads} of ${availableParallelism()} cores to train`,
    );
    print(
      `${ROUNDS} rounds of ${SECONDS} s each with and without training, alternating; medians. p99 allowed: 2 × without training + 5 ms\n`,
    );
    const results = [];
    for (const settings of CASES) {
      const body = JSON.stringify({ rows: Array.from({ length: settings.rows }, (_, i) => row(i)) });
      await measure(server.port, body, settings); // warm-up
      const rounds = [];
      for (let k = 0; k < ROUNDS; k++) {
        const quiet = await measure(server.port, body, settings);
        const stop = train(server.port, 64 / points.rows);
        const busy = await measure(server.port, body, settings);
        rounds.push({ quiet, busy, training: await stop() });
      }
      const of = (kind, key) => median(rounds.map((round) => round[kind][key]));
      const [p99, p99Training] = [of('quiet', 'p99'), of('busy', 'p99')];
      const result = {
        ...settings,
        rate: of('quiet', 'rate'),
        rateTraining: of('busy', 'rate'),
        rateRatio: median(rounds.map(({ quiet, busy }) => busy.rate / quiet.rate)),
        p50: of('quiet', 'p50'),
        p50Training: of('busy', 'p50'),
        p99,
        p99Training,
        allowed: 2 * p99 + 5,
        met: p99Training <= 2 * p99 + 5,
        bad: rounds.reduce((sum, { quiet, busy }) => sum + quiet.bad + busy.bad, 0),
        fits: rounds.reduce((sum, { training }) => sum + training.fits, 0),
        share: median(rounds.map(({ training }) => training.share)),
        rounds,
      };
      results.push(result);
      print(
        `${settings.name}\n  requests/s ${result.rate.toFixed(0)} → ${result.rateTraining.toFixed(0)} (× ${result.rateRatio.toFixed(2)})   ` +
          `p50 ${result.p50.toFixed(2)} → ${result.p50Training.toFixed(2)} ms   p99 ${p99.toFixed(2)} → ${p99Training.toFixed(2)} ms, ` +
          `allowed ${result.allowed.toFixed(2)}: ${result.met ? 'met' : 'MISSED'}   ${result.fits} fits, ${(100 * result.share).toFixed(0)} % of the time   ` +
          `${result.bad} failed requests`,
      );
    }
    const versions = { fastify: require('fastify/package.json').version, autocannon };
    return { versions, data: name, threads, results, ...show(results, name) };
  } finally {
    await server?.stop();
    remove();
  }
}

function show(results, name) {
  return {
    tables: [
      {
        title: `examples/server under load, quiet and while training on ${name}`,
        columns: [
          'load',
          'requests/s',
          'while training',
          'p50 ms',
          'while training',
          'p99 ms',
          'while training',
          'p99 allowed',
          'failed',
          'fits',
        ],
        rows: results.map((r) => [
          r.name,
          Math.round(r.rate),
          Math.round(r.rateTraining),
          r.p50,
          r.p50Training,
          r.p99,
          { value: r.p99Training, met: r.met },
          r.allowed,
          r.bad,
          r.fits,
        ]),
        notes: [
          `Medians of ${ROUNDS} rounds of ${SECONDS} s each way, alternating; the load is autocannon in a second process on the same machine, over loopback.`,
          'Allowed: training must not raise p99 above twice its value plus 5 ms.',
        ],
      },
    ],
    plots: results.map(({ name: title, rounds }) => ({
      title: `p99 by round: ${title}`,
      kind: 'line',
      x: 'round',
      y: 'p99 (ms)',
      series: [
        ['quiet', 'quiet'],
        ['while training', 'busy'],
      ].map(([label, kind]) => ({ name: label, points: rounds.map((round, k) => [k + 1, round[kind].p99]) })),
    })),
  };
}

module.exports = { name: 'serve', describe: 'examples/server under load, with and without training in the background', run };
