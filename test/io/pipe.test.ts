import { PassThrough, Transform } from 'node:stream';
import { createGzip, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pipe } from '../../lib/io/pipe.js';

async function* chunks(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

async function collect(all: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of all) parts.push(part);
  return Buffer.concat(parts);
}

const failing = (error: Error) => new Transform({ transform: (_chunk, _encoding, done) => done(error) });

describe('pipe(chunks, transform, reword)', () => {
  it('gives the output of the transform, for bytes and text', async () => {
    expect(String(gunzipSync(await collect(pipe<Uint8Array>(chunks('a', 'b', 'c'), createGzip()))))).toBe('abc');
    expect(String(gunzipSync(await collect(pipe<Uint8Array>(['ä', '', 'b'], createGzip()))))).toBe('äb');
    expect(String(await collect(pipe<Uint8Array>(chunks(), new PassThrough())))).toBe('');
  });

  it('copies a chunk whose memory is reused before it is read', async () => {
    const reused = async function* () {
      const buffer = Buffer.alloc(1);
      for (const letter of 'abcdef') {
        await Promise.resolve();
        buffer.write(letter);
        yield buffer;
      }
    };
    expect(String(await collect(pipe<Uint8Array>(reused(), new PassThrough())))).toBe('abcdef');
  });

  it('throws an error of the chunks unchanged, and one of the transform reworded', async () => {
    const [ours, theirs] = [new Error('of the chunks'), new Error('of the transform')];
    const reword = (error: Error) => new Error('reworded', { cause: error });
    await expect(collect(pipe<Uint8Array>(chunks('a', ours), new PassThrough(), reword))).rejects.toBe(ours);
    await expect(collect(pipe<Uint8Array>(chunks('a'), failing(theirs), reword))).rejects.toMatchObject({
      message: 'reworded',
      cause: theirs,
    });
    await expect(collect(pipe<Uint8Array>(chunks('a'), failing(theirs)))).rejects.toBe(theirs);
  });

  it('ends the chunks and the transform if the reader stops early', async () => {
    let ended = false;
    const endless = async function* () {
      try {
        for (;;) {
          await new Promise(setImmediate);
          yield Buffer.from('x');
        }
      } finally {
        ended = true;
      }
    };
    const transform = new PassThrough();
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- one is enough
    for await (const _ of pipe<Uint8Array>(endless(), transform)) break;
    expect(transform.destroyed).toBe(true);
    for (let k = 0; k < 100 && !ended; k++) await new Promise(setImmediate);
    expect(ended).toBe(true);
  });
});
