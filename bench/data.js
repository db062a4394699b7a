// Finds the data sets of the benchmarks. They are not part of the repository: from --data, FISTA_CLASSIFY_DATA, or ../shared/data.
'use strict';
const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');

// sha256 of the text as it is on the LIBSVM data page, not compressed.
const LIBSVM = 'https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary';
const SETS = {
  a9a: { from: `${LIBSVM}/a9a`, sha256: '76b604b2c3f738783537bd3b32893eae66af54b8a41aee534fac1ecea45c1535' },
};

/** (name) => the text of a set as a Buffer, or undefined after saying what to download. */
function finder(named) {
  const folders = [named, process.env.FISTA_CLASSIFY_DATA, join(__dirname, '..', '..', 'shared', 'data')].filter(Boolean);
  return (name) => {
    const { from, sha256 } = SETS[name];
    const names = [name, `${name}.libsvm`, `${name}.gz`, `${name}.libsvm.gz`];
    const file = folders.flatMap((folder) => names.map((n) => join(folder, n))).find((path) => existsSync(path));
    if (file === undefined) {
      console.log(
        `Left out: the data set ${name} is not in ${folders.join(' or ')}.\nDownload ${from} into a folder and name it with --data ` +
          `or FISTA_CLASSIFY_DATA. Its sha256 is ${sha256}.\n`,
      );
      return undefined;
    }
    const bytes = readFileSync(file);
    const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== sha256) console.log(`Note: ${file} is not the file expected (sha256 ${found} rather than ${sha256}).\n`);
    return text;
  };
}

module.exports = { finder };
