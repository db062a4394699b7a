// Builds prebuilds/<platform>-<arch>/ for this machine, or on x64 Linux for another: npm run prebuildify -- --arch arm64
'use strict';
const { cpSync, mkdirSync, readdirSync, rmSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs, promisify } = require('node:util');
const prebuildify = promisify(require('prebuildify'));
const { checkSymbols } = require('./check-symbols.js');
const { root, cross, jobs } = require('./tools.js');

const { platform } = process;
const { arch } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } }).values;

async function main() {
  // Built in a copy, so that build/ of the working tree, which is loaded there, stays as it is.
  const stage = join(root, `build-${arch}`, 'prebuild');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  for (const part of ['package.json', 'binding.gyp', 'native']) cpSync(join(root, part), join(stage, part), { recursive: true });

  let prefix = '';
  if (arch !== process.arch) {
    const { triple, nodedir } = cross(arch);
    prefix = `${triple}-`;
    const compilers = { CC: 'gcc', CXX: 'g++', LINK: 'g++', AR: 'ar' };
    for (const [variable, tool] of Object.entries(compilers)) process.env[variable] = prefix + tool;
    process.env.npm_config_nodedir = nodedir;
  }
  process.env.npm_config_jobs = jobs; // for node-gyp, which compiles one file at a time otherwise
  await prebuildify({
    arch,
    napi: true,
    strip: true,
    stripBin: `${prefix}strip`,
    tagLibc: platform === 'linux', // by the loader's rule: Alpine is musl
    targets: [process.versions.node],
    cwd: stage,
    out: root,
  });

  const folder = join(root, 'prebuilds', `${platform}-${arch}`);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const needs = name.endsWith('.glibc.node') ? checkSymbols(file, `${prefix}objdump`) : {};
    const versions = Object.entries(needs).map(([library, version]) => `, ${library} ${version}`);
    console.log(`prebuilds/${platform}-${arch}/${name}: ${(statSync(file).size / 1024).toFixed(0)} kB${versions.join('')}`);
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
