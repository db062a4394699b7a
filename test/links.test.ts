/** Relative links of the documentation lead to files and headings that are there. Other pages of the web are not asked for. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/child.js';

/** A page without its code, where brackets mean something else. */
function prose(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/<!--[^]*?-->/g, '');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title] of prose(file).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const shown = title!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let k = 1; anchors.has(anchor); k++) anchor = `${slug}-${k}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Where a page's links lead, but for those with a scheme. */
function linksOf(file: string): string[] {
  const text = prose(file).replace(/`[^`\n]*`/g, '');
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...text.matchAll(/^ {0,3}\[[^\]]+\]: +<?(\S+?)>?$/gm)];
  return [...inline, ...defined].map(([, to]) => to!).filter((to) => !/^[a-z][a-z+.-]*:/i.test(to));
}

/** What is wrong with a link, if anything is. */
function fault(file: string, to: string): string | undefined {
  const [path, anchor] = to.split('#') as [string, string | undefined];
  const target = path === '' ? file : posix.join(dirname(file).replaceAll('\\', '/'), decodeURIComponent(path));
  if (!existsSync(join(ROOT, target))) return `${to}: no such file`;
  if (anchor === undefined) return undefined;
  if (!target.endsWith('.md')) return `${to}: an anchor in a file that is no page`;
  return anchorsOf(target).has(anchor) ? undefined : `${to}: no such heading`;
}

const isPage = (name: string) => name.endsWith('.md');
const PAGES = [
  ...readdirSync(ROOT).filter(isPage),
  ...['docs', 'bench', 'examples/server', 'examples/playground', 'test/fixtures', '.github', '.github/ISSUE_TEMPLATE'].flatMap(
    (folder) =>
      readdirSync(join(ROOT, folder))
        .filter(isPage)
        .map((name) => `${folder}/${name}`),
  ),
];

describe('links', () => {
  it('are looked for in every page', () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/api.md', 'docs/guide.md']),
    );
    expect(linksOf('README.md').length).toBeGreaterThan(10);
  });

  it.each(PAGES)('%s links to files and headings that are there', (file) => {
    expect(linksOf(file).flatMap((to) => fault(file, to) ?? [])).toEqual([]);
  });

  it('that lead nowhere are found', () => {
    expect(fault('README.md', 'docs/nowhere.md')).toBe('docs/nowhere.md: no such file');
    expect(fault('docs/guide.md', '../README.md#nothing')).toBe('../README.md#nothing: no such heading');
    expect(fault('docs/guide.md', '#nothing')).toBe('#nothing: no such heading');
    expect(fault('docs/guide.md', 'api.md#errors')).toBeUndefined();
  });

  it('of the README lead to what is in the package', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    const always = ['README.md', 'LICENSE', 'package.json'];
    const isPacked = (path: string) =>
      always.includes(path) ||
      files.some(
        (entry) =>
          path === entry || (statSync(join(ROOT, entry), { throwIfNoEntry: false })?.isDirectory() && path.startsWith(`${entry}/`)),
      );
    expect(linksOf('README.md').filter((to) => !isPacked(to.replace(/#.*/, '') || 'README.md'))).toEqual([]);
  });
});
