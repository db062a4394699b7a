import { describe, expect, it } from 'vitest';
import { escape, table } from '../../lib/report/html.js';

describe('escape(text)', () => {
  it('escapes what HTML interprets, and replaces control characters', () => {
    expect(escape(`<a href="x" id='y'>&`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;');
    expect(escape('a\u0000b\u001bc\u202ed\te\nf')).toBe('a\ufffdb\ufffdc\ufffdd\te\nf');
    expect([escape(12), escape(null)]).toEqual(['12', 'null']);
  });
});

describe('table(columns, rows)', () => {
  it('marks columns of numbers, and says in words whether a target was met', () => {
    const html = table(
      ['name', 'n'],
      [
        ['a', 1234],
        ['b', { value: 2, met: false }],
      ],
    );
    expect(html).toContain('<th scope="col">name</th><th scope="col" class="number">n</th>');
    expect(html).toContain('1,234');
    expect(html).toContain('✗ missed');
  });
});
