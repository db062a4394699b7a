// Starts bench/ranks-child.js by itself or as the ranks of each MPI that is installed, under Debian's names: mpirun.openmpi, mpirun.mpich.
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { addonOf, build, installed, MPIS } = require('../scripts/mpi.js');

const CHILD = join(__dirname, 'ranks-child.js');

/** The MPIs that can be used; builds their addons where there are none, and says what is left out. */
function findMpis(print) {
  return Object.keys(MPIS).filter((mpi) => {
    if (!installed().includes(mpi)) {
      print(`${MPIS[mpi].name} is left out: found no mpirun.${mpi}.`);
      return false;
    }
    if (existsSync(addonOf(mpi))) return true;
    try {
      build(mpi);
    } catch (error) {
      print(`${MPIS[mpi].name} is left out: its addon was not built: ${error.message}`);
      return false;
    }
    return true;
  });
}

const running = new Set();

/** From now on, an end of this process ends what it has started, too. mpirun ends its ranks. */
function endWithProcess() {
  process.once('exit', () => {
    for (const child of running) child.kill('SIGTERM');
  });
  // Without a listener, a signal ends the process with no event.
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
    process.once(signal, () => process.exit(code));
}

/** How long ranks may take to end after the last has its result, in ms. */
const PATIENCE = 10_000;

/**
 * Runs a command whose rank 0 prints a line RESULT, and returns what that says. MPICH before 4.2 may hang in MPI_Finalize over UCX: a rank
 * that waits for the launcher no longer answers one that closes its connection (https://github.com/pmodels/mpich/pull/6596). Its result
 * counts, with `hung` set, and `end` ends it.
 */
function runChild(command, args, { env, end } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      env: { ...process.env, FISTA_CLASSIFY_THREADS: undefined, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let [stdout, stderr] = ['', ''];
    let hung = false;
    let timer;
    const resultOf = () => /^RESULT (.*)\n/m.exec(stdout)?.[1];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (timer || !resultOf()) return;
      timer = setTimeout(() => {
        hung = true;
        child.kill('SIGTERM');
        end?.();
      }, PATIENCE);
    });
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('error', failed);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      running.delete(child);
      const result = resultOf();
      if (result && (status === 0 || hung)) done({ ...JSON.parse(result), hung });
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
    { env: environment(mpi) },
  );

/** What makes mpirun start one rank on each host, by the hosts' own shell, and lets ranks talk by TCP alone. */
const OVER_NETWORK = {
  openmpi: ({ addresses, device, folder, shell }) =>
    Object.entries({
      plm_rsh_agent: shell,
      orte_tmpdir_base: folder,
      pml: 'ob1',
      btl: 'tcp,self',
      btl_tcp_if_include: device,
      oob_tcp_if_include: device,
    })
      .flatMap(([name, value]) => ['--mca', name, value])
      .concat(
        '--host',
        addresses.join(),
        ...['FISTA_CLASSIFY_MPI_BINARY', 'OMPI_MCA_mpi_yield_when_idle'].flatMap((name) => ['-x', name]),
      ),
  mpich: ({ addresses, device, shell }) => [
    ...['-launcher', 'ssh', '-launcher-exec', shell, '-iface', device, '-hosts', addresses.join()],
    ...['-genv', 'MPIR_CVAR_NOLOCAL', '1', '-genv', 'UCX_TLS', 'tcp,self', '-genv', 'UCX_NET_DEVICES', device],
  ],
};

/** Settings that send long messages at once, and do not ask the other rank first. */
const UNASKED = { OMPI_MCA_btl_tcp_eager_limit: String(2 ** 24), UCX_RNDV_THRESH: 'inf' };

/** One rank on each of two hosts of bench/namespaces.js; mpirun is on the first. */
const runOverNetwork = (mpi, hosts, task, unasked = false) =>
  runChild(
    'ip',
    [
      ...['netns', 'exec', hosts.names[0], 'unshare', '--uts', 'sh', '-c', 'hostname "$0"; exec "$@"', hosts.names[0]],
      ...[`mpirun.${mpi}`, ...MPIS[mpi].flags, ...OVER_NETWORK[mpi](hosts), '-n', '2'],
      ...[process.execPath, CHILD, JSON.stringify({ ...task, ranks: true, device: hosts.device })],
    ],
    { env: { ...environment(mpi), ...(unasked && UNASKED) }, end: hosts.endProcesses },
  );

module.exports = { MPIS, findMpis, endWithProcess, runAlone, runRanks, runOverNetwork };
