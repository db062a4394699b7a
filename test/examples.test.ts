/** examples/spam and examples/churn, run as people copy them: in an empty folder beside the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../scripts/examples.js';
import { ROOT } from './support/child.js';

const run = (name: string) => runProgram(join(ROOT, 'examples', name), `${name}.mjs`, ROOT);

describe.concurrent('examples', () => {
  it('spam/spam.mjs trains on texts, saves, loads, predicts and explains', async () => {
    const printed = await run('spam');
    const [sizes, accuracy, , spam, ham] = printed.split('\n') as [string, string, string, string, string];
    expect(sizes).toMatch(/^30 messages, \d{3} words and pairs$/);
    expect(Number(/^accuracy on 10 others: (.*)$/.exec(accuracy)![1])).toBeGreaterThanOrEqual(0.8);
    expect(spam).toMatch(/^spam: "Claim your free prize now" because of .*\bfree \(0\./);
    expect(ham).toMatch(/^ham: "I will call you when I am home" because of \w+/);
  });

  it('churn/churn.mjs trains on a table with categories, dates and gaps, and explains a customer', async () => {
    const printed = await run('churn');
    expect(printed).toContain('customer: ignore\n  joined: date\n  plan: category\n  payment: category\n  monthly: number\n');
    expect(Number(/accuracy (0\.\d\d), area/.exec(printed)![1])).toBeGreaterThan(0.8);
    const column = [...printed.matchAll(/^ {2}(\w+) .*?(-?\d+\.\d\d)$/gm)].map(([, name, share]) => [name, Number(share)] as const);
    const sum = column.find(([name]) => name === 'sum')![1];
    const added = column.filter(([name]) => name !== 'sum').reduce((total, [, share]) => total + share, 0);
    expect(Math.abs(added - sum)).toBeLessThan(0.05); // each is rounded to two digits
  });

  it('are shorter than fifty lines', () => {
    for (const name of ['spam', 'churn']) {
      const [program] = readdirSync(join(ROOT, 'examples', name)).filter((file) => file.endsWith('.mjs'));
      expect(readFileSync(join(ROOT, 'examples', name, program!), 'utf8').split('\n').length).toBeLessThan(50);
    }
  });
});
