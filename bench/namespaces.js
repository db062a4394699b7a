// Two hosts on one machine: network namespaces, joined by bench/relay.c, which delays what they say to each other. Linux, as root, with
// iproute2, util-linux and a C compiler.
'use strict';
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const BUILD = join(__dirname, '..', 'build-bench');
const ADDRESSES = ['10.213.71.1', '10.213.71.2']; // in namespaces of their own, so nobody else's matter
const DEVICE = 'tun0';

/** What is missing here, in words; empty if nothing is. */
function missing() {
  const commands = { ip: 'iproute2', unshare: 'util-linux', hostname: 'hostname', ping: 'iputils-ping', cc: 'gcc' };
  return [
    ...(process.platform === 'linux' ? [] : ['Linux']),
    ...(process.getuid?.() === 0 ? [] : ['root, to make network namespaces']),
    ...(existsSync('/dev/net/tun') ? [] : ['/dev/net/tun, from the kernel module tun']),
    ...Object.entries(commands)
      .filter(([command]) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0)
      .map(([command, from]) => `the command ${command} (Debian: ${from})`),
  ];
}

/** Makes the hosts and the relay between them. remove() ends every process in them. */
async function makeHosts() {
  mkdirSync(BUILD, { recursive: true });
  const program = join(BUILD, 'relay');
  execFileSync('cc', ['-O2', '-Wall', '-o', program, join(__dirname, 'relay.c')]);
  const names = ['a', 'b'].map((end) => `fista-${process.pid}-${end}`);
  const folder = mkdtempSync(join(tmpdir(), 'fista-net-'));
  let relay;
  const ip = (...words) => execFileSync('ip', words, { encoding: 'utf8' });

  /** Ends all processes on the hosts. */
  const endProcesses = () => {
    for (const name of names) {
      const { stdout } = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' });
      for (const pid of (stdout ?? '').split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It ended meanwhile.
        }
      }
    }
  };

  let removed = false;
  /** Synchronous, as it is called when the process exits. */
  const remove = () => {
    if (removed) return;
    removed = true;
    relay?.kill('SIGKILL');
    endProcesses();
    for (const name of names) spawnSync('ip', ['netns', 'del', name]);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);

  try {
    for (const name of names) ip('netns', 'add', name);
    relay = spawn(program, [names[0], DEVICE, names[1], DEVICE], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: relay.stdout })[Symbol.asyncIterator]();
    const answer = async (expected) => {
      const { value } = await lines.next();
      if (value !== expected) throw new Error('The relay did not start');
    };
    await answer('ready');
    names.forEach((name, k) => {
      ip('-n', name, 'addr', 'add', ADDRESSES[k], 'peer', ADDRESSES[1 - k], 'dev', DEVICE);
      // Room for what TCP sends at once, or packets are lost, which a quiet network does not do.
      ip('-n', name, 'link', 'set', DEVICE, 'txqueuelen', '10000', 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
    });
    // Runs a command on the host of an address, with a host name of its own: MPIs tell by it who shares memory. Stands in for ssh, which
    // joins its words to one command for a shell.
    const shell = join(folder, 'on-host');
    const cases = ADDRESSES.map((address, k) => `  ${address}) name=${names[k]} ;;`).join('\n');
    writeFileSync(
      shell,
      `#!/bin/sh\nwhile [ "\${1#-}" != "$1" ]; do shift; done\naddress=$1\nshift\ncase $address in\n${cases}\n  *) echo "no host $address" >&2; exit 1 ;;\nesac\n` +
        `exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"\n`,
    );
    chmodSync(shell, 0o755);

    /** Sets the delay of a message in ms, and bytes per second (0: unlimited). */
    const set = async (delay, rate) => {
      relay.stdin.write(`${1000 * delay} ${rate}\n`);
      await answer('set');
    };
    /** The median time of a packet there and back, in ms. */
    const ping = () => {
      const out = ip('netns', 'exec', names[0], 'ping', '-i', '0.01', '-c', '50', ADDRESSES[1]);
      const times = [...out.matchAll(/time=([\d.]+)/g)].map((match) => Number(match[1])).sort((a, b) => a - b);
      return times[times.length >> 1];
    };
    return { addresses: ADDRESSES, device: DEVICE, names, folder, shell, set, ping, endProcesses, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

module.exports = { missing, makeHosts };
