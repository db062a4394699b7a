// Installs the packed package by name in empty folders, and again from the lockfile, with every package manager, on every supported Node
// and on bun and deno, where nothing can be compiled, and uses it there. Prints a table; fails unless every cell has the native backend, no warning and exit code 0.
//   npm run test:matrix                  every package manager on every Node, the package managers' own runtimes, TypeScript's settings
//   --quick                              one cell a runtime
//   --no-prebuild                        uses the existing prebuilds instead of building this machine's
//   --tarball <file>                     tests this tarball instead of packing one
// Runtimes and package managers come from npm, and are kept in build-runtimes/.
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { delimiter, dirname, join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { serve } = require('./local-registry.js');
const { pack } = require('./pack.js');
const { npm, root } = require('./tools.js');

const { values: args } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    'no-prebuild': { type: 'boolean', default: false },
    tarball: { type: 'string' },
  },
});

const NODES = [20, 22, 24, 26];
const MANAGERS = ['npm@11', 'npm@12', 'pnpm', 'bun', 'deno'];
/** The cells of --quick: every runtime, and every package manager. */
const QUICK = [[20, 'npm@11'], [22, 'npm@11'], [24, 'pnpm'], [26, 'npm@12'], ['bun', 'bun'], ['deno', 'deno']]; // prettier-ignore
const ALL = [...NODES.flatMap((node) => MANAGERS.map((manager) => [node, manager])), ['bun', 'bun'], ['deno', 'deno']];
const cells = args.quick ? QUICK : ALL;

const temporary = fs.mkdtempSync(join(tmpdir(), 'fista-matrix-'));
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Downloads a package once; returns the folder of its node_modules. */
function download(spec) {
  const folder = join(root, 'build-runtimes', spec);
  const modules = join(folder, 'node_modules');
  if (!fs.existsSync(join(folder, 'complete'))) {
    fs.mkdirSync(folder, { recursive: true });
    npm(['install', '--silent', '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund', spec]);
    fs.writeFileSync(join(folder, 'complete'), '');
  }
  return modules;
}

const nodeOf = (major) => join(download(`${nodePackage}@${major}`), nodePackage, 'bin', 'node');
const binOf = (spec) => join(download(spec), '.bin', spec.replace(/@.*/, ''));

/** Whether a Node may run a package manager, by what the package manager says of itself. */
function supports(spec, major) {
  const { engines = {} } = JSON.parse(fs.readFileSync(join(download(spec), spec.replace(/@.*/, ''), 'package.json'), 'utf8'));
  const wanted = engines.node ?? '';
  return (
    wanted === '' ||
    wanted.split('||').some((range) => {
      const [, sign, least] = /^\s*(\^|>=)\s*(\d+)/.exec(range) ?? [];
      return sign === '^' ? Number(least) === major : Number(least) <= major;
    })
  );
}

