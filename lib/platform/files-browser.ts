/** There are no files in a browser; gzip is decompressed by its streams. The twin of files.ts. */
import { coded, show } from '../errors.js';

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

// eslint-disable-next-line @typescript-eslint/require-await -- it throws when it is read, as one does whose file is missing
export async function* fromFile(path: string): Chunks {
  throw coded(
    TypeError,
    'ERR_SOURCE',
    `Expected a stream or a Uint8Array for source, as there are no files in a browser, but received ${show(path)}`,
  );
}

export async function* gunzip(compressed: Chunks, _chunk: number, reword: (error: Error) => unknown): Chunks {
  const { readable, writable } = new DecompressionStream('gzip');
  let failed: { readonly error: unknown } | undefined;
  const copies = async function* () {
    try {
      for await (const chunk of compressed) yield Uint8Array.from(chunk); // a chunk is valid until the next
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  const writer = writable.getWriter();
  const writing = (async () => {
    for await (const chunk of copies()) await writer.write(chunk);
    await writer.close();
  })();
  writing.catch((error) => writer.abort(error)).catch(() => undefined); // reading fails then, too
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value: Uint8Array };
      if (done) break;
      yield value;
    }
    await writing;
  } catch (error) {
    throw failed ? failed.error : reword(error as Error);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
