// The machine, versions and time of a measurement.
'use strict';
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const os = require('node:os');

function firstLine(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')[0];
  } catch {
    return 'none';
  }
}

/** Linux's fields of the first core: vendor, family, flags. */
function cpuFields() {
  try {
    const block = readFileSync('/proc/cpuinfo', 'utf8').split('\n\n')[0];
    return Object.fromEntries(block.split('\n').map((line) => line.split(/\s*:\s*/)));
  } catch {
    return {};
  }
}

const cpu = cpuFields();
const family = cpu['cpu family'] ? ` (family ${cpu['cpu family']}, model ${cpu.model})` : '';

module.exports = {
  date: new Date().toISOString().slice(0, 16).replace('T', ' '),
  cpu: `${os.cpus()[0]?.model.trim() ?? 'unknown'}${family}, ${os.availableParallelism()} cores in use`,
  load: `${os.loadavg()[0].toFixed(2)} before the run (cores in use by other programs)`,
  system: `${os.type()} ${os.release()} ${os.arch()}`,
  node: process.version,
  compiler: firstLine(process.env.CXX || 'g++', '--version'),
};
Object.defineProperty(module.exports, 'fields', { value: cpu, enumerable: false });
