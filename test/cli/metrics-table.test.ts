import { describe, expect, it } from 'vitest';
import { metricsLines, metricsOf } from '../../lib/cli/metrics-table.js';
import { LinearSvm } from '../../lib/index.js';

/** The lines for a model of these labels, each of which has one row. */
function linesOf(labels: string[]): string[] {
  const data = { rows: labels.length, cols: 2, data: Float64Array.from(labels.flatMap((_, k) => [Math.cos(k), Math.sin(k)])) };
  const model = LinearSvm.fit(data, labels, { multiclass: 'rest' });
  return metricsLines(metricsOf(model, { points: data, labels })!, 0);
}

describe('metricsLines(metrics)', () => {
  it('aligns columns under labels of any length, and shows both ends of long ones', () => {
    const long = 'a label that goes on and on and on and on, ';
    const lines = linesOf([`${long}1`, `${long}2`, 'b', '']);
    const table = lines.slice(lines.findIndex((line) => line.startsWith('label ')));
    expect(new Set(table.filter((line) => / \d$/.test(line) && line.includes('.')).map(({ length }) => length))).toEqual(
      new Set([table[0]!.length]),
    );
    expect(table[0]!.length).toBeLessThan(80);
    for (const end of ['1', '2'])
      expect(lines.filter((line) => /^a label that .*…/.test(line) && line.includes(` on, ${end} `))).toHaveLength(2);
  });

  it('allows for signs that take two columns of a terminal, or none', () => {
    const lines = linesOf(['日本', 'e\u0301', 'plain']);
    const at = (begin: string) => lines.find((line) => line.startsWith(begin))!.search(/\d\.\d/);
    expect(at('日本')).toBe(at('plain') - 2);
    expect(at('e\u0301')).toBe(at('plain') + 1);
  });

  it('escapes control characters', () => {
    const lines = linesOf(['a\u001b[2J', 'b\nc', 'd\u202e']);
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
    for (const text of ['a\\u001b[2J', 'b\\u000ac', 'd\\u202e'])
      expect(lines.filter((line) => line.startsWith(text))).toHaveLength(2);
  });

  it('leaves out what is too long to read, and says so', () => {
    const lines = linesOf(Array.from({ length: 120 }, (_, k) => `label ${k}`));
    expect(lines.filter((line) => line.startsWith('label '))).toHaveLength(101);
    expect(lines).toContain('… and 20 labels more; --json prints all of them');
    expect(lines.at(-1)).toBe('The confusion matrix of 120 labels is not shown; --json prints it.');
  });
});
