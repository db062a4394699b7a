/** Compiles programs of users against the published declarations, without running them. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './support/child.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fista-types-'));
  const installed = join(folder, 'node_modules', 'fista-classify');
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const file of readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (/\.d\.m?ts$/.test(file)) cpSync(join(ROOT, 'dist', file), join(installed, 'dist', file));
  }
  for (const name of ['types.mts', 'types.cts']) cpSync(join(ROOT, 'scripts', 'consumer', name), join(folder, name));
  writeFileSync(
    join(folder, 'signal.mts'),
    `import { LinearSvm, readCsv, type Signal } from 'fista-classify';
    const { signal } = new AbortController();
    export const model = LinearSvm.fit([[1], [2]], [-1, 1], { signal });
    export const file = readCsv('a.csv', { label: 0, signal: AbortSignal.timeout(100) });
    export const same: AbortSignal = signal satisfies Signal;
    // @ts-expect-error -- a signal has more properties
    LinearSvm.fit([[1], [2]], [-1, 1], { signal: { aborted: false } });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The compiler's errors, including those in declaration files other than its own. */
function faults(files: readonly string[], options: ts.CompilerOptions): string[] {
  const all: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    types: [],
    noEmit: true,
    ...options,
  };
  const program = ts.createProgram(
    files.map((name) => join(folder, name)),
    all,
  );
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName.replace(folder, '')}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

const node16 = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };
const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
const es = ['lib.es2022.d.ts'];
const web = [...es, 'lib.dom.d.ts'];

describe('the published types', { tags: ['slow'] }, () => {
  it.each<[string, readonly string[], ts.CompilerOptions]>([
    ['with only the language, node16', ['types.mts', 'types.cts'], { ...node16, lib: es }],
    ['with only the language, bundler', ['types.mts'], { ...bundler, lib: es }],
    ['with the DOM, node16', ['types.mts', 'types.cts', 'signal.mts'], { ...node16, lib: web }],
    ['with the DOM, bundler', ['types.mts', 'signal.mts'], { ...bundler, lib: web }],
    [
      'with Node',
      ['types.mts', 'types.cts', 'signal.mts'],
      { ...node16, lib: es, skipLibCheck: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
    ],
  ])('compile without a cast %s', (_, files, options) => {
    expect(faults(files, options)).toEqual([]);
  });

  it('compile in the ts snippets of the documentation', () => {
    const snippets = ['README.md', 'docs/guide.md', 'docs/api.md'].flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!),
    );
    expect(snippets.length).toBeGreaterThan(0);
    const files = snippets.map((code, k) => {
      writeFileSync(join(folder, `snippet-${k}.mts`), code);
      return `snippet-${k}.mts`;
    });
    expect(faults(files, { ...bundler, lib: web })).toEqual([]);
  });

  it('give an error for a wrong type: the check works', () => {
    writeFileSync(join(folder, 'wrong.mts'), `import { LinearSvm } from 'fista-classify'; export const n: number = LinearSvm.fit;`);
    expect(faults(['wrong.mts'], { ...bundler, lib: es })).toEqual([expect.stringContaining("is not assignable to type 'number'")]);
  });
});
