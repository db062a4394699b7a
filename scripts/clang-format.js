// Formats the C++ sources, or with --check lists those that are not formatted. The formatter comes from npm, so that every machine has
// the same version.
'use strict';
const { execFileSync } = require('node:child_process');
const { readFileSync, writeFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const formatter = join(root, 'node_modules', 'clang-format', 'index.js');
const check = process.argv.includes('--check');

const sources = ['native', 'bench', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)))
  .filter((file) => /\.(cc|h|inl)$/.test(file));

let different = 0;
for (const file of sources) {
  const formatted = execFileSync(process.execPath, [formatter, file], { cwd: root, encoding: 'utf8' });
  if (formatted === readFileSync(file, 'utf8')) continue;
  different++;
  if (check) console.error(`not formatted: ${file}`);
  else writeFileSync(file, formatted);
}
if (check && different > 0) {
  console.error('Run "npm run format".');
  process.exit(1);
}
