/** Settings of mutation testing. scripts/test-mutation.js chooses the modules and their tests. */
/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.mts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000, // on a busy machine, a slow test is not an endless one
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  jsonReporter: { fileName: 'coverage/mutation.json' },
  tempDirName: 'coverage/stryker',
  ignorePatterns: ['bench/results', 'build-*', 'coverage'],
};
