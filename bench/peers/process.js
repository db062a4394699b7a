// Other solvers as processes that hold the data and train when asked: see driver.h for the file and the lines.
'use strict';
const { execFileSync, spawn } = require('node:child_process');
const { closeSync, mkdirSync, openSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const root = join(__dirname, '..', '..');
const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function writeProblem(file, { points, labels }) {
  const { rows, cols, data, indptr, indices, values } = points;
  const kind = data ? (data instanceof Float32Array ? 0 : 1) : values ? 3 : 2;
  const stored = data ? data.length : indices.length;
  const out = openSync(file, 'w');
  const write = (array) => {
    const bytes = bytesOf(array);
    for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at, Math.min(bytes.length - at, 2 ** 30));
  };
  write(BigInt64Array.from([kind, rows, cols, stored], BigInt));
  write(Float64Array.from(labels));
  if (data) write(data);
  else {
    write(BigInt64Array.from(indptr, BigInt));
    write(Int32Array.from(indices));
    if (values) write(Float64Array.from(values));
  }
  closeSync(out);
}

/** What writeProblem wrote, for small problems: { rows, cols, labels, row: (i) => dense numbers }. */
function readProblem(file) {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const [kind, rows, cols, stored] = Array.from(new BigInt64Array(buffer, 0, 4), Number);
  const labels = new Float64Array(buffer, 32, rows);
  let at = 32 + 8 * rows;
  const take = (Type, count) => {
    const array = new Type(buffer, at, count);
    at += count * Type.BYTES_PER_ELEMENT;
    return array;
  };
  if (kind < 2) {
    const data = take(kind === 0 ? Float32Array : Float64Array, rows * cols);
    return { rows, cols, labels, row: (i) => data.subarray(i * cols, (i + 1) * cols) };
  }
  const indptr = take(BigInt64Array, rows + 1);
  const indices = take(Int32Array, stored);
  const values = kind === 3 ? new Float64Array(buffer.slice(at, at + 8 * stored)) : undefined;
  const row = (i) => {
    const dense = new Float64Array(cols);
    for (let k = Number(indptr[i]); k < Number(indptr[i + 1]); k++) dense[indices[k]] = values ? values[k] : 1;
    return dense;
  };
  return { rows, cols, labels, row };
}

/** Compiles bench/peers/<name>.cc against the library of that name; undefined where either is missing. */
function buildDriver(name) {
  const program = join(root, 'build-bench', `peer-${name}`);
  mkdirSync(join(root, 'build-bench'), { recursive: true });
  const source = join(__dirname, `${name}.cc`);
  const args = ['-O2', '-std=c++17', source, '-o', program, `-l${name.replace(/^lib/, '')}`];
  try {
    execFileSync(process.env.CXX || 'g++', args, { stdio: 'ignore' });
    return [program];
  } catch {
    return undefined;
  }
}

/** A Python that has a module. */
function findPython(module) {
  for (const python of [process.env.PYTHON, 'python3', '/usr/bin/python3']) {
    if (!python) continue;
    try {
      execFileSync(python, ['-c', `import ${module}`], { stdio: 'ignore' });
      return python;
    } catch {
      continue;
    }
  }
  return undefined;
}

function findSklearn() {
  const python = findPython('sklearn');
  return python && [python, join(__dirname, 'driver.py')];
}

function findLibsvmJs() {
  try {
    require.resolve('libsvm-js');
    return [process.execPath, join(__dirname, 'libsvm-js.js')];
  } catch {
    return undefined;
  }
}

/** The solvers at hand, by name: how to start each. What is missing is said, with the way to install it. */
function findPeers(print, names) {
  const ways = {
    liblinear: [() => buildDriver('liblinear'), 'LIBLINEAR: apt-get install liblinear-dev g++'],
    libsvm: [() => buildDriver('libsvm'), 'LIBSVM: apt-get install libsvm-dev g++'],
    openblas: [() => buildDriver('openblas'), 'OpenBLAS: apt-get install libopenblas-dev g++'],
    sklearn: [findSklearn, 'scikit-learn: apt-get install python3-sklearn, or name a Python that has it by PYTHON'],
    'libsvm-js': [findLibsvmJs, 'libsvm-js: npm ci'],
  };
  const found = {};
  for (const name of names) {
    const [find, install] = ways[name];
    found[name] = find();
    if (!found[name]) print(`Left out: ${install}.`);
  }
  return found;
}

/** One solver with one problem in its memory; or anything else that answers lines. */
class Peer {
  #begin;
  #child;
  #lines;
  #weights;
  #ended;
  version;

  /** Starts it and waits until the problem is read. */
  static async start([command, ...args], problem, weights) {
    const peer = new Peer();
    peer.#weights = weights;
    peer.#begin = async () => {
      peer.#child = spawn(command, [...args, problem, weights], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
      });
      peer.#ended = new Promise((resolve) => peer.#child.once('exit', resolve));
      peer.#lines = createInterface({ input: peer.#child.stdout })[Symbol.asyncIterator]();
      peer.version = (await peer.#answer()).version;
    };
    await peer.#begin();
    return peer;
  }

  async #answer() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the solver ended by itself');
    return JSON.parse(value);
  }

  /** The answer to a line, or undefined if it took longer than `limit` seconds: it is then ended, and begun anew when next asked. */
  async ask(line, limit = 3600) {
    if (this.#child === undefined) await this.#begin();
    this.#child.stdin.write(`${line}\n`);
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limit * 1000)));
    const answer = await Promise.race([this.#answer(), late]);
    clearTimeout(timer);
    if (answer === undefined) {
      this.#child.kill('SIGKILL');
      await this.#ended;
      this.#child = undefined;
    }
    return answer;
  }

  /** Trains: { seconds, weights, bias }, or undefined as above. */
  async train(line, limit) {
    const answer = await this.ask(line, limit);
    if (answer === undefined) return undefined;
    const bytes = readFileSync(this.#weights);
    const w = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return { ...answer, weights: w.subarray(0, w.length - 1), bias: w[w.length - 1] };
  }

  async stop() {
    this.#child?.stdin.end();
    await this.#ended;
  }
}

module.exports = { writeProblem, readProblem, findPeers, findPython, Peer };
