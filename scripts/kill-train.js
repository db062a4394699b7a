// Kills `fista-classify train` at random moments: node scripts/kill-train.js [kills, 200] [seed, 1] [columns, 2000000]. Each run replaces a
// model and a page; afterwards both must be the old one or the complete new one. A fifth of the kills come at any time in the run; the
// others are aimed at the writing of the model, at its end, at the time after it and at the page. SIGKILL and SIGINT alternate. Needs the
// compiled package (npm run build). Fails if a file was neither old nor new.
'use strict';
const { spawn } = require('node:child_process');
const { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, watch, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: wait } = require('node:timers/promises');
const { LinearSvm } = require('..');

const [kills, seed, columns] = [200, 1, 2_000_000].map((otherwise, k) => Number(process.argv[2 + k] ?? otherwise));
const folder = mkdtempSync(join(tmpdir(), 'fista-kill-'));
const [data, model, page] = ['data.svm', 'model.txt', 'page.html'].map((name) => join(folder, name));

let state = seed >>> 0;
const uniform = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

/** One column in a hundred is used: the model, a line of LIBLINEAR's text for each column, is large but quickly trained. */
function rows() {
  return Array.from({ length: 400 }, (_, i) => {
    const entries = Array.from({ length: columns / 40_000 }, (_, k) => `${(i >> 1) + 20_000 * k + 1}:${uniform().toFixed(3)}`);
    return `${i % 2 ? 1 : -1} ${entries.join(' ')}\n`;
  }).join('');
}

const temporaries = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));
const read = (path) => readFileSync(path, 'utf8');

/** Starts a training. `seen` returns promises of events that can be observed from outside. */
function start(gamma) {
  const args = [
    join(__dirname, '../bin/fista-classify.js'),
    'train',
    '--cols',
    String(columns),
    '--gamma',
    gamma,
    '--format',
    'liblinear',
  ];
  const began = performance.now();
  const child = spawn(process.execPath, [...args, '--report', page, data, model], { stdio: ['ignore', 'ignore', 'pipe'] });
  const times = {};
  let stderr = '';
  const reached = (name) => (times[name] ??= performance.now() - began);
  const waiting = new Map();
  const see = (name) => {
    reached(name);
    waiting.get(name)?.();
  };
  child.stderr.on('data', (text) => {
    stderr += text;
    if (stderr.includes('columns')) see('data');
  });
  const watcher = watch(folder, (_, name) => {
    // A write to the model file itself, without a temporary file, would be noticed too.
    if (name?.startsWith(`model.txt.${child.pid}-`) || (name === 'model.txt' && times.opened === undefined)) {
      see('opened');
      const { size = Infinity } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
      for (const what of waiting.keys()) if (size >= what) see(what);
    } else if (name === 'model.txt') see('model');
    if (name?.startsWith(`page.html.${child.pid}-`)) see('page');
  });
  const ended = new Promise((done) =>
    child.on('close', (code, signal) => {
      reached('end');
      watcher.close();
      for (const go of waiting.values()) go();
      done({ code, signal, stderr });
    }),
  );
  /** A promise of an event or, for a number, of that many bytes of the model. It is also fulfilled when the process ends. */
  const seen = (name) => (times[name] === undefined ? new Promise((done) => waiting.set(name, done)) : undefined);
  return { child, times, ended, seen };
}

/** The phase that the process was in, judged by the files on the disk. */
function phase(pid, times, before) {
  const left = temporaries().find((name) => name.includes(`.${pid}-`));
  const size = left && statSync(join(folder, left), { throwIfNoEntry: false })?.size;
  if (left?.startsWith('model')) return !size ? '3 model opened' : size < before.size ? '4 model in part' : '5 model before rename';
  if (left) return '7 page being written';
  if (read(page) !== before.page) return '8 page written';
  if (read(model) !== before.model) return '6 model written';
  return times.data === undefined ? '1 starting, reading' : '2 training, formatting';
}

/** Waits for fractions of a millisecond, which timers cannot. */
async function pause(milliseconds) {
  for (const end = performance.now() + milliseconds; performance.now() < end;) await new Promise(setImmediate);
}

