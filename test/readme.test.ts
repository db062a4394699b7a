import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
    Buffer,
    JSON,
  };
  // Lines keep their numbers, so that an error points into the page.
  const source = `(async () => {${body.join('\n')}\n})()`;
  await runInNewContext(source, globals, { filename: file, lineOffset: line - 1 });
  return checked;
}

const GUIDES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

describe.each(['README.md', ...GUIDES])('%s', (file) => {
  const all = blocks(file);

  it.each(all)('the example at line $line runs, and gives what its comments say', async ({ code, line }) => {
    await run(code, file, line);
  });

  // A record of what was run has none.
  it.skipIf(file === 'docs/reliability.md')('has examples that say what they give', async () => {
    let checked = 0;
    for (const { code, line } of all) checked += await run(code, file, line);
    expect(checked).toBeGreaterThan(10);
  });

  it('links to what is there', () => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const anchors = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.toLowerCase().replace(/[^\w]+/g, '-')));
    for (const [, to] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      if (to!.startsWith('#')) expect(anchors, to).toContain(to!.slice(1));
      else expect(existsSync(join(ROOT, dirname(file), to!)), to).toBe(true);
    }
  });
});

describe('docs/guide.md', () => {
  it('explains every code that errors have', () => {
    const codes = [...readFileSync(join(ROOT, 'lib', 'errors.ts'), 'utf8').matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code!);
    const guide = readFileSync(join(ROOT, 'docs', 'guide.md'), 'utf8');
    expect(codes.length).toBeGreaterThan(8);
    for (const code of codes) expect(guide).toContain(`| \`${code}\` |`);
  });
});
