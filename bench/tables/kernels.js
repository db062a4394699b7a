// The kernels compared with their bounds: a streaming read of the same bytes, OpenBLAS, a plain loop, a sort. Each ratio is shown
// twice: as the median over the rounds of the ratio within a round, and as the ratio of the best times.
'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { loadavg, tmpdir } = require('node:os');
const { join } = require('node:path');
const { buildKernels } = require('../build.js');

const best = (list) => Math.min(...list);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** The speed of this trial relative to `reference`. */
function speed(trial, reference) {
  return {
    median: median(trial.seconds.map((t, k) => reference.seconds[k] / t)),
    best: best(reference.seconds) / best(trial.seconds),
  };
}
/** The time of this trial relative to `reference`. */
function sweeps(trial, reference) {
  return {
    median: median(trial.seconds.map((t, k) => t / reference.seconds[k])),
    best: best(trial.seconds) / best(reference.seconds),
  };
}

/** The rate at which the matrix is read, in GB/s. */
const rate = (trial, of) => trial.bytes / of(trial.seconds) / 1e9;

const digits = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);
const show = (ratio) => (ratio ? `${digits(ratio.median)} | ${digits(ratio.best)}` : '');

/** Whether a target is met: unclear if the two ratios disagree. */
function verdict(ratio, target) {
  if (!ratio || !target) return '';
  const reached = [ratio.median, ratio.best].map((x) => (target.min === undefined ? x <= target.max : x >= target.min));
  const wanted = target.min === undefined ? `≤ ${target.max}` : `≥ ${target.min}`;
  return `${wanted} ${reached.every(Boolean) ? 'met' : reached.some(Boolean) ? 'unclear' : 'MISSED'}`;
}

/** Formats columns as wide as their widest cell; the first is left-justified. */
function layout(rows) {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  return rows
    .map((row) => row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('   '))
    .join('\n');
}

const bandwidthTarget = (level, where, cols) => {
  if (where !== 'memory' || !['avx512', 'avx2'].includes(level)) return undefined;
  return { min: cols < 100 ? 0.7 : level === 'avx512' ? 0.85 : 0.75 };
};

/** Every ratio of one run of the program, with its target, as [{ table, row, column, ratio, target }]. */
function measure(trials, level, isBest) {
  const groups = new Map();
  for (const trial of trials) {
    if (!groups.has(trial.group)) groups.set(trial.group, new Map());
    groups.get(trial.group).set(trial.name, trial);
  }
  const cells = [];
  const only = (target) => (isBest ? target : undefined); // targets apply to the best level of this CPU
  for (const [group, of] of groups) {
    const add = (table, row, column, ratio, target) => cells.push({ table, row, column, ratio, target });
    const [kind, where, type, cols] = group.split(' ');
    if (kind === 'dense') {
      const size = { memory: '256 MB, in memory', L3: '8 MB, in the third-level cache', L2: '1 MB, in the second-level cache' };
      const table = `dense ${type}, ${size[where]}`;
      for (const kernel of ['X·w', 'Xᵀu']) {
        const [one, two, read, readTwo] = [kernel, `${kernel}, 2 threads`, 'read', 'read, 2 threads'].map((name) => of.get(name));
        const row = `${kernel} d = ${cols}`;
        add(table, row, 'GB/s', { median: rate(one, median), best: rate(one, best) });
        add(table, row, 'of a read', speed(one, read), bandwidthTarget(level, where, Number(cols)));
        const blas = of.get(`OpenBLAS ${kernel}`);
        if (blas) add(table, row, 'of OpenBLAS', speed(one, blas), where === 'memory' ? only({ min: 1 }) : undefined);
        add(table, row, '2 threads / 1', speed(two, one), only({ min: 1.7 }));
        add(table, row, 'read 2 / 1', speed(readTwo, read));
        add(table, row, '2 of a read by 2', speed(two, readTwo));
      }
    } else if (kind === 'CSR') {
      const kernel = where;
      const table = 'sparse a9a, 16-bit columns and no values';
      add(
        table,
        kernel,
        'of a plain loop',
        speed(of.get(kernel), of.get('plain loop')),
        only({ min: kernel === 'X·w' ? 1.8 : 1.3 }),
      );
      add(table, kernel, '2 threads / 1', speed(of.get(`${kernel}, 2 threads`), of.get(kernel)), only({ min: 1.7 }));
    } else if (kind === 'planes') {
      const table = 'several planes, dense f64 of 160 MB and sparse a9a';
      for (const k of [10, 45]) {
        for (const by of ['', ', 2 threads']) {
          const these = of.get(`${k}${by}`);
          if (!these) continue;
          const row = `${k} planes${where === 'CSR' ? ', CSR' : ` d = ${where}`}${by}`;
          add(
            table,
            row,
            'times one plane',
            sweeps(these, of.get(`1${by}`)),
            where === '100' && k === 10 ? only({ max: 2 }) : undefined,
          );
          const blas = of.get(`OpenBLAS ${k}${by}`);
          if (blas) add(table, row, 'of OpenBLAS', speed(these, blas), k === 45 ? only({ min: 0.6 }) : undefined);
        }
      }
    } else if (kind === 'knapsack') {
      const table = 'knapsack n = 1,000,000';
      for (const [name, max] of [
        ['warm', 6],
        ['cold', 30],
      ]) {
        add(table, name, 'sweeps', sweeps(of.get(name), of.get('sweep')), only({ max }));
        add(table, name, 'of a sort', speed(of.get(name), of.get('sort')), only({ min: 4 }));
        add(table, name, '2 threads / 1', speed(of.get(`${name}, 2 threads`), of.get(name)), undefined);
      }
    } else {
      const table = 'cones, 128 MB';
      const row = group.replace('cones ', '');
      add(table, row, 'sweeps', sweeps(of.get('project'), of.get('sweep')), only({ max: 3 }));
      add(table, row, 'copy, in sweeps', sweeps(of.get('copy'), of.get('sweep')));
      add(table, row, '2 threads / 1', speed(of.get('project, 2 threads'), of.get('project')));
    }
  }
  return cells;
}

