#!/usr/bin/env node
'use strict';
const words = process.argv.slice(2);
try {
  require('../dist/cli/main.js').main(words);
} catch ({ code, message }) {
  // It did not even load: a backend that was asked for is not there.
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else process.stderr.write(`fista-classify: ${message} [${code}]\n`);
  process.exitCode = 1;
}
