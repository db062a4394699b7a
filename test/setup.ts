/** Runs once, before all test files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backend } from '../lib/backend/load.js';

export default function setup(): void {
  if (!existsSync(join(__dirname, '../dist/index.js'))) {
    throw new Error('Some tests run the compiled package: npm run build');
  }
  if (!existsSync(join(__dirname, '../prebuilds/wasm/fista-classify.wasm'))) {
    process.stdout.write('Tests of WebAssembly are left out: npm run build:wasm\n');
  }
  if (backend.name === 'native') return;
  const [reason] = backend.loadError?.message.split('\n') ?? [`FISTA_CLASSIFY_BACKEND=${backend.name}`];
  process.stdout.write(`Tests of the native backend are left out. ${reason}\n`);
}
