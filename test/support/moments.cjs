// Preloaded into the command line (node --require): the process sends itself signals at a given moment, so that no test depends on
// timing. MOMENT names the moment, SIGNALS the signals. A moment is one of
//   check 3          the third check of a fit
//   open FILE        while this file is being opened (opening a named pipe waits for its other end)
//   create FILE, write FILE, half FILE, sync FILE, close FILE, rename FILE, renamed FILE
//                    the steps by which lib/io/atomic.ts replaces a file: before each of them, after half of the write, after the rename
'use strict';
const fs = require('node:fs/promises');
const { basename } = require('node:path');
const { LinearSvm } = require('../..');

const { MOMENT, SIGNALS } = process.env;

function at(moment) {
  if (moment === MOMENT) for (const signal of SIGNALS.split(',')) process.kill(process.pid, signal);
}

const { open, rename } = fs;

fs.open = async (path, flags, ...rest) => {
  const name = basename(path).replace(/\.\d+-[0-9a-f]+\.tmp$/, ''); // a temporary file is named after the one it replaces
  if (flags !== 'wx') {
    const opening = open(path, flags, ...rest);
    at(`open ${name}`);
    return opening;
  }
  at(`create ${name}`);
  const file = await open(path, flags, ...rest);
  const { writeFile, sync, close } = file;
  file.writeFile = async (content) => {
    at(`write ${name}`);
    const bytes = Buffer.from(content);
    const middle = bytes.length >> 1;
    await writeFile.call(file, bytes.subarray(0, middle));
    if (middle > 0) at(`half ${name}`);
    await writeFile.call(file, bytes.subarray(middle));
  };
  file.sync = () => (at(`sync ${name}`), sync.call(file));
  file.close = () => (at(`close ${name}`), close.call(file));
  return file;
};

fs.rename = async (from, to) => {
  at(`rename ${basename(to)}`);
  await rename(from, to);
  at(`renamed ${basename(to)}`);
};

const { fitAsync } = LinearSvm;
LinearSvm.fitAsync = (points, labels, options) => {
  let checks = 0;
  const onProgress = (progress) => {
    at(`check ${++checks}`);
    options.onProgress?.(progress);
  };
  return fitAsync.call(LinearSvm, points, labels, { ...options, onProgress });
};
