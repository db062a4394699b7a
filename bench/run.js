// npm run bench -- [tables] [--data folder]: runs the tables named (all of them without a name), prints them, and keeps the
// numbers in bench/results/<table>.json. A table is a file in bench/tables that exports { name, describe, run }:
//   describe   one line for the list
//   run        (context) => results for the JSON file, or undefined; may be async. context: { machine, print, data }
// The form of the results, and the page bench/results/index.html that shows them, are described in bench/README.md.
'use strict';
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const machine = require('./machine.js');
const { finder } = require('./data.js');
const { writePage } = require('./page.js');
const { version } = require('../package.json');

const FOLDER = join(__dirname, 'results');

const tables = readdirSync(join(__dirname, 'tables')).map((file) => require(join(__dirname, 'tables', file)));

function usage() {
  const list = tables.map(({ name, describe }) => `  ${name.padEnd(10)} ${describe}`).join('\n');
  return `npm run bench -- [tables] [--data folder]\n\n${list}\n\nWithout a name all run. --data (or FISTA_CLASSIFY_DATA): where the data sets are.`;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, help: { type: 'boolean' } },
  });
  const unknown = positionals.filter((word) => !tables.some(({ name }) => name === word));
  if (values.help || unknown.length > 0) {
    console.log(`${unknown.length > 0 ? `There is no table ${unknown.join(', ')}.\n\n` : ''}${usage()}`);
    process.exitCode = unknown.length > 0 ? 1 : 0;
    return;
  }
  console.log(
    Object.entries(machine)
      .map(([key, value]) => `${key.padEnd(10)} ${value}`)
      .join('\n'),
  );
  for (const table of tables) {
    if (positionals.length > 0 && !positionals.includes(table.name)) continue;
    console.log(`\n== ${table.name}: ${table.describe}\n`);
    const printed = [];
    const print = (...words) => {
      console.log(...words);
      printed.push(...words.join(' ').split('\n'));
    };
    const results = await table.run({ machine, print, data: finder(values.data) });
    if (results === undefined) continue;
    mkdirSync(FOLDER, { recursive: true });
    const { versions, ...rest } = results;
    const here = where();
    const kept = {
      name: table.name,
      title: table.describe,
      ...here,
      versions: { ...here.versions, ...versions },
      ...rest,
      printed,
    };
    writeFileSync(join(FOLDER, `${table.name}.json`), `${JSON.stringify(kept, null, 1)}\n`);
    console.log(`\nKept in bench/results/${table.name}.json, shown in ${writePage(FOLDER)}`);
  }
}

/** Machine, date and versions, as the results name them. */
function where() {
  const { date, node, compiler, ...rest } = machine;
  return { date, machine: rest, versions: { 'fista-classify': version, node, compiler } };
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
