import { show, Verbatim } from '../errors.js';

/** What is wrong with a text that JSON.parse refused, and where, from 0; undefined: at its beginning. */
export function jsonDefect(error: unknown, text: string): { readonly at: number | undefined; readonly received: Verbatim } {
  const { message } = error as Error;
  const told = / at position (\d+)( \(line \d+ column \d+\))?$/.exec(message)?.[1];
  // For an invalid first character V8 gives the character but not its position.
  if (told === undefined && !message.endsWith('end of JSON input')) {
    const token = /^Unexpected token '(.+?)', /s.exec(message)?.[1] ?? message;
    return { at: undefined, received: new Verbatim(`${show(token)} where no value can begin`) };
  }
  const at = told === undefined ? text.length : Number(told);
  return { at, received: new Verbatim(text.slice(at).trim() === '' ? 'the end' : show(text.slice(at, at + 20))) };
}
