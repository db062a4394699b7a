// Starts bench/ranks-child.js by itself or as the ranks of each MPI that is installed, under Debian's names: mpirun.openmpi, mpirun.mpich.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const CHILD = join(__dirname, 'ranks-child.js');

const MPIS = {
  openmpi: { name: 'Open MPI', flags: ['--allow-run-as-root', '--oversubscribe', '--bind-to', 'none'] },
  mpich: { name: 'MPICH', flags: [] },
};

const addonOf = (mpi) => join(root, `build-mpi-${mpi}`, 'fista_classify_mpi.node');

/** The MPIs that can be used; builds their addons where there are none, and says what is left out. */
function findMpis(print) {
  return Object.keys(MPIS).filter((mpi) => {
    if (spawnSync(`mpirun.${mpi}`, ['--version']).status !== 0) {
      print(`${MPIS[mpi].name} is left out: found no mpirun.${mpi}.`);
      return false;
    }
    if (existsSync(addonOf(mpi))) return true;
    const words = ['build', '--mpi', '-q', '--output', join(root, `build-mpi-${mpi}`)];
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin', 'fista-classify.js'), ...words], {
      encoding: 'utf8',
      env: { ...process.env, FISTA_CLASSIFY_MPICC: `mpicc.${mpi}` },
    });
    if (status !== 0) print(`${MPIS[mpi].name} is left out: its addon was not built: ${stderr.trim()}`);
    return status === 0;
  });
}

const running = new Set();

/** Ends what is still running. */
function endAll() {
  for (const child of running) child.kill('SIGTERM');
}

/** Runs a command whose rank 0 prints a line RESULT, and returns what that says. */
function runChild(command, args, env, limit = 1_800_000) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      env: { ...process.env, FISTA_CLASSIFY_THREADS: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const timer = setTimeout(() => child.kill('SIGTERM'), limit);
    child.on('error', failed);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      running.delete(child);
      const line = stdout.split('\n').find((one) => one.startsWith('RESULT '));
      if (status === 0 && line) done(JSON.parse(line.slice(7)));
      else failed(new Error(`${command} ${args.slice(0, -1).join(' ')} ended with ${signal ?? status}: ${stderr}${stdout}`));
    });
  });
}

const runAlone = (task) => runChild(process.execPath, [CHILD, JSON.stringify(task)]);

/** What a rank's environment needs. Ranks that wait let others run, as there may be more of them than cores. */
const environment = (mpi) => ({ FISTA_CLASSIFY_MPI_BINARY: addonOf(mpi), OMPI_MCA_mpi_yield_when_idle: '1' });

const runRanks = (mpi, ranks, task) =>
  runChild(
    `mpirun.${mpi}`,
    [...MPIS[mpi].flags, '-n', String(ranks), process.execPath, CHILD, JSON.stringify({ ...task, ranks: true })],
    environment(mpi),
  );

module.exports = { CHILD, MPIS, findMpis, environment, endAll, runChild, runAlone, runRanks };
