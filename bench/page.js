// node bench/page.js [folder]: writes a page, index.html, of the results in a folder (bench/results). bench/README.md describes the
// form of the results. Results without tables are shown as printed.
'use strict';
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { barChart } = require('../dist/report/bar-chart.js');
const { histogram } = require('../dist/report/histogram.js');
const { escape, table } = require('../dist/report/html.js');
const { lineChart } = require('../dist/report/line-chart.js');
const { page } = require('../dist/report/page.js');

const KINDS = { line: lineChart, bar: barChart, histogram };

/** A chart, or a message if it cannot be drawn: one bad result must not prevent the page. */
function plot(spec) {
  const draw = Object.hasOwn(KINDS, spec.kind ?? 'line') ? KINDS[spec.kind ?? 'line'] : undefined;
  try {
    if (draw) return draw(spec);
  } catch {
    // reported below
  }
  return `<p class="empty">The plot ${escape(spec.title)} of kind ${escape(spec.kind)} cannot be drawn.</p>`;
}

function section({ name, title, date, machine = {}, versions = {}, tables = [], plots = [], printed = [], ...old }) {
  // Older files have the fields of machine and versions at the top level.
  const details = [
    ['date', date],
    ...Object.entries(machine),
    ...Object.entries(versions),
    ...['cpu', 'load', 'system', 'node', 'compiler'].filter((key) => typeof old[key] === 'string').map((key) => [key, old[key]]),
  ].filter(([, value]) => value !== undefined);
  const line = [date, machine.cpu ?? old.cpu, versions.node ?? old.node].filter(Boolean).map(escape).join(' · ');
  const raw = `<p class="soft">All numbers are in ${escape(name)}.json.</p>`;
  return `<section id="${escape(name)}"><h2>${escape(name)}${title ? `: ${escape(title)}` : ''}</h2><p class="soft">${line}</p>
${tables
  .map(
    ({ title: heading, columns, rows, notes = [] }) =>
      `<div class="card">${heading ? `<h3>${escape(heading)}</h3>` : ''}${table(columns, rows)}${[notes]
        .flat()
        .map((note) => `<p class="soft">${escape(note)}</p>`)
        .join('')}</div>`,
  )
  .join('\n')}
${plots.length > 0 ? `<div class="charts">${plots.map(plot).join('\n')}</div>` : ''}
${tables.length === 0 && printed.length > 0 ? `<div class="card"><pre>${escape(printed.join('\n').trim())}</pre></div>` : ''}
<details class="card"><summary>Machine and date</summary>${table(
    ['what', 'value'],
    details.map(([key, value]) => [key, String(value)]),
  )}${raw}</details></section>`;
}

function resultsPage(results) {
  const list = results.map(({ name }) => `<li><a href="#${escape(name)}">${escape(name)}</a></li>`).join('');
  return page(
    'fista-classify: benchmarks',
    `<header><h1>Benchmarks</h1><p class="lead">Measurements, with their machine and date. Ratios are taken within one run.</p></header>
<nav aria-label="Tables"><ul>${list}</ul></nav>
${results.map(section).join('\n') || '<p>There are no results yet: npm run bench.</p>'}`,
  );
}

/** Writes the page of a folder's results, and returns its path. */
function writePage(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  const results = files
    .sort()
    .map((file) => ({ name: file.replace(/\.json$/, ''), ...JSON.parse(readFileSync(join(folder, file), 'utf8')) }));
  const target = join(folder, 'index.html');
  writeFileSync(target, resultsPage(results));
  return relative(process.cwd(), target) || target;
}

if (require.main === module) console.log(writePage(process.argv[2] ?? join(__dirname, 'results')));

module.exports = { resultsPage, writePage };
