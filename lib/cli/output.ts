/** Prints for the command line; nothing else in lib prints. Results go to stdout, everything else to stderr. */
import { fstatSync, readSync, statSync } from 'node:fs';
import { printable } from '../errors.js';

const CLEAR = '\r\u001b[2K';

export class Output {
  quiet = false;
  json = false;
  /** Of processes that do the same, the number of this one: 0 prints for all of them. */
  rank = 0;
  #closed = false;
  #shown = false;
  #drawn = -Infinity;

  constructor() {
    // A reader that closes the pipe early (| head) ends the printing, not the work.
    process.stdout.on('error', () => (this.#closed = true));
    process.stderr.on('error', () => {});
  }

  /** Whether the reader of stdout has closed it. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Whether stdout was closed from the start (>&-). Node then opens /dev/null in its place, and output is lost without an error. Node opens
   * it for reading and writing; a shell opens it for writing only, with > /dev/null, where losing the output is intended.
   */
  get lost(): boolean {
    try {
      const [stdout, nothing] = [fstatSync(1), statSync('/dev/null')];
      if (!stdout.isCharacterDevice() || stdout.rdev !== nothing.rdev) return false;
      readSync(1, Buffer.alloc(1));
      return true;
    } catch {
      return false; // open for writing only, or there is no such device
    }
  }

  /** Prints a result: one JSON object with --json, otherwise lines of text. */
  result(json: object, lines: readonly string[]): Promise<void> {
    // JSON.stringify escapes some control characters; printable escapes the others.
    const text = this.json ? printable(JSON.stringify(json)) : lines.join('\n');
    return text === '' || this.rank > 0 ? Promise.resolve() : this.write(`${text}\n`);
  }

  /** Writes text or bytes to stdout, unchanged. */
  write(text: string | Uint8Array): Promise<void> {
    this.clear();
    if (this.#closed) return Promise.resolve();
    return new Promise((done, fail) => {
      process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (error) this.#closed = true;
        // An error other than a closed pipe, such as a full disk, means that the output is incomplete.
        if (error && error.code !== 'EPIPE') fail(Object.assign(error, { path: 'stdout' }));
        else done();
      });
    });
  }

  /** Prints a line that is not part of the result, such as a summary, unless --quiet or --json is given. */
  say(line: string): void {
    if (!this.quiet && !this.json && this.rank === 0) this.#aside(line);
  }

  /** Prints a warning or an error, with --quiet too. */
  warn(line: string): void {
    if (this.rank === 0) this.#aside(`fista-classify: ${line}`);
  }

  #aside(line: string): void {
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  /** Whether stderr is a terminal that can show the progress line. */
  get live(): boolean {
    return process.stderr.isTTY && !this.quiet && this.rank === 0 && process.env.TERM !== 'dumb';
  }

  /** Replaces the progress line, at most ten times a second. */
  progress(line: () => string): void {
    const now = performance.now();
    if (!this.live || now - this.#drawn < 100) return;
    this.#drawn = now;
    this.#shown = true;
    const text = line().slice(0, Math.max(20, (process.stderr.columns || 80) - 1));
    process.stderr.write(CLEAR + (process.env.NO_COLOR ? text : `\u001b[2m${text}\u001b[22m`));
  }

  /** Removes the progress line. */
  clear(): void {
    if (this.#shown) process.stderr.write(CLEAR);
    this.#shown = false;
  }
}
