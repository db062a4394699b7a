import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup.ts',
    pool: 'forks', // the addon runs in separate processes, as in users' programs
    execArgv: ['--expose-gc'],
    maxWorkers: '100%', // many tests wait for child processes
    // So long that only a hang exceeds it, even on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    env: {
      // Where no addon loads, test/setup.ts says so once, and the processes that tests start print only what the tests expect.
      NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', '--disable-warning=FISTA_CLASSIFY_NOT_NATIVE'].join(' ').trim(),
      // scripts/coverage.js also measures the processes that tests start; vitest measures its workers itself.
      ...(process.env.COVERAGE_OF_PROCESSES && { NODE_V8_COVERAGE: process.env.COVERAGE_OF_PROCESSES }),
    },
    tags: [{ name: 'slow', description: 'takes a second or more: left out of mutation testing' }],
  },
});
