// Runs the C++ tests of the kernels: all of them under AddressSanitizer and UndefinedBehaviorSanitizer, then those with threads
// under ThreadSanitizer. Needs cmake, and g++ or clang with their sanitizer libraries.
'use strict';
const { buildSanitized, compiler, fail, jobs, run, works } = require('./tools.js');

if (process.platform === 'win32') fail('this needs the sanitizers of g++ or clang, and does not run on Windows');
const missing = ['cmake', 'ctest', compiler].filter((tool) => !works(tool, '--version'));
if (missing.length > 0) fail(`missing ${missing.join(', ')}; on Debian: apt-get install cmake g++ make`);

run('ctest', ['--test-dir', buildSanitized(), '--output-on-failure', '--no-tests=error', '-j', jobs], {
  ASAN_OPTIONS: 'allocator_may_return_null=1:detect_stack_use_after_return=1:strict_init_order=1',
});

const threaded = ['parallel', 'memory', 'knapsack', 'matrix', 'row_file', 'planes', 'svm', 'ranks', 'interrupt', 'esp'];
const settings = ['-DFISTA_SANITIZE=thread', '-DCMAKE_BUILD_TYPE=None', `-DCMAKE_CXX_COMPILER=${compiler}`, '-Wno-dev'];
run('cmake', ['-S', '.', '-B', 'build-tsan', ...settings]);
run('cmake', ['--build', 'build-tsan', '--parallel', jobs, '--target', ...threaded.map((name) => `test_${name}`)]);
const only = ['-R', `^(${threaded.join('|')})$`];
const test = ['ctest', '--test-dir', 'build-tsan', '--output-on-failure', '--no-tests=error', '-j', jobs, ...only];
// Older versions of ThreadSanitizer fail if address randomisation uses more bits than they expect.
const fixed = ['setarch', process.arch === 'arm64' ? 'aarch64' : 'x86_64', '--addr-no-randomize'];
const [command, ...args] = works(...fixed, 'true') ? [...fixed, ...test] : test;
run(command, args, { TSAN_OPTIONS: 'halt_on_error=1' });
