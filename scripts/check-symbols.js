// Fails if a Linux binary for glibc needs a newer system than Node 20 does.
'use strict';
const { execFileSync } = require('node:child_process');

const NEWEST = { GLIBC: '2.28', GLIBCXX: '3.4.25', CXXABI: '1.3.11' };

function newer(a, b) {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) > (y[i] ?? 0);
  }
  return false;
}

/** Returns the newest version of each library that `file` needs, such as { GLIBC: '2.14', … }; throws if one is too new. */
function checkSymbols(file, objdump = 'objdump') {
  const table = execFileSync(objdump, ['-T', file], { encoding: 'utf8' });
  const found = {};
  const offenders = [];
  for (const [, name, version, symbol] of table.matchAll(/\*UND\*.*?\(?(GLIBC|GLIBCXX|CXXABI)_([\d.]+)\)?\s+(\S+)$/gm)) {
    if (!found[name] || newer(version, found[name])) found[name] = version;
    if (newer(version, NEWEST[name])) offenders.push(`${symbol} needs ${name}_${version}, allowed is ${NEWEST[name]}`);
  }
  if (!found.GLIBC) throw new Error(`${file}: no versioned symbols in the output of ${objdump}`);
  if (offenders.length > 0) throw new Error(`${file} would not load on older systems:\n  ${offenders.join('\n  ')}`);
  return found;
}

module.exports = { checkSymbols };

if (require.main === module) {
  const [file, objdump] = process.argv.slice(2);
  console.log(file, checkSymbols(file, objdump));
}
