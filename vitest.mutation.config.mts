/** The configuration for scripts/test-mutation.js: runs the tests of the module under mutation, in order, without the slow ones. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from './vitest.config.mjs';

const FILES = process.env.MUTATION_TESTS!.split(',').map((name) => `test/${name}.test.ts`);

const place = ({ moduleId }: TestSpecification) => FILES.findIndex((name) => moduleId.endsWith(name));

/** The first failure ends a run, so the tests that fail soonest come first. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}

export default defineConfig({
  test: {
    ...base.test,
    include: FILES,
    tags: base.test!.tags!.map((tag) => ({ ...tag, skip: true })),
    execArgv: [], // Stryker runs tests in threads, which take no arguments
    sequence: { sequencer: InOrder },
  },
});
