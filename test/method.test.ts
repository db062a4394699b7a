/** Comments cite sections and certificates of docs/method.md: `(method 1.7)`, `(method C3)`, `(method 1.7, C3)`. Here is that they exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/child.js';

const ITEM = String.raw`(?:C\d+|\d+(?:\.\d+)?)`;
const CITATION = new RegExp(String.raw`\bmethod (${ITEM}(?:(?:, | and | to )${ITEM})*)`, 'g');

/** The numbers in the headings of a page: sections (1, 1.7) and certificates (C3), in their order. */
function numbersOf(page: string): string[] {
  return [...page.matchAll(/^#{2,3} (?:(\d+(?:\.\d+)?)\.?|(C\d+)\.) \S/gm)].map((match) => (match[1] ?? match[2])!);
}

/** The comments of a source file, each as one line of text, and where it begins. */
function commentsOf(text: string): { line: number; comment: string }[] {
  const blocks = text.matchAll(/\/\*[^]*?\*\/|(?<![:'"`])\/\/.*(?:\n[ \t]*\/\/.*)*/g);
  return [...blocks].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    comment: match[0].replace(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' '),
  }));
}

/** Each item of the citations in a comment; of a range its two ends. */
function itemsIn(comment: string): string[] {
  return [...comment.matchAll(CITATION)].flatMap((match) => match[1]!.split(/, | and | to /));
}

const files = ['lib', 'native', 'test', 'bench', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter(
      (name) => /\.(ts|js|cjs|mjs|cc|h|inl|c)$/.test(name) && !name.includes('node_modules') && name !== 'test/method.test.ts',
    ),
);
const comments = files.flatMap((file) =>
  commentsOf(readFileSync(join(ROOT, file), 'utf8')).map(({ line, comment }) => ({ file, where: `${file}:${line}`, comment })),
);
const page = readFileSync(join(ROOT, 'docs', 'method.md'), 'utf8');
const numbers = numbersOf(page);

describe('docs/method.md', () => {
  it('numbers each section and certificate once, and the certificates without gaps', () => {
    expect(numbers.filter((number, k) => numbers.indexOf(number) !== k)).toEqual([]);
    const certificates = numbers.filter((number) => number.startsWith('C'));
    expect(certificates).toEqual(certificates.map((_, k) => `C${k + 1}`));
    expect(certificates.length).toBeGreaterThan(10);
    expect(numbers).toEqual(expect.arrayContaining(['1', '1.1', '1.10', '4', '4.3']));
  });

  it('has a number for each of its headings', () => {
    expect([...page.matchAll(/^#{2,3} .*$/gm)]).toHaveLength(numbers.length);
  });

  it('refers to its own certificates and sections only', () => {
    const text = page.replace(/^```[^]*?^```$|`[^`]*`/gm, '');
    const mentioned = [...text.matchAll(/\b(C\d+)\b|\((\d+\.\d+)\)/g)].map((match) => (match[1] ?? match[2])!);
    expect(mentioned.length).toBeGreaterThan(40);
    expect(mentioned.filter((number) => !numbers.includes(number))).toEqual([]);
  });
});

describe('citations of docs/method.md', () => {
  it('are of sections and certificates that exist', () => {
    const cited = comments.flatMap(({ where, comment }) => itemsIn(comment).map((item) => ({ where, item })));
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(({ item }) => !numbers.includes(item)).map(({ where, item }) => `${where} cites ${item}`)).toEqual([]);
  });

  it('have one form', () => {
    const other = comments.filter(({ comment }) => {
      const rest = comment.replace(CITATION, '');
      return /\bC\d+\b|\bproof \d|method's (description|page)|\bMETHOD\b/.test(rest);
    });
    expect(other.map(({ where }) => where)).toEqual([]);
  });

  it.each([
    'lib/svm/ascent.ts',
    'lib/svm/certificate.ts',
    'lib/svm/check.ts',
    'lib/svm/fista.ts',
    'lib/svm/solve.ts',
    'lib/svm/stopping.ts',
    'lib/solver/bisection.ts',
    'lib/solver/halving.ts',
    'lib/solver/power-norm.ts',
    'lib/solver/step-size.ts',
    'lib/ellipsoids/cone-fista.ts',
    'lib/ellipsoids/separate.ts',
    'lib/selection/choose-gamma.ts',
    'lib/selection/cross-validation.ts',
    'lib/selection/trial.ts',
    'lib/backend/interface.ts',
    'lib/backend/tasks.ts',
    'lib/backend/fallback/cones.ts',
    'lib/backend/fallback/esp.ts',
    'lib/backend/fallback/knapsack.ts',
    'lib/backend/fallback/svm.ts',
    'native/kernels/cones.h',
    'native/kernels/esp.h',
    'native/kernels/esp.inl',
    'native/kernels/knapsack.h',
    'native/kernels/matrix_ascend.cc',
    'native/kernels/svm.cc',
    'native/kernels/svm.h',
    'native/kernels/svm.inl',
    'native/kernels/svm_ascent.cc',
    'native/kernels/svm_ascent.inl',
    'native/kernels/sweeps.inl',
    'native/kernels/table.h',
    'test/svm/certificate.test.ts',
    'test/support/truth.ts',
  ])('are in %s', (file) => {
    expect(files).toContain(file);
    expect(comments.filter((comment) => comment.file === file).flatMap(({ comment }) => itemsIn(comment))).not.toEqual([]);
  });
});
