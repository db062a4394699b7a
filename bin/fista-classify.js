#!/usr/bin/env node
'use strict';
const words = process.argv.slice(2);
// The command that replaces the addon must run where it is missing or damaged, and does not load it.
if (words[0] === 'build') process.env.FISTA_CLASSIFY_BACKEND = 'js';
try {
  require('../dist/cli/main.js').main(words);
} catch ({ code, message }) {
  // It did not even load: a backend that was asked for is not there.
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`fista-classify: ${message} [${code}]\n`);
  process.exitCode = 1;
}
