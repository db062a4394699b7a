// Runs the scripts of examples/cluster on a Slurm of one node, set up in a temporary folder and torn down afterwards:
//   node scripts/test-slurm.js
// Needs root (slurmd does) and Debian's slurm-wlm, which brings munge. Nothing outside the folder is written, and nothing listens beyond
// the loopback interface.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const root = join(__dirname, '..');
const folder = fs.mkdtempSync(join(os.tmpdir(), 'fista-slurm-'));
const daemons = [];

function fail(message) {
  throw new Error(message);
}

function run(command, args, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SLURM_CONF: join(folder, 'slurm.conf'), ...env },
  });
  if (error || status !== 0) fail(`${command} ${args.join(' ')}: ${error ? error.message : `exit ${status}: ${stderr}${stdout}`}`);
  return stdout.trim();
}

function daemon(command, args) {
  const log = fs.openSync(join(folder, `${command}.out`), 'w');
  const child = spawn(`/usr/sbin/${command}`, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') },
  });
  child.on('error', () => undefined);
  daemons.unshift(child);
}

/** Waits for something to be true. */
async function until(what, holds) {
  for (let waited = 0; waited < 60; waited++) {
    if (holds()) return;
    await sleep(1000);
  }
  const logs = fs.readdirSync(folder).filter((name) => /\.(log|out)$/.test(name));
  for (const name of logs) process.stderr.write(`--- ${name}\n${fs.readFileSync(join(folder, name), 'utf8').slice(-2000)}\n`);
  fail(`Waited in vain for ${what}`);
}

function quiet(command, args) {
  try {
    return run(command, args);
  } catch {
    return '';
  }
}

async function main() {
  for (const name of ['munged', 'slurmctld', 'slurmd']) {
    if (!fs.existsSync(`/usr/sbin/${name}`)) fail(`Found no ${name}: install Debian's slurm-wlm`);
  }
  if (process.getuid() !== 0) fail('Expected to be root, which slurmd needs to be');
  const host = os.hostname().split('.')[0];
  const socket = join(folder, 'munge.socket');
  fs.chmodSync(folder, 0o755); // munge asks for it
  fs.writeFileSync(join(folder, 'munge.key'), require('node:crypto').randomBytes(128), { mode: 0o400 });
  fs.writeFileSync(
    join(folder, 'slurm.conf'),
    `ClusterName=fista
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=${socket}
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${os.availableParallelism()} State=UNKNOWN
PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP
`,
  );
  for (const name of ['state', 'spool']) fs.mkdirSync(join(folder, name));
  const munge = ['--foreground', '--force', `--key-file=${folder}/munge.key`, `--socket=${socket}`];
  daemon('munged', [
    ...munge,
    `--pid-file=${folder}/munged.pid`,
    `--log-file=${folder}/munged.log`,
    `--seed-file=${folder}/munge.seed`,
  ]);
  await until('munged', () => fs.existsSync(socket));
  daemon('slurmctld', ['-D']);
  daemon('slurmd', ['-D', '-N', host]);
  await until('the node to be idle', () => /idle/.test(quiet('sinfo', ['-h', '-o', '%t'])));
  console.log(`slurm ${run('sinfo', ['--version'])}: ${run('sinfo', ['-h', '-o', '%P %D node, %c CPUs, %t'])}`);

  const data = join(root, 'test', 'fixtures', 'wdbc.libsvm.gz');
  const bin = `node ${join(root, 'bin', 'fista-classify.js')}`;
  const env = { FISTA_CLASSIFY: bin };
  const script = (name) => join(root, 'examples', 'cluster', name);
  const job = run('sbatch', ['--parsable', script('sweep.sbatch'), data, 'results'], env);
  const end = run('sbatch', ['--parsable', `--dependency=afterok:${job}`, script('merge.sbatch'), 'results'], env);
  console.log(`sweep.sbatch is job ${job} (an array of 5), merge.sbatch job ${end}`);
  const log = join(folder, `merge-${end}.log`);
  await until('the merged table', () => fs.existsSync(log) && quiet('squeue', ['-h']) === '' && fs.statSync(log).size > 0);
  console.log(fs.readFileSync(log, 'utf8').trim());

  const words = ['train', '-v', '5', '-c', '0.01,0.1,1,10', '--json', data];
  const single = JSON.parse(run(process.execPath, [join(root, 'bin', 'fista-classify.js'), ...words]));
  const merged = JSON.parse(fs.readFileSync(join(folder, 'results', 'table.json'), 'utf8'));
  for (const result of [single, merged]) delete result.elapsed;
  if (JSON.stringify(single) !== JSON.stringify(merged)) fail('The merged table differs from that of a single run');
  console.log('The merged table is that of a single run, bit for bit.');

  const addon = join(root, 'build-mpi-openmpi', 'fista_classify_mpi.node');
  if (!fs.existsSync(addon)) {
    console.log('Left out: train-mpi.sbatch, as the addon for Open MPI was not built (npm run test:mpi builds it)');
    return;
  }
  run(process.execPath, [join(root, 'bin', 'fista-classify.js'), 'convert', data, 'wdbc.fds']);
  const mpirun = `mpirun.openmpi --oversubscribe ${process.getuid() === 0 ? '--allow-run-as-root' : ''}`;
  const tasks = String(Math.min(2, os.availableParallelism()));
  const mpi = run('sbatch', ['--parsable', `--ntasks=${tasks}`, script('train-mpi.sbatch'), 'wdbc.fds', 'model.json'], {
    ...env,
    MPIRUN: mpirun,
    FISTA_CLASSIFY_MPI_BINARY: addon,
  });
  console.log(`train-mpi.sbatch is job ${mpi}, of ${tasks} tasks`);
  const train = join(folder, `train-${mpi}.log`);
  await until('the model', () => quiet('squeue', ['-h']) === '' && fs.existsSync(train));
  console.log(fs.readFileSync(train, 'utf8').trim());
  if (!fs.existsSync(join(folder, 'model.json'))) fail('train-mpi.sbatch wrote no model');
}

main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(async () => {
    // slurmctld forks nothing; slurmd's steps have ended.
    for (const child of daemons) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      const ended = new Promise((done) => child.on('exit', done));
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(5000).then(() => child.kill('SIGKILL'))]);
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });
