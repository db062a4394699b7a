/** Text or bytes through a Transform of Node: to gzip or from it. */
import { Readable, type Transform } from 'node:stream';

/**
 * Yields what `transform` makes of the chunks. Errors of `chunks` come out unchanged; those of `transform` go through `reword`. Each
 * chunk is copied, as the stream may still read it when the next is asked for. Both streams are destroyed in any case.
 */
export async function* pipe<T>(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  transform: Transform,
  reword: (error: Error) => unknown = (error) => error,
): AsyncGenerator<T, void, undefined> {
  let failed: { error: unknown } | undefined;
  const copies = async function* () {
    try {
      for await (const chunk of chunks) yield Buffer.from(chunk);
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  const input = Readable.from(copies(), { objectMode: true, highWaterMark: 1 });
  input.on('error', (error) => transform.destroy(error));
  input.pipe(transform);
  try {
    for await (const made of transform) yield made as T;
  } catch (error) {
    throw failed ? failed.error : reword(error as Error);
  } finally {
    input.destroy();
    transform.destroy();
  }
}
