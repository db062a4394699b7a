import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup.ts',
    pool: 'forks', // the addon, like users' programs, in a process of its own
    execArgv: ['--expose-gc'],
    maxWorkers: '100%', // many tests wait for child processes
    testTimeout: 60_000,
  },
});
