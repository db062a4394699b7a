/** The documentation: its examples, run as they are pasted, and whether it is complete. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { examplesIn, matches, printedBy, runExample } from '../scripts/examples.js';
import { ROOT } from './support/child.js';

const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const EXAMPLES = PAGES.flatMap((page) => examplesIn(text(page)).map((example) => ({ page, ...example })));

describe('examples', () => {
  it.concurrent.each(EXAMPLES)('$page:$line runs as pasted, and prints what its comments say', async ({ code }) => {
    const said = printedBy(code);
    expect(said.length).toBeGreaterThan(0);
    // Of the optional packages, those that it imports.
    const beside = ['hyparquet-writer', '@uwdata/flechette'].filter((name) => code.includes(`from '${name}'`));
    const printed = await runExample(code, ROOT, { beside });
    if (!matches(printed, said)) expect(printed).toBe(`${said.join('\n')}\n`);
  });

  it('are in the README, the guide and the reference', () => {
    const count = (page: string) => EXAMPLES.filter((example) => example.page === page).length;
    expect(count('README.md')).toBeGreaterThanOrEqual(2);
    expect(count('docs/guide.md')).toBeGreaterThanOrEqual(8);
    expect(count('docs/api.md')).toBeGreaterThanOrEqual(20);
  });

  it('are ES modules; the one line for CommonJS runs too', async () => {
    for (const { code } of EXAMPLES) expect(code).toMatch(/^import /);
    const [, line] = /`(const \{ LinearSvm \} = require\('fista-classify'\);)`/.exec(text('README.md'))!;
    const code = `${line}\nconsole.log(typeof LinearSvm.fit);`;
    expect(await runExample(code, ROOT, { name: 'example.cjs' })).toBe('function\n');
  });
});

describe('what an example says it prints', () => {
  it('is the comment behind a console.log, and the comments that follow one at once', () => {
    const code = [
      'const a = 1; // no output',
      '// nor this',
      'console.log(a); // 1',
      '',
      '// nor this',
      'for (const b of [1, 2]) console.log(b);',
      '// 1',
      '// 2',
    ].join('\n');
    expect(printedBy(code)).toEqual(['1', '1', '2']);
  });

  it('must be all that is printed, where … is any text and ", for example" any lines', () => {
    expect(matches('a\nb\n', ['a', 'b'])).toBe(true);
    expect(matches('a\nb\n', ['a'])).toBe(false);
    expect(matches('a\n', ['a', 'b'])).toBe(false);
    expect(matches('a (1)\n', ['a (2)'])).toBe(false);
    expect(matches('took 12 ms\n', ['took … ms'])).toBe(true);
    expect(matches('took\n12 ms\n', ['took…ms'])).toBe(false);
    expect(matches('x\ny\n', ['native, for example'])).toBe(true);
    expect(matches('', ['native, for example'])).toBe(false);
  });

  it('is what is compared: an example that prints something else fails', async () => {
    const code = "import { stop } from 'fista-classify';\nconsole.log(stop.gap(1).name); // agreement\n";
    expect(matches(await runExample(code, ROOT), printedBy(code))).toBe(false);
    await expect(runExample("import 'nothing-of-that-name';", ROOT)).rejects.toThrow(/ERR_MODULE_NOT_FOUND/);
  });
});

describe('docs/api.md', () => {
  const page = text('docs/api.md');
  const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title!);
  // In a process of its own: what users get is dist.
  const members = async () => {
    const code = `
      const { LinearSvm, Dataset, Encoder, Table, stop, ...rest } = require('fista-classify');
      const INTERNAL = ['learn', 'learning', 'bindTo', 'partsOf', 'encodingBound', 'encodeOne', 'fieldsOf', 'encoding'];
      const own = (object) => Object.getOwnPropertyNames(object).filter((name) => typeof object[name] === 'function');
      const statics = (of) => own(of).filter((name) => !['is', 'of', 'dataOf', 'modelOf', 'columnOf', 'select', ...INTERNAL].includes(name)).map((name) => of.name + '.' + name);
      const methods = (of, as) => own(of.prototype).filter((name) => name !== 'constructor').map((name) => as + '.' + name);
      const names = Object.keys(rest).concat(statics(LinearSvm), methods(LinearSvm, 'model'), statics(Dataset), statics(Table), statics(Encoder));
      console.log(JSON.stringify(names.concat(Object.keys(stop).map((name) => 'stop.' + name))));`;
    return [...(JSON.parse(await runExample(code, ROOT, { name: 'members.cjs' })) as string[]), 'mpi']; // of fista-classify/mpi
  };

  it('has a section for every call, and for nothing else', async () => {
    const sections = headings.filter((title) => /\(|^backend$/.test(title)).map((title) => title.replace(/\(.*/, ''));
    expect(sections.sort()).toEqual((await members()).sort());
  });

  it('says what each call returns', () => {
    const sections = page.split(/^### /m).filter((section) => /^\S+\(/.test(section));
    for (const section of sections) expect(section).toContain('*Returns*');
  });

  it('names every type that is exported, and every member of it', () => {
    const source = ts.createSourceFile('types.ts', text('lib/types.ts'), ts.ScriptTarget.ES2022);
    const words = new Set([...page.matchAll(/`[^`\n]+`|```[^]*?```/g)].flatMap(([code]) => code.match(/\w+/g) ?? []));
    const missing: string[] = [];
    let seen = 0;
    const look = (node: ts.Node, of: string) => {
      if (ts.isPropertySignature(node) || ts.isMethodSignature(node)) {
        const name = (node.name as ts.Identifier).text;
        seen++;
        if (!words.has(name)) missing.push(`${of}.${name}`);
      }
      ts.forEachChild(node, (child) => look(child, of));
    };
    for (const statement of source.statements) {
      if (!ts.isInterfaceDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) continue;
      const { text: name } = statement.name;
      const exported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (exported && !words.has(name)) missing.push(name);
      // A signal and streams are the platform's.
      if (!['Signal', 'TargetStream', 'WebStream'].includes(name)) look(statement, name);
    }
    expect(missing).toEqual([]);
    expect(seen).toBeGreaterThan(150);
  });
});

describe('docs/guide.md', () => {
  it('explains every code that errors have', () => {
    const codes = [...text('lib/errors.ts').matchAll(/'(ERR_\w+)'/g)].map(([, code]) => code!);
    const guide = text('docs/guide.md');
    expect(codes.length).toBeGreaterThan(8);
    for (const code of codes) expect(guide).toContain(`| \`${code}\` |`);
  });
});

describe('CONTRIBUTING.md', () => {
  const page = text('CONTRIBUTING.md');

  it('has every script that is for people', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const run = ['install', 'test', 'start'];
    const others = Object.keys(scripts).filter((name) => ![...run, 'prepare', 'pretest'].includes(name));
    for (const command of [...run.map((name) => `npm ${name}`), ...others.map((name) => `npm run ${name}`)])
      expect(page).toContain(`| \`${command}\` |`);
  });

  it('names files that are there', () => {
    const names = [...page.matchAll(/`((?:lib|native|test|scripts|bench|docs|\.github)\/[\w./*-]+)`/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(50);
    const isThere = (name: string) => {
      if (!name.includes('*')) return existsSync(join(ROOT, name));
      const pattern = new RegExp(`^${basename(name).replace('*', '.*')}$`);
      return readdirSync(join(ROOT, dirname(name))).some((entry) => pattern.test(entry));
    };
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
