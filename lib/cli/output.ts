/** What the command line prints; nothing else in lib prints. Results go to stdout, all else to stderr. */
import { fstatSync, readSync, statSync } from 'node:fs';
import { printable } from '../errors.js';

const CLEAR = '\r\u001b[2K';

export class Output {
  quiet = false;
  json = false;
  #closed = false;
  #shown = false;
  #drawn = -Infinity;

  constructor() {
    // A reader that has seen enough (| head) ends the printing, not the work.
    process.stdout.on('error', () => (this.#closed = true));
    process.stderr.on('error', () => {});
  }

  /** Whether nobody reads stdout any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Whether stdout was closed from the start: Node puts /dev/null in its place, open for reading too, and all that is written is lost
   * without an error. Who wants that says > /dev/null, which is open for writing only.
   */
  get lost(): boolean {
    try {
      const [stdout, nothing] = [fstatSync(1), statSync('/dev/null')];
      if (!stdout.isCharacterDevice() || stdout.rdev !== nothing.rdev) return false;
      readSync(1, Buffer.alloc(1));
      return true;
    } catch {
      return false; // for writing only, or no such device here
    }
  }

  /** One JSON object for machines, or lines for people. */
  result(json: object, lines: readonly string[]): Promise<void> {
    // JSON escapes most control characters itself.
    const text = this.json ? printable(JSON.stringify(json)) : lines.join('\n');
    return text === '' ? Promise.resolve() : this.write(`${text}\n`);
  }

  /** Text for stdout as it is. */
  write(text: string): Promise<void> {
    this.clear();
    if (this.#closed) return Promise.resolve();
    return new Promise((done, fail) => {
      process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (error) this.#closed = true;
        // A full disk is no reader that has seen enough: what was printed is not what there is.
        if (error && error.code !== 'EPIPE') fail(Object.assign(error, { path: 'stdout' }));
        else done();
      });
    });
  }

  /** A line beside the result: a summary, an announcement. */
  say(line: string): void {
    if (!this.quiet && !this.json) this.#aside(line);
  }

  /** A line that people should see even with --quiet. */
  warn(line: string): void {
    this.#aside(`fista-classify: ${line}`);
  }

  #aside(line: string): void {
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  /** Whether there is a terminal to draw the progress on. */
  get live(): boolean {
    return process.stderr.isTTY && !this.quiet && process.env.TERM !== 'dumb';
  }

  /** Draws the progress over the last one, at most ten times a second. */
  progress(line: () => string): void {
    const now = performance.now();
    if (!this.live || now - this.#drawn < 100) return;
    this.#drawn = now;
    this.#shown = true;
    const text = line().slice(0, Math.max(20, (process.stderr.columns || 80) - 1));
    process.stderr.write(CLEAR + (process.env.NO_COLOR ? text : `\u001b[2m${text}\u001b[22m`));
  }

  /** Takes the progress away. */
  clear(): void {
    if (this.#shown) process.stderr.write(CLEAR);
    this.#shown = false;
  }
}
