/** A real browser, where one is installed. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { HANG } from './child.js';

/** The path of Chromium or Chrome; undefined where there is none. */
export const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** Starts it. */
export function launch(args: readonly string[] = []): Promise<Browser> {
  // Debian's chromium is a shell script: it needs a PATH, even if the tests run without one. It does not start with a sanitizer preloaded.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/bin:/bin`, LD_PRELOAD: '' } as Record<string, string>;
  return chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox', ...args], env, timeout: HANG });
}

/** Says that tests are left out where there is no browser. */
export function sayIfLeftOut(what: string): void {
  if (!CHROMIUM) process.stdout.write(`Left out: ${what} in a browser. Install chromium, or name one in CHROMIUM_PATH.\n`);
}
