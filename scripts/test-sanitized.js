// Runs the whole vitest suite with the addon built with AddressSanitizer and UndefinedBehaviorSanitizer, which end the process at the
// first finding. Arguments are passed to vitest: npm run test:sanitized -- test/svm/linear-svm.test.ts
// Needs cmake and g++ with its sanitizer libraries, on Linux.
'use strict';
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const { buildSanitized, compiler, fail, root, run } = require('./tools.js');

// Tests that cannot run with the sanitizer, each with the reason.
const LEFT_OUT = {
  'backend/memory.test.ts': 'asserts resident memory, which the sanitizer multiplies and keeps (freed memory stays in quarantine)',
  'backend/memory-group.test.ts': 'limits resident memory, which the sanitizer multiplies',
  'io/onnx.test.ts': 'runs WebAssembly, which the sanitizer slows down and does not see',
};

// Tests of TypeScript alone, which have nothing for the sanitizer to find.
const WITHOUT_ADDON = [
  'backend/broken-install.test.ts',
  'backend/wasm.test.ts',
  'cli/build.test.ts',
  'metrics/**',
  'report/**',
  ...['bench', 'browser', 'layers', 'links', 'method', 'package', 'playground', 'types'].map((name) => `${name}.test.ts`),
];

if (process.platform !== 'linux') fail('the sanitizer is preloaded into node, which is supported on Linux only');
const library = (name) => {
  let path;
  try {
    path = execFileSync(compiler, [`-print-file-name=${name}`], { encoding: 'utf8' }).trim();
  } catch {
    fail('missing g++; on Debian: apt-get install cmake g++ make');
  }
  if (path === name) fail(`${compiler} has no ${name}`);
  return path;
};
// libstdc++ too: the sanitizer looks up its functions at the start, long before the addon loads it.
const preload = [library('libasan.so'), library('libstdc++.so.6')].join(':');

const folder = buildSanitized();

const given = process.argv.slice(2);
console.log('Left out: tests in a browser, which does not start with the sanitizer preloaded.');
console.log('Left out: tests named "holds little memory", which assert resident memory.');
console.log('Left out: tests that use no addon, and WebAssembly, which the sanitizer does not see.');
for (const [name, reason] of Object.entries(LEFT_OUT)) console.log(`Left out: test/${name} ${reason}.`);
run(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--pool=forks',
    '--testNamePattern=^(?!a page in a browser)(?!.*holds little memory)',
    ...[...Object.keys(LEFT_OUT), ...WITHOUT_ADDON].map((name) => `--exclude=test/${name}`),
    ...given,
  ],
  {
    LD_PRELOAD: preload,
    // detect_leaks: node itself does not free all memory at exit. allocator_may_return_null: tests expect failed allocations to be refused.
    // malloc_context_size: node allocates often, and walking the whole stack each time would take a quarter of the time.
    // abort_on_error: a finding ends the process by a signal, as a test might expect an exit code.
    ASAN_OPTIONS: 'abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2',
    UBSAN_OPTIONS: 'abort_on_error=1:print_stacktrace=1',
    FISTA_CLASSIFY_BACKEND: 'native',
    FISTA_CLASSIFY_LEAVE_OUT_WASM: '1',
    FISTA_CLASSIFY_BINARY: join(root, folder, 'Release', 'fista_classify.node'),
  },
);