/** Runs a program; resolves with all that it printed and its exit code. */
function run([command, ...words], { cwd, env }) {
  return new Promise((done) => {
    const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
      const chunks = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      return chunks;
    });
    child.on('error', (error) => done({ code: error.code, stdout: '', stderr: error.message }));
    child.on('close', (code, signal) => {
      done({ code: signal ?? code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

/** A folder for PATH with this node and a shell: package managers run as they do for users, and nothing can be compiled. */
function pathWith(node, name) {
  const folder = join(temporary, `bin-${name}`);
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(folder);
    fs.symlinkSync(node, join(folder, 'node'));
    for (const tool of ['sh', 'sed', 'dirname', 'uname']) fs.symlinkSync(join('/bin', tool), join(folder, tool));
  }
  return folder;
}

/** How package managers add a package, and how they install again what their lockfile says. */
const INSTALL = {
  npm: [['install', 'fista-classify'], ['ci']],
  pnpm: [['add', 'fista-classify'], ['install', '--frozen-lockfile']], // prettier-ignore
  bun: [['add', 'fista-classify'], ['install', '--frozen-lockfile']], // prettier-ignore
  deno: [['add', 'npm:fista-classify'], ['install', '--frozen']], // prettier-ignore
};

/** What a package manager prints when it has something to say against a package. */
const REMARK = /warn|error|\bERR|deprecat|ignored|blocked|approve|scripts?\b|gyp(?!-build)/i;

/** Installs the package, once more from the lockfile, and uses it; returns the cell's row. */
async function tryCell([runtime, manager], registry) {
  const kind = manager.replace(/@.*/, '');
  const isNode = typeof runtime === 'number';
  const folder = join(temporary, `${runtime}-${manager.replace('@', '-')}`);
  const home = join(folder, '..', `home-${runtime}-${manager}`);
  for (const path of [folder, home]) fs.mkdirSync(path);
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', version: '1.0.0', private: true }));
  fs.writeFileSync(join(folder, '.npmrc'), `registry=${registry}/\naudit=false\nfund=false\nupdate-notifier=false\n`);

  // A package manager that does not support this Node is run by the newest one.
  const own = isNode && supports(manager, runtime);
  const major = own ? runtime : NODES.at(-1);
  const env = (path) => ({ PATH: path, HOME: home, USERPROFILE: home, TMPDIR: temporary, NO_COLOR: '1', CI: '1' });
  const installing = env([pathWith(nodeOf(major), major), dirname(binOf(manager))].join(delimiter));
  const installs = [];
  for (const words of INSTALL[kind]) {
    fs.rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    installs.push(await run([binOf(manager), ...words], { cwd: folder, env: installing }));
    if (installs.at(-1).code !== 0) break;
  }
  const version = (await run([binOf(manager), '--version'], { cwd: folder, env: installing })).stdout.match(/\d+\.\d+\.\d+/)?.[0];

  for (const name of ['check.cjs', 'check.mjs']) fs.cpSync(join(root, 'scripts', 'consumer', name), join(folder, name));
  const program = isNode ? [nodeOf(runtime)] : runtime === 'deno' ? [binOf('deno'), 'run', '-A'] : [binOf('bun')];
  const using = env(pathWith(nodeOf(major), major));
  const command = join('node_modules', 'fista-classify', 'bin', 'fista-classify.js');
  const runs = [['check.cjs', 'native'], ['check.mjs', 'native'], [command, 'doctor', '--json']]; // prettier-ignore
  const used = [];
  for (const words of installs.at(-1).code === 0 ? runs : [])
    used.push(await run([...program, ...words], { cwd: folder, env: using }));

  const remarks = [
    ...installs.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n').filter((line) => REMARK.test(line))),
    ...used.flatMap(({ stderr }) => stderr.split('\n').filter((line) => line.trim() !== '')),
  ];
  const diagnosis = used[2]?.code === 0 ? JSON.parse(used[2].stdout) : {};
  const failed = [...installs, ...used].find(({ code }) => code !== 0);
  const exit = failed?.code ?? 0;
  const name = `${kind} ${version}${isNode && !own ? `, run by Node ${major}` : ''}`;
  return {
    row: [
      isNode ? `Node ${diagnosis.node ?? runtime}` : `${runtime} ${version}`,
      name,
      diagnosis.backend ? `${diagnosis.backend}, ${diagnosis.simd}` : 'none',
      remarks.length === 0 ? 'none' : String(remarks.length),
      String(exit),
    ],
    fine: exit === 0 && remarks.length === 0 && diagnosis.backend === 'native' && diagnosis.agrees === true,
    said: [...remarks, ...(failed ? [failed.stdout, failed.stderr] : [])],
  };
}

/** Compiles a strict program against the package, checking its declarations too. */
async function tryTypes(installed, resolution, withNode) {
  const folder = join(temporary, `types-${resolution}-${withNode}`);
  const modules = join(folder, 'node_modules');
  fs.cpSync(join(root, 'scripts', 'consumer'), folder, { recursive: true });
  fs.cpSync(installed, join(modules, 'fista-classify'), { recursive: true, dereference: true });
  for (const name of withNode ? ['@types/node', 'undici-types'] : []) {
    fs.cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  }
  const tsc = [process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder];
  const module = resolution === 'bundler' ? 'preserve' : resolution;
  const options = ['--module', module, '--moduleResolution', resolution, ...(withNode ? ['--types', 'node'] : [])];
  const { code, stdout, stderr } = await run([...tsc, ...options], { cwd: folder, env: process.env });
  const errors = stdout.split('\n').filter((line) => /error TS/.test(line));
  return {
    row: [resolution, withNode ? 'with' : 'without', errors.length === 0 ? 'none' : String(errors.length), String(code)],
    fine: code === 0 && errors.length === 0,
    said: [stdout, stderr],
  };
}

/** Prints a table and what its bad cells said; returns whether there are none. */
function report(title, head, results) {
  const rows = [head, ...results.map(({ row }) => row)];
  const widths = head.map((_, k) => Math.max(...rows.map((row) => row[k].length)));
  const line = (row) => `| ${row.map((cell, k) => cell.padEnd(widths[k])).join(' | ')} |`;
  console.log(
    ['', `${title}:`, '', line(head), line(widths.map((width) => '-'.repeat(width))), ...results.map(({ row }) => line(row))].join(
      '\n',
    ),
  );
  const bad = results.filter(({ fine }) => !fine);
  for (const { row, said } of bad) console.log(`\n${row.slice(0, 2).join(' × ')} said:\n${said.join('\n')}`);
  return bad.length === 0;
}

async function main() {
  if (!args.tarball && !args['no-prebuild']) npm(['run', '--silent', 'prebuildify'], { cwd: root });
  const tarball = resolve(args.tarball ?? pack(join(temporary, 'packed')));
  const upstream = npm(['config', 'get', 'registry'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()
    .replace(/\/$/, '');
  const registry = await serve(tarball, upstream);
  try {
    const results = [];
    for (const cell of cells) {
      console.log(`- ${typeof cell[0] === 'number' ? 'Node ' : ''}${cell.join(', ')}`);
      results.push(await tryCell(cell, registry.address));
    }
    const head = ['runtime', 'package manager', 'backend', 'warnings', 'exit code'];
    let fine = report('Installed from the packed tarball, and used', head, results);
    if (!args.quick) {
      const installed = join(temporary, '20-npm-11', 'node_modules', 'fista-classify');
      const types = [];
      for (const resolution of ['node16', 'nodenext', 'bundler']) {
        for (const withNode of [true, false]) types.push(await tryTypes(installed, resolution, withNode));
      }
      const head = ['moduleResolution', '@types/node', 'errors', 'exit code'];
      fine = report('Compiled, strict and with skipLibCheck: false', head, types) && fine;
    }
    process.exitCode = fine ? 0 : 1;
    console.log(fine ? '\nEvery cell passed.' : '\nSome cells failed.');
  } finally {
    registry.stop();
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
