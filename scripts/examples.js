// The examples of the documentation, run as its readers run them: pasted into a file .mjs, in a folder that holds the package alone.
'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { promisify } = require('node:util');

/** The ```js blocks of a page, each with the line of its first statement. */
function examplesIn(page) {
  return [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map((match) => ({
    line: page.slice(0, match.index).split('\n').length + 1,
    code: match[1],
  }));
}

/**
 * What an example says it prints, line by line: the comment behind a console.log, and the comments on lines of their own that follow one
 * at once.
 */
function printedBy(code) {
  const printed = [];
  let follows = false;
  for (const line of code.split('\n')) {
    const own = /^\s*\/\/ (.*)$/.exec(line);
    if (own) {
      if (follows) printed.push(own[1]);
      continue;
    }
    follows = line.includes('console.log(');
    const behind = follows && /; \/\/ (.*)$/.exec(line);
    if (behind) printed.push(behind[1]);
  }
  return printed;
}

/** … stands for any text within a line; a line that ends in ", for example" for one line or more. */
function matches(printed, said) {
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = said.map((line) => (line.endsWith(', for example') ? '[^]+' : line.split('…').map(escaped).join('.*')));
  return new RegExp(`^${pattern.map((line) => `${line}\n`).join('')}$`).test(printed);
}

/**
 * Runs code in a new folder where the package, which is elsewhere, can be imported, and those of its development dependencies that are to be
 * beside it; hands over what it prints.
 */
async function runExample(code, packageFolder, { name = 'example.mjs', env = process.env, beside = [] } = {}) {
  return inFolder(packageFolder, beside, (folder) => {
    fs.writeFileSync(join(folder, name), code);
    return printedIn(folder, name, env);
  });
}

/** Runs a program of a folder in a copy of that folder, in the same way. */
async function runProgram(source, name, packageFolder) {
  return inFolder(packageFolder, [], (folder) => {
    fs.cpSync(source, folder, { recursive: true });
    return printedIn(folder, name, process.env);
  });
}

async function inFolder(packageFolder, beside, work) {
  const folder = fs.mkdtempSync(join(tmpdir(), 'fista-example-'));
  try {
    fs.mkdirSync(join(folder, 'node_modules'));
    fs.symlinkSync(packageFolder, join(folder, 'node_modules', 'fista-classify'), 'junction');
    for (const other of beside) {
      fs.mkdirSync(dirname(join(folder, 'node_modules', other)), { recursive: true }); // of a scope
      fs.symlinkSync(join(packageFolder, 'node_modules', other), join(folder, 'node_modules', other), 'junction');
    }
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function printedIn(folder, name, env) {
  const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder, env });
  return stdout;
}

module.exports = { examplesIn, printedBy, matches, runExample, runProgram };
