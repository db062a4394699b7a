// Fails if a compiler or build tool is on PATH.
'use strict';
const { existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');

const TOOLS = ['c++', 'cc', 'cl', 'clang', 'clang++', 'cmake', 'g++', 'gcc', 'make', 'ninja'];

for (const folder of process.env.PATH.split(delimiter)) {
  for (const tool of TOOLS) {
    for (const file of [join(folder, tool), join(folder, `${tool}.exe`)]) {
      if (existsSync(file)) throw new Error(`Expected no compiler on PATH but found ${file}`);
    }
  }
}
