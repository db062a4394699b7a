// Builds and runs bench/plain-esp.cc with -O3.
'use strict';
const { execFileSync } = require('node:child_process');
const { mkdirSync } = require('node:fs');
const { join } = require('node:path');

/** Milliseconds per iteration of the plain loop, or undefined without a compiler. */
function plainLoop(n, m, d) {
  const folder = join(__dirname, '..', 'build-bench');
  const program = join(folder, 'plain-esp');
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync(process.env.CXX || 'g++', ['-O3', '-std=c++17', join(__dirname, 'plain-esp.cc'), '-o', program], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  return Number(execFileSync(program, [n, m, d].map(String), { encoding: 'utf8' }).split(' ')[0]);
}

module.exports = { plainLoop };
