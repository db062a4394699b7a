import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const ROOT = join(__dirname, '..');
const load = createRequire(__filename);

/** The ```js blocks of a page, each with the line it starts at. */
function blocks(file: string): { line: number; code: string }[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length + 1,
    code: match[1]!,
  }));
}

/** Runs a block; "expression; // value" lines are checked. Returns how many. */
async function run(code: string, file: string, line: number): Promise<number> {
  let checked = 0;
  const check = (actual: unknown, value: unknown, source: string) => {
    expect(actual, source).toEqual(value);
    checked++;
  };
  const body = code.split('\n').map((text) => {
    const match = /^(?!const |let |\/\/|import )(\S.*?); \/\/ (.+)$/.exec(text);
    return match ? `$check(${match[1]}, (${match[2]}), ${JSON.stringify(text)});` : text;
  });
  const globals = {
    $check: check,
    require: (name: string) => load(name === 'fista-classify' ? ROOT : name) as unknown,
    console: { log() {} },
    process,
    performance,
    AbortController,
    AbortSignal,
    setTimeout,
    Float64Array,
    Float32Array,
    Uint8Array,
    Uint32Array,
    Int32Array,
    Map,
    Error,
    JSON,
  };
  // Lines keep their numbers, so that an error points into the page.
  const source = `(async () => {${body.join('\n')}\n})()`;
  await runInNewContext(source, globals, { filename: file, lineOffset: line - 1 });
  return checked;
}

describe('README.md', () => {
  const all = blocks('README.md');

  it.each(all)('the example at line $line runs, and gives what its comments say', async ({ code, line }) => {
    await run(code, 'README.md', line);
  });

  it('has examples that say what they give', async () => {
    let checked = 0;
    for (const { code, line } of all) checked += await run(code, 'README.md', line);
    expect(checked).toBeGreaterThan(10);
  });
});
