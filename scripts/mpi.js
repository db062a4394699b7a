// What the tests and benchmarks of MPI share: the MPIs that are installed, an addon for each of them, and how to start ranks. Debian's names
// tell the two MPIs apart: mpicc.openmpi, mpirun.mpich and so on.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { root } = require('./tools.js');

const MPIS = {
  openmpi: {
    name: 'Open MPI',
    flags: ['--oversubscribe', '--bind-to', 'none', ...(process.getuid?.() === 0 ? ['--allow-run-as-root'] : [])],
  },
  mpich: { name: 'MPICH', flags: [] },
};

const addonOf = (mpi) => join(root, `build-mpi-${mpi}`, 'fista_classify_mpi.node');

/** Runs the command line. */
function fista(words, env = {}) {
  return spawnSync(process.execPath, [join(root, 'bin', 'fista-classify.js'), ...words], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

/** The MPIs that are installed. */
function installed() {
  return Object.keys(MPIS).filter((mpi) => spawnSync(`mpirun.${mpi}`, ['--version']).status === 0);
}

/** Compiles the addon for an MPI, and returns what that is. */
function build(mpi) {
  const { status, stdout, stderr } = fista(['build', '--mpi', '--json', '-q', '--output', join(root, `build-mpi-${mpi}`)], {
    FISTA_CLASSIFY_MPICC: `mpicc.${mpi}`,
  });
  if (status !== 0) throw new Error(`build --mpi for ${mpi}: ${stderr}${stdout}`);
  return JSON.parse(stdout).mpi;
}

/** Starts ranks of one thread each, which run `words` of node, and calls back with the child. */
function mpirun(mpi, ranks, words, { env = {}, cwd = root, started = () => undefined } = {}) {
  return new Promise((done) => {
    const began = Date.now();
    const child = spawn(`mpirun.${mpi}`, [...MPIS[mpi].flags, '-n', String(ranks), process.execPath, ...words], {
      cwd,
      env: { ...process.env, FISTA_CLASSIFY_MPI_BINARY: addonOf(mpi), FISTA_CLASSIFY_THREADS: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), 300_000);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      done({ status, signal, stdout, stderr, seconds: (Date.now() - began) / 1000 });
    });
    started(child);
  });
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Counts what passed, and prints it. */
class Tally {
  passed = 0;
  failed = 0;

  say(title, error = '') {
    if (error === '') this.passed++;
    else this.failed++;
    console.log(error === '' ? `ok      ${title}` : `FAILED  ${title}: ${error}`);
  }

  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}

module.exports = { MPIS, addonOf, alive, build, fista, installed, mpirun, Tally };
