/** Files that someone made up to do harm: refused with the reason, in time and memory that their size accounts for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../lib/index.js';
import { node, ROOT } from './child.js';

const bytes = (text: string) => Buffer.from(text);

describe('regular expressions', () => {
  const files = ['lib', 'bin', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
  const found = files.flatMap((file) => {
    const list: { file: string; source: string }[] = [];
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
    const visit = (at: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(at)) list.push({ file, source: at.text });
      // One that is put together at run time could not be looked at here.
      if (ts.isNewExpression(at) && at.expression.getText(source) === 'RegExp') list.push({ file, source: 'new RegExp' });
      at.forEachChild(visit);
    };
    visit(source);
    return list;
  });

  it('are all literals, and each takes linear time on a megabyte of anything', async () => {
    expect(found.length).toBeGreaterThan(30);
    expect(found.filter(({ source }) => source === 'new RegExp')).toEqual([]);
    // In a process of its own, as nothing ends a match that has begun. Quadratic time would be an hour for each.
    const code = `
      const pumps = ['1', ' ', 'a', 'A', '-', '.', '"', "'", ',', '\\n', '1.', 'e-', ", a '", 'options.', '&', '0:'];
      const texts = pumps.flatMap((pump) => ['', ', ', '1'].map((before) => before + pump.repeat(1e6 / pump.length) + '!\\0'));
      for (const expression of [${found.map(({ source }) => source).join(', ')}]) {
        process.stdout.write('\\n' + expression);
        for (const text of texts) text.replace(expression, '');
      }
      process.stdout.write('\\nall');`;
    const { stdout, stderr } = await node(['-e', code]);
    expect(`${stdout.split('\n').at(-1)} ${stderr}`).toBe('all ');
  });
});

describe('a cell of a megabyte', () => {
  it.each([
    ['digits', '1'.repeat(1e6)],
    ['digits after a point', `1.${'1'.repeat(1e6)}`],
    ['an exponent', `1e${'1'.repeat(1e6)}`],
    ['blanks', `1${' '.repeat(1e6)}`],
  ])('of %s that is no number is refused as any other', async (_, cell) => {
    await expect(readCsv(bytes(`x,label\n${cell}x,1\n`), { label: 'label' })).rejects.toMatchObject({
      code: 'ERR_CSV',
      message: expect.stringMatching(/^Expected a finite number at input:2:1 \(column "x"\) but received "1.{39}…"$/) as string,
    });
  });
});
