import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup.ts',
    pool: 'forks', // the addon, like users' programs, in a process of its own
    execArgv: ['--expose-gc'],
    maxWorkers: '100%', // many tests wait for child processes
    // A hang, and nothing else, takes so long, on however busy a machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // scripts/coverage.js counts in the processes that tests start, too; in the workers themselves vitest does.
    env: process.env.COVERAGE_OF_PROCESSES ? { NODE_V8_COVERAGE: process.env.COVERAGE_OF_PROCESSES } : {},
    tags: [{ name: 'slow', description: 'takes a second or more: left out of mutation testing' }],
  },
});
