// Packs what is published, from a staging folder.
//   npm run pack [-- <folder>]     puts the tarball into the folder, by default this one
//   npm run pack -- --dry-run      lists the files instead
//
// The repository has an install script and a binding.gyp at its root, so that npm install builds it. The package has neither. npm 12,
// pnpm, bun and deno do not run install scripts of dependencies, and warn or fail. pnpm, and npm from a lockfile, run node-gyp for a
// binding.gyp beside package.json, whatever "gypfile": false says. In the package it lies among the sources, where only
// "fista-classify build" looks for it.
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { basename, join, resolve } = require('node:path');
const { npm, root } = require('./tools.js');

/** Fields of package.json that serve the repository alone. "private" keeps npm publish from publishing the repository as it is. */
const OWN = ['binary', 'devDependencies', 'overrides', 'private', 'scripts'];

/** The manifest that is published. */
function publishedManifest(manifest) {
  return Object.fromEntries(Object.entries(manifest).filter(([field]) => !OWN.includes(field)));
}

/** Files that npm adds to every package. */
const ALWAYS = ['README.md', 'LICENSE'];

/** Pictures are for who reads the pages on the web: they weigh as much as an addon. */
const isPublished = (path) => path !== join(root, 'docs', 'pictures');

/** Fills `stage` with what is published. Folders that are not there, such as prebuilds, are left out. */
function stagePackage(stage) {
  const manifest = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
  fs.rmSync(stage, { recursive: true, force: true });
  fs.mkdirSync(stage, { recursive: true });
  for (const part of [...manifest.files, ...ALWAYS]) {
    if (fs.existsSync(join(root, part))) fs.cpSync(join(root, part), join(stage, part), { recursive: true, filter: isPublished });
  }
  fs.cpSync(join(root, 'binding.gyp'), join(stage, 'native', 'binding.gyp'));
  fs.writeFileSync(join(stage, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  addChecksums(join(stage, 'prebuilds'));
}

/** Puts beside every addon and the WebAssembly module the checksum that the loader compares, in the form of sha256sum. */
function addChecksums(folder) {
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(node|wasm)$/.test(name)) continue;
    const file = join(folder, name);
    const sum = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
    fs.writeFileSync(`${file}.sha256`, `${sum}  ${basename(file)}\n`);
  }
}

/** The staging folder. */
const stage = join(root, 'build-package');

/** Stages and packs the package as for publishing; returns the tarball, which is in `folder`. */
function pack(folder) {
  stagePackage(stage);
  fs.mkdirSync(folder, { recursive: true });
  const said = npm(['pack', '--json', '--pack-destination', resolve(folder)], { cwd: stage, stdio: ['ignore', 'pipe', 'inherit'] });
  // npm 12 prints an object with a key for each package, earlier ones a list.
  const [{ filename }] = Object.values(JSON.parse(said.toString()));
  return join(resolve(folder), filename);
}

module.exports = { pack, publishedManifest };

if (require.main === module) {
  const [word = root] = process.argv.slice(2);
  if (word === '--dry-run') {
    stagePackage(stage);
    npm(['pack', '--dry-run'], { cwd: stage });
  } else {
    console.log(pack(word));
  }
}
