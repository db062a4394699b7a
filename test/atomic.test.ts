import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../lib/atomic.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
const path = join(folder, 'model.json');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const text = () => readFileSync(path, 'utf8');

describe('writeAtomically', () => {
  it('writes text and bytes, from an array, a generator or an async one', async () => {
    await writeAtomically(path, ['a', Buffer.from('b'), 'ä']);
    expect(text()).toBe('abä');
    await writeAtomically(path, (function* () {
      yield 'c';
    })()); // prettier-ignore
    expect(text()).toBe('c');
    await writeAtomically(path, (async function* () {
      yield await Promise.resolve('d');
    })()); // prettier-ignore
    expect(text()).toBe('d');
    await writeAtomically(path, []);
    expect(text()).toBe('');
    expect(readdirSync(folder)).toEqual(['model.json']);
  });

  it('leaves the old file as it is, and none beside it, while and after the source fails midway', async () => {
    writeFileSync(path, 'old');
    const mine = new Error('mine');
    const failing = (function* () {
      yield 'new'.repeat(100_000);
      expect(text()).toBe('old');
      expect(readdirSync(folder)).toHaveLength(2);
      throw mine;
    })();
    expect(await writeAtomically(path, failing).catch((error: unknown) => error)).toBe(mine);
    expect(text()).toBe('old');
    expect(readdirSync(folder)).toEqual(['model.json']);
  });

  it('leaves nothing where there was nothing', async () => {
    const failing = (function* () {
      yield 'new';
      throw new Error('mine');
    })();
    await expect(writeAtomically(path, failing)).rejects.toThrow('mine');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the mode of the file it replaces, and a link to it', async () => {
    writeFileSync(path, 'old');
    const link = join(folder, 'link');
    symlinkSync(path, link);
    // The last has bits that the process's mask takes away from new files.
    for (const mode of [0o640, 0o600, 0o666]) {
      chmodSync(path, mode);
      await writeAtomically(link, [`new ${mode}`]);
      expect(text()).toBe(`new ${mode}`);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(mode);
    }
  });

  it('says so where there is no such folder', async () => {
    await expect(writeAtomically(join(folder, 'none', 'x'), ['a'])).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.skipIf(process.platform === 'win32')('writes to what is no regular file, and does not replace it', async () => {
    await writeAtomically('/dev/null', ['a']);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    await expect(writeAtomically(folder, ['a'])).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('lets writers of one file come in any order, each whole', async () => {
    await Promise.all([1, 2, 3, 4].map((k) => writeAtomically(path, Array<string>(50).fill(String(k).repeat(1000)))));
    expect(text()).toMatch(/^(1{50000}|2{50000}|3{50000}|4{50000})$/);
    expect(readdirSync(folder)).toEqual(['model.json']);
  });
});
