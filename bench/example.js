// Installs an example as a user would, in its own folder with its dependencies. fista-classify is this checkout, and the other
// dependencies are this checkout's devDependencies: nothing is downloaded.
'use strict';
const { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '..');

/** Installs examples/<name> into a temporary folder. Returns { folder, remove }, or undefined if a dependency is missing. */
function installExample(name) {
  const source = join(root, 'examples', name);
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const targets = Object.keys(dependencies).map((dependency) => [
    dependency,
    dependency === 'fista-classify' ? root : join(root, 'node_modules', dependency),
  ]);
  if (!targets.every(([, target]) => existsSync(target))) return undefined;
  const folder = mkdtempSync(join(tmpdir(), `fista-${name}-`));
  cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
  mkdirSync(join(folder, 'node_modules'));
  for (const [dependency, target] of targets) symlinkSync(target, join(folder, 'node_modules', dependency), 'junction');
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

module.exports = { installExample };
