// Functions that the scripts share.
'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { basename, join } = require('node:path');

const root = join(__dirname, '..');

/** The number of compilers to run in parallel. */
const jobs = String(Math.min(availableParallelism(), 8));

/** Prints an error under the script's name, and ends the script. */
function fail(message) {
  console.error(`${basename(process.argv[1], '.js')}: ${message}`);
  process.exit(1);
}

/** Runs a command in the package's folder; if it fails, so does the script. */
function run(command, args, environment = {}) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) fail(`"${command} ${args.join(' ')}" ended with ${error?.message ?? signal ?? status}`);
}

/** Whether a command can be run and succeeds. */
const works = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** The compiler for tests with sanitizers: on Linux the one whose sanitizer is preloaded into node. */
const compiler = process.platform === 'linux' ? 'g++' : 'c++';

/**
 * Builds the addon and the C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer, and returns their folder. They share one,
 * as the kernels take long to compile.
 */
function buildSanitized() {
  const folder = 'build-asan';
  const flags = ['--CDFISTA_SANITIZE=address;undefined', `--CDCMAKE_CXX_COMPILER=${compiler}`, '--parallel', jobs];
  run(process.execPath, [require.resolve('cmake-js/bin/cmake-js'), 'build', '-O', folder, ...flags]);
  return folder;
}

/** Runs npm without a shell, so that it works the same on Windows. */
function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (!cli) throw new Error('Run this by "npm run", which sets the path of npm and the settings of node-gyp.');
  return execFileSync(process.execPath, [cli, ...args], { stdio: 'inherit', ...options });
}

/** Linux targets that an x64 machine can build for by cross-compilation and run under qemu-user. */
const CROSS = { arm64: { triple: 'aarch64-linux-gnu', emulator: 'qemu-aarch64', simd: 'neon' } };

/** The tools to build for another architecture and to run there. The headers and executable of its node come from npm. */
function cross(arch) {
  const tools = CROSS[arch];
  if (!tools || process.platform !== 'linux' || process.arch === arch) {
    throw new Error(`Cannot build for ${arch} on ${process.platform}-${process.arch}`);
  }
  const name = `node-linux-${arch}`;
  // Not a devDependency: it has 150 MB, and only cross-compilation needs it.
  const cache = join(root, `build-${arch}`, `node-${process.versions.node}`);
  const node = join(cache, 'node_modules', name);
  if (!existsSync(join(node, 'bin', 'node'))) {
    mkdirSync(cache, { recursive: true });
    // --force: npm refuses packages for another CPU.
    npm(['install', '--prefix', cache, '--no-save', '--no-package-lock', '--force', `${name}@${process.versions.node}`]);
  }
  return { ...tools, nodedir: node, node: join(node, 'bin', 'node') };
}

module.exports = { root, jobs, fail, run, works, compiler, buildSanitized, npm, cross };
