import { describe, expect, it } from 'vitest';
import { abortable } from '../../lib/io/source.js';

describe('abortable(items, signal)', () => {
  it('passes items on, and keeps none of them', async () => {
    const seen: WeakRef<object>[] = [];
    const items = async function* () {
      for (let k = 0; k < 100; k++) {
        const item = { bytes: new Uint8Array(10) };
        seen.push(new WeakRef(item));
        yield item;
        await new Promise((done) => setImmediate(done));
      }
      globalThis.gc!();
      await new Promise((done) => setImmediate(done));
      globalThis.gc!();
    };
    let count = 0;
    for await (const { bytes } of abortable(items(), new AbortController().signal)) count += bytes.length;
    expect(count).toBe(1000);
    expect(seen.filter((one) => one.deref()).length).toBeLessThan(10);
  });

  it('throws the reason at once, though nothing comes', async () => {
    const controller = new AbortController();
    const items = async function* () {
      yield 1;
      await new Promise(() => undefined);
    };
    const all = abortable(items(), controller.signal);
    expect(await all.next()).toEqual({ done: false, value: 1 });
    setTimeout(() => controller.abort(new Error('enough')), 1);
    await expect(all.next()).rejects.toThrow('enough');
    await expect(abortable(items(), AbortSignal.abort(new Error('no'))).next()).rejects.toThrow('no');
  });

  it('closes the source of who stops early, and of no one who does not', async () => {
    let closed = 0;
    const items = () => ({
      left: 3,
      async next() {
        return Promise.resolve(this.left-- > 0 ? { done: false, value: 1 } : { done: true, value: undefined });
      },
      async return() {
        closed++;
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this as unknown as AsyncIterator<number>;
      },
    });
    for await (const one of abortable(items(), new AbortController().signal)) expect(one).toBe(1);
    expect(closed).toBe(0);
    for await (const one of abortable(items(), new AbortController().signal)) if (one === 1) break;
    expect(closed).toBe(1);
  });
});
