/** Parts of an SVG drawing in a figure of a page: its size, text, lines, title and description. */
import { escape } from './html.js';

// In units of the view box. A phone shows it at about nine tenths of this size; a wide screen, with two columns, a little larger.
export const WIDTH = 420;
export const HEIGHT = 274;
export const FONT = 12;
/** The width of a character, estimated generously, as the reader's browser chooses the font. */
export const CHARACTER = 0.62 * FONT;

/** A coordinate, to one decimal. */
export const coord = (value: number) => String(Math.round(value * 10) / 10);

/** Cuts a long text at its end. */
export function shorten(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Cuts a long text in its middle, as names often differ only at their ends. */
export function squeeze(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const head = Math.ceil(0.55 * (max - 1));
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (max - 1 - head)).join('')}`;
}

/** A drawing with its title, note and legend. */
export function figure(title: string, note: string | undefined, legend: string, drawing: string, kind = ''): string {
  return (
    `<figure class="chart${kind && ` ${kind}`}"><figcaption><h3>${escape(title)}</h3>${note ? `<p>${escape(note)}</p>` : ''}` +
    `${legend}</figcaption>${drawing}</figure>`
  );
}

/** A drawing with its title and description for screen readers. */
export function svg(title: string, description: string, height: number, inside: string): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${coord(height)}" role="img" aria-label="${escape(title)}"><title>${escape(title)}</title>` +
    `<desc>${escape(description)}</desc>${inside}</svg>`
  );
}

/** Replaces a drawing without data. */
export const NO_DATA = '<p class="empty">There is nothing to draw.</p>';

export function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end' = 'start', kind = ''): string {
  return `<text x="${coord(x)}" y="${coord(y)}" text-anchor="${anchor}"${kind && ` class="${kind}"`}>${escape(words)}</text>`;
}

export function segment(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<path class="${kind}" d="M${coord(x1)} ${coord(y1)}L${coord(x2)} ${coord(y2)}"/>`;
}
