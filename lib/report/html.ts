/** Text and tables as HTML. All text is escaped. */
import { brief, count } from './number-text.js';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for elements and quoted attributes. Control characters, which HTML forbids, become U+FFFD. */
export function escape(text: unknown): string {
  return String(text)
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** What a cell holds: text, a number, nothing, a number as text, or a value with whether a target was met. */
export type Cell =
  string | number | null | { readonly number: string } | { readonly value: string | number; readonly met: boolean };

/** A table. Columns of numbers are aligned to the right. A cell with `met` shows whether a target was met. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[], caption = ''): string {
  const numeric = columns.map((_, k) => rows.some((row) => row[k] !== null) && rows.every((row) => isNumber(row[k])));
  const kind = (k: number) => (numeric[k] ? ' class="number"' : '');
  const body = rows.map((row) => `<tr>${row.map((cell, k) => `<td${kind(k)}>${write(cell)}</td>`).join('')}</tr>`);
  return (
    `<div class="wide"><table>${caption && `<caption>${escape(caption)}</caption>`}<thead><tr>` +
    `${columns.map((name, k) => `<th scope="col"${kind(k)}>${escape(name)}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  );
}

function isNumber(cell: Cell | undefined): boolean {
  if (cell === null || cell === undefined) return true;
  return typeof cell === 'object' ? 'number' in cell || typeof cell.value === 'number' : typeof cell === 'number';
}

function write(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isInteger(cell) ? count(cell) : brief(cell);
  if (typeof cell === 'string') return escape(cell);
  if ('number' in cell) return escape(cell.number);
  return `${write(cell.value)} <span class="${cell.met ? 'met' : 'missed'}">${cell.met ? '✓ met' : '✗ missed'}</span>`;
}

/** Part of a page with its heading, to which the page's contents lead; nothing if it has no content. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  readonly content: string;
}

/** The contents and the sections, as far as there is anything in them. */
export function sectionsOf(sections: readonly Section[]): string {
  const filled = sections.filter(({ content }) => content !== '');
  const links = filled.map(({ id, heading }) => `<li><a href="#${id}">${escape(heading)}</a></li>`);
  const parts = filled.map(({ id, heading, content }) => `<section id="${id}"><h2>${escape(heading)}</h2>${content}</section>`);
  const contents = links.length > 1 ? `<nav aria-label="Contents"><ul>${links.join('')}</ul></nav>\n` : '';
  return `${contents}${parts.join('\n')}`;
}

/** Content that is shown when it is asked for. */
export function details(summary: string, content: string): string {
  return `<details class="card"><summary>${escape(summary)}</summary>${content}</details>`;
}
