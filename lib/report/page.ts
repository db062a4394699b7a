/**
 * The page around charts and tables: one HTML file that loads nothing and runs no script. Colours are CSS variables that follow the
 * reader's light or dark scheme.
 */
import { escape } from './html.js';
import { FONT } from './svg.js';

/** A page. `title` is text, `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="fista-classify">
<link rel="icon" href="data:,">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --ink: #1a1e24; --soft: #545d69; --line: #dfe3e8; --axis: #7b8592; --good: #17693d; --bad: #b3261e;
  --hit1: #eaf2fb; --hit2: #d3e5f7; --hit3: #b3d2f0; --hit4: #93bfe8; --miss1: #fdf1e7; --miss2: #fadcc3; --miss3: #f4bf94; --miss4: #eda268;
  --c0: #0b5cad; --c1: #b3470a; --c2: #1a7546; --c3: #8033ad; --c4: #ad1f58; --c5: #5c6370;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #171c23; --ink: #e8ebef; --soft: #a3adba; --line: #2b323c; --axis: #75808e; --good: #5fd394; --bad: #ff8a80;
    --hit1: #16283c; --hit2: #1a3653; --hit3: #1d456c; --hit4: #205486; --miss1: #33241a; --miss2: #4a301c; --miss3: #633d1e; --miss4: #7c4a1f;
    --c0: #6db3ff; --c1: #ffa45c; --c2: #5fd394; --c3: #d0a5ff; --c4: #ff8fb4; --c5: #b4bcc8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 1000px; margin: 0 auto; padding: 40px 20px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 12px; overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 8px; overflow-wrap: anywhere; }
.soft, figcaption p, footer, caption { color: var(--soft); font-size: 14px; }
.lead { font-size: 17px; max-width: 68ch; }
.status { display: inline-block; border: 1px solid currentColor; border-radius: 99px; padding: 1px 12px; margin-right: 8px; font-size: 14px; font-weight: 600; color: var(--good); }
.status.limit { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 12px; margin: 24px 0 0; padding: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; min-width: 0; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles dd { margin: 0; font-size: 21px; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles dd small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 16px; align-items: start; }
.charts > * { min-width: 0; }
.stack { display: grid; gap: 16px; }
.card, .chart { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; margin: 0; min-width: 0; }
.chart > svg { display: block; width: 100%; height: auto; margin-top: 10px; font-size: ${FONT}px; font-family: inherit; font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart text.strong { fill: var(--ink); }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .axis { stroke: var(--axis); stroke-width: 1; }
.chart .mark { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 3 3; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.sign { stroke: var(--card); stroke-width: 1; }
${[0, 1, 2, 3, 4, 5].map((k) => `.c${k} { fill: var(--c${k}); } .line.c${k} { fill: none; stroke: var(--c${k}); }`).join('\n')}
.legend { list-style: none; margin: 8px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 14px; }
.legend li { display: flex; align-items: center; gap: 6px; min-width: 0; overflow-wrap: anywhere; }
.legend svg { width: 34px; height: 12px; flex: none; }
.empty { color: var(--soft); margin: 16px 0; }
.proofs { display: grid; gap: 14px; margin: 0; }
.proofs > div { display: grid; grid-template-columns: 7.5em 1fr; gap: 0 16px; align-items: baseline; }
.proofs dt { font-weight: 600; font-size: 18px; font-variant-numeric: tabular-nums; }
.proofs dt small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.proofs dd { margin: 0; }
.proofs svg { display: block; width: 100%; height: 8px; margin: 6px 0 0; }
.proofs .track { fill: var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { position: sticky; left: 0; max-width: min(100%, calc(100vw - 60px)); text-align: left; padding-bottom: 6px; }
th, td { text-align: left; vertical-align: top; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
thead th { vertical-align: bottom; }
td:first-child { min-width: 8em; }
tbody th { font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; }
.confusion { width: auto; }
.confusion th, .confusion td { vertical-align: middle; padding: 5px 10px; }
.confusion td { text-align: right; border: 1px solid var(--line); min-width: 3.4em; }
.confusion tbody tr:last-child td { border-bottom: 1px solid var(--line); }
.confusion tbody tr td.number { border: 0; color: var(--soft); }
.confusion td small { display: block; font-size: 12px; }
.confusion thead th { white-space: nowrap; text-align: right; vertical-align: bottom; border-bottom: 0; }
.confusion th:first-child { position: sticky; left: 0; background: var(--card); text-align: left; padding-left: 0; min-width: 7em; max-width: 11em; white-space: normal; overflow-wrap: anywhere; }
.confusion .hit0, .confusion .miss0 { color: var(--soft); }
${[1, 2, 3, 4].map((k) => `.hit${k} { background: var(--hit${k}); } .miss${k} { background: var(--miss${k}); }`).join('\n')}
.confusion.many th, .confusion.many td { padding: 3px; font-size: 12px; min-width: 2.1em; }
.confusion.many th:first-child { padding: 3px 6px 3px 0; max-width: 14em; }
.many thead th span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.met { color: var(--good); white-space: nowrap; }
.missed { color: var(--bad); font-weight: 600; white-space: nowrap; }
section > * + .card, section > .card + .charts { margin-top: 16px; }
nav { margin-top: 20px; font-size: 14px; }
.card > h3 { margin-bottom: 8px; }
.wide + p { margin-top: 12px; }
summary { cursor: pointer; font-weight: 600; }
details[open] summary { margin-bottom: 10px; }
pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-x: auto; margin: 0; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; }
a { color: var(--c0); }
footer { margin-top: 40px; }
@media (max-width: 480px) {
  main { padding: 24px 16px 40px; }
  h1 { font-size: 24px; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tiles div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .card, .chart { padding: 12px; }
  .proofs > div { grid-template-columns: 1fr; }
}
@media print { body { background: none; } .chart, .card, .tiles div { break-inside: avoid; } }
`;