function printCells(cells, print) {
  for (const table of new Set(cells.map((cell) => cell.table))) {
    const here = cells.filter((cell) => cell.table === table);
    const columns = [...new Set(here.map((cell) => cell.column))];
    const judged = columns.flatMap((column) =>
      here.some((cell) => cell.column === column && cell.target) ? [column, ''] : [column],
    );
    const rows = [...new Set(here.map((cell) => cell.row))].map((row) => [
      row,
      ...columns.flatMap((column) => {
        const cell = here.find((c) => c.row === row && c.column === column);
        const texts = [show(cell?.ratio)];
        if (here.some((c) => c.column === column && c.target)) texts.push(verdict(cell?.ratio, cell?.target));
        return texts;
      }),
    ]);
    print(`\n${table}\n${layout([['', ...judged], ...rows])}`);
  }
}

/** The core type for OpenBLAS 0.3.21, which chooses a poor one for newer Intel CPUs. */
function blasCore({ fields }) {
  const intel = fields.vendor_id === 'GenuineIntel' && / avx512f /.test(` ${fields.flags} `);
  return process.env.OPENBLAS_CORETYPE || (intel ? 'SkylakeX' : undefined);
}

function run({ machine, print, data }) {
  if (process.platform === 'win32') {
    print('Left out: the measuring program needs a POSIX system.');
    return undefined;
  }
  const program = buildKernels();
  const text = data('a9a');
  const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
  const file = text === undefined ? '-' : join(folder, 'a9a');
  if (text !== undefined) writeFileSync(file, text);
  const core = blasCore(machine);
  const env = { ...process.env, ...(core && { OPENBLAS_CORETYPE: core }) };
  const levels = execFileSync(program, { encoding: 'utf8' }).trim().split('\n').reverse();
  print('Each ratio twice: median of the rounds | ratio of the best times. A target is unclear if the two disagree.');
  const results = {};
  try {
    for (const level of levels) {
      const { stdout, stderr, status } = spawnSync(program, [level, file], { env, encoding: 'utf8', maxBuffer: 1 << 26 });
      if (status !== 0) throw new Error(`bench/kernels.cc ended with ${status} at ${level}: ${stderr}`);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const trials = lines.filter((line) => line.seconds);
      const cells = measure(trials, level, level === levels[0]);
      const blas = lines[0].openblas ? `OpenBLAS (${lines[0].openblas} kernels, one thread)` : 'OpenBLAS is not installed';
      print(`\n---- ${level}; ${blas}; load ${loadavg()[0].toFixed(2)} (1: nothing else runs)`);
      printCells(cells, print);
      results[level] = { openblas: lines[0].openblas, cells, trials };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { levels: results };
}

module.exports = { name: 'kernels', describe: 'inner loops against memory bandwidth, OpenBLAS, plain loops and a sort', run };