async function main() {
  writeFileSync(data, rows());
  // Two complete runs: the new model and the times of its phases, then the old model.
  const { ended, times } = start('0.5');
  if ((await ended).code !== 0) throw new Error((await ended).stderr);
  const whole = read(model);
  const old = start('0.25');
  if ((await old.ended).code !== 0) throw new Error((await old.ended).stderr);
  const before = { model: read(model), page: read(page), size: Buffer.byteLength(whole) };
  if (before.model === whole) throw new Error('The old and the new model are equal: the test could not tell them apart');
  const since = (from, to) => Math.max(1, times[to] - times[from] || 0);
  console.log(
    `A run takes ${times.end.toFixed(0)} ms, and writes ${before.size} bytes of model in ${since('opened', 'model').toFixed(1)} ms of them`,
  );

  const aims = [
    () => wait(uniform() * times.end),
    ({ seen }) => seen(uniform() * before.size),
    async ({ seen }) => [await seen(before.size), await pause(uniform() * since('opened', 'model') * 0.3)],
    async ({ seen }) => [await seen('model'), await pause(uniform() * since('model', 'end'))],
    async ({ seen }) => [await seen('page'), await pause(uniform() * since('page', 'end') * 0.3)],
  ];
  const table = new Map();
  const faults = [];
  let [done, late, left] = [0, 0, 0];
  for (let k = 0; done < kills; k++) {
    writeFileSync(model, before.model);
    writeFileSync(page, before.page);
    const signal = k % 2 ? 'SIGINT' : 'SIGKILL';
    const run = start('0.5');
    await aims[(k >> 1) % aims.length](run);
    const at = signal === 'SIGINT' && phase(run.child.pid, run.times, before);
    const sent = run.child.kill(signal);
    const end = await run.ended;
    const where = at || phase(run.child.pid, run.times, before);
    const now = read(model);
    const outcome = now === before.model ? 'old' : now === whole ? 'new' : undefined;
    const told = `kill ${k}, ${signal}, ${where}: ${end.signal ?? end.code} ${end.stderr.trim().split('\n').at(-1)}`;
    if (!outcome) faults.push(`${told}: the model is neither the old nor the new one (${now.length} characters)`);
    else LinearSvm.fromLiblinear(now);
    const shown = read(page);
    if (shown !== before.page && !(shown.startsWith('<!doctype html>') && shown.endsWith('</html>\n'))) {
      faults.push(`${told}: the page is neither the old nor a whole one`);
    }
    const remains = temporaries().filter((name) => name.includes(`.${run.child.pid}-`)).length;
    left += remains;
    // Ctrl-C removes temporary files, and the exit code tells which model is there.
    if (signal === 'SIGINT' && end.signal === null) {
      const right = end.code === 130 ? outcome === 'old' && end.stderr.includes('nothing was written') : end.code === 0;
      if (!right || (end.code === 0 && outcome !== 'new') || remains > 0) faults.push(`${told}: ${outcome} model, ${remains} left`);
    }
    if (!sent) {
      late++; // the run had already ended
      continue;
    }
    done++;
    const row = table.get(where) ?? table.set(where, { SIGKILL: 0, SIGINT: 0, old: 0, new: 0 }).get(where);
    row[signal]++;
    if (outcome) row[outcome]++;
  }
  console.table(Object.fromEntries([...table].sort(([a], [b]) => (a < b ? -1 : 1))));

  // A later run removes the temporary files that SIGKILL left behind, if they are older than a minute.
  const remaining = temporaries();
  const earlier = new Date(Date.now() - 61_000);
  for (const name of remaining) utimesSync(join(folder, name), earlier, earlier);
  const last = await start('0.5').ended;
  if (last.code !== 0 || read(model) !== whole) faults.push(`the run after the last kill: ${last.code} ${last.stderr}`);
  if (temporaries().length > 0) faults.push(`still there: ${temporaries().join(', ')}`);
  console.log(
    `${done} kills (seed ${seed}; ${late} more came too late): ${faults.length} files that were neither old nor new. ` +
      `SIGKILL left ${left} temporary files, ${remaining.length} were there at the end, and none after one more run.`,
  );
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

main().finally(() => rmSync(folder, { recursive: true }));
