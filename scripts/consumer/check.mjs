// Run where fista-classify is installed: node check.mjs <native|js> [loadError]. Fails unless that backend is in use with named imports,
// which are those of require.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as imported from 'fista-classify';
import { backend, Dataset, LinearSvm } from 'fista-classify';

const [name, loadError] = process.argv.slice(2);
assert.equal(backend.name, name, backend.loadError?.message);
if (loadError) assert.match(backend.loadError?.message ?? '', /did not load[^]*npx fista-classify build/);
else assert.equal(backend.loadError, undefined);
assert.equal(Dataset.from({ data: new Float32Array(6), rows: 2, cols: 3 }).cols, 3);

const required = createRequire(import.meta.url)('fista-classify');
assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
for (const [key, value] of Object.entries(required)) assert.equal(imported[key], value);
assert.ok(required.LinearSvm.fit([[1], [2]], ['a', 'b']) instanceof LinearSvm);
console.log(`    import: ${backend.name}${loadError ? ', with the reason in backend.loadError' : ''}`);
