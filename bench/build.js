// Builds bench/kernels.cc and the kernels with the flags that ship: by CMake or, without it, by the compiler alone.
'use strict';
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const folder = join(root, 'build-bench');

function run(command, ...args) {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

function has(command) {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Builds the program and returns its path. */
function buildKernels() {
  const program = join(folder, 'kernels');
  if (has('cmake') && existsSync(join(root, 'CMakeLists.txt'))) {
    run('cmake', '-S', '.', '-B', folder, '-DCMAKE_BUILD_TYPE=Release');
    run('cmake', '--build', folder, '--target', 'kernels');
    return program;
  }
  mkdirSync(folder, { recursive: true });
  const compiler = process.env.CXX || 'g++';
  const list = JSON.parse(readFileSync(join(root, 'native', 'sources.gypi'), 'utf8')).variables;
  const flags = ['-std=c++17', ...list.common_flags, '-Inative/kernels'];
  const levels = process.arch === 'x64' ? { baseline: [], avx2: list.avx2_flags, avx512: list.avx512_flags } : { baseline: [] };
  if (process.arch === 'arm64') levels.neon = [];
  const objects = Object.entries(levels).map(([level, more]) => {
    const object = join(folder, `isa_${level}.o`);
    const defines = [`-DFISTA_ISA=${level}`, `-DFISTA_ISA_${level.toUpperCase()}`];
    run(compiler, ...flags, ...more, ...defines, '-c', list.isa_source, '-o', object);
    return object;
  });
  run(compiler, ...flags, 'bench/kernels.cc', ...list.kernel_sources, ...objects, '-o', program, '-ldl', '-lpthread');
  return program;
}

module.exports = { buildKernels };
