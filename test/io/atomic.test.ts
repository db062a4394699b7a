import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../../lib/io/atomic.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
const path = join(folder, 'model.json');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

const text = () => readFileSync(path, 'utf8');

describe('writeAtomically(path, chunks)', () => {
  it('writes text and bytes from an array, a generator or an async generator', async () => {
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

  it('keeps the old file, and leaves no other, if the source fails midway', async () => {
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

  it('leaves no file if the source fails and there was none', async () => {
    const failing = (function* () {
      yield 'new';
      throw new Error('mine');
    })();
    await expect(writeAtomically(path, failing)).rejects.toThrow('mine');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the mode of the file it replaces, and symbolic links to it', async () => {
    writeFileSync(path, 'old');
    const link = join(folder, 'link');
    symlinkSync(path, link);
    // The last mode has bits that the umask removes from new files.
    for (const mode of [0o640, 0o600, 0o666]) {
      chmodSync(path, mode);
      await writeAtomically(link, [`new ${mode}`]);
      expect(text()).toBe(`new ${mode}`);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(mode);
    }
  });

  it('follows symbolic links to a file that does not exist yet', async () => {
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
    symlinkSync(join('deep', 'er'), join(folder, 'short'));
    symlinkSync(join('..', 'next'), join(folder, 'deep', 'er', 'link')); // deep/next
    symlinkSync(path, join(folder, 'deep', 'next'));
    await writeAtomically(join(folder, 'short', 'link'), ['new']);
    expect(text()).toBe('new');
    expect(lstatSync(join(folder, 'deep', 'er', 'link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(folder, 'deep', 'next')).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['deep', 'model.json', 'short']);
    const nowhere = join(folder, 'nowhere');
    symlinkSync(join(folder, 'none', 'x'), nowhere);
    await expect(writeAtomically(nowhere, ['a'])).rejects.toMatchObject({ code: 'ENOENT', path: nowhere });
    const circle = join(folder, 'circle');
    symlinkSync(circle, circle);
    await expect(writeAtomically(circle, ['a'])).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('removes temporary files of killed processes, and no others', async () => {
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const old = new Date(Date.now() - 3_600_000);
    const place = (name: string, time: Date) => {
      writeFileSync(join(folder, name), 'left');
      utimesSync(join(folder, name), time, time);
    };
    const stays = [
      `model.json.${process.pid}-0123abcd.tmp`, // its process is alive
      `model.json.${process.ppid}-0123abcd.tmp`,
      `model.json.${gone}-0123abc.tmp`, // not the name of a temporary file
      `other.json.${gone}-0123abcd.tmp`,
      `model.json.9999999999-0123abcd.tmp`, // no process can have this id
      'model.json.tmp',
    ];
    for (const name of stays) place(name, old);
    place(`model.json.${gone}-0000000a.tmp`, new Date()); // its process may be alive on another machine
    mkdirSync(join(folder, `model.json.${gone}-0000000b.tmp`));
    place(`model.json.${gone}-0123abcd.tmp`, old);
    place(`model.json.${process.pid}-0000000c.tmp`, new Date(Date.now() - 25 * 3_600_000)); // of an older process with the same id
    await writeAtomically(path, ['new']);
    expect(readdirSync(folder).sort()).toEqual(
      ['model.json', ...stays, `model.json.${gone}-0000000a.tmp`, `model.json.${gone}-0000000b.tmp`].sort(),
    );
  });

  it('rejects with ENOENT and the given path if there is no such folder', async () => {
    const inside = join(folder, 'none', 'x');
    const error = await writeAtomically(inside, ['a']).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'ENOENT', path: inside, message: expect.not.stringContaining('.tmp') as string });
  });

  it.skipIf(process.platform === 'win32')('writes to a device without replacing it, and refuses a folder', async () => {
    await writeAtomically('/dev/null', ['a']);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    await expect(writeAtomically(folder, ['a'])).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('leaves the whole content of one of several concurrent writers', async () => {
    await Promise.all([1, 2, 3, 4].map((k) => writeAtomically(path, Array<string>(50).fill(String(k).repeat(1000)))));
    expect(text()).toMatch(/^(1{50000}|2{50000}|3{50000}|4{50000})$/);
    expect(readdirSync(folder)).toEqual(['model.json']);
  });
});
