// npm run bench -- [tables] [--data folder]: runs the named tables (without names, all but those marked onlyNamed), prints them, and
// writes the numbers to bench/results/<table>.json. A table is a file in bench/tables that exports { name, describe, run }:
//   describe   one line for the list
//   sets       names of the data sets that --sets can choose from, if the table supports that
//   run        (context) => results for the JSON file, or undefined; may be async. context: { machine, print, data, sets }
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
  return `npm run bench -- [tables] [--data folder]\n\n${list}\n\nWithout names, all tables but those that say so are run. --data (or FISTA_CLASSIFY_DATA) is the folder of the data sets.\n--sets a9a,w8a: only these data sets, in tables that have them.`;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, sets: { type: 'string' }, help: { type: 'boolean' } },
  });
  const unknown = positionals.filter((word) => !tables.some(({ name }) => name === word));
  const chosen = tables.filter((table) => (positionals.length > 0 ? positionals.includes(table.name) : !table.onlyNamed));
  const sets = values.sets?.split(',');
  const known = [...new Set(chosen.flatMap((table) => table.sets ?? []))];
  const odd = sets?.filter((name) => !known.includes(name)) ?? [];
  const wrong = [
    ...(unknown.length > 0 ? [`There is no table ${unknown.join(', ')}.`] : []),
    ...(odd.length > 0 ? [`The chosen tables have no data set ${odd.join(', ')}: they have ${known.join(', ') || 'none'}.`] : []),
  ];
  if (values.help || wrong.length > 0) {
    console.log([...wrong, usage()].join('\n\n'));
    process.exitCode = wrong.length > 0 ? 1 : 0;
    return;
  }
  console.log(
    Object.entries(machine)
      .map(([key, value]) => `${key.padEnd(10)} ${value}`)
      .join('\n'),
  );
  for (const table of chosen) {
    console.log(`\n== ${table.name}: ${table.describe}\n`);
    const printed = [];
    const print = (...words) => {
      console.log(...words);
      printed.push(...words.join(' ').split('\n'));
    };
    const results = await table.run({ machine, print, data: finder(values.data), sets });
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
    console.log(`\nWritten to bench/results/${table.name}.json and ${writePage(FOLDER)}`);
  }
}

/** Machine, date and versions, in the form of the results. */
function where() {
  const { date, node, compiler, ...rest } = machine;
  return { date, machine: rest, versions: { 'fista-classify': version, node, compiler } };
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
