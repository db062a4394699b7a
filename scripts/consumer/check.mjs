// Run where fista-classify is installed: node check.mjs <native|js> [loadError]. Fails unless that backend is in use with named imports.
import assert from 'node:assert/strict';
import { backend, Dataset } from 'fista-classify';

const [name, loadError] = process.argv.slice(2);
assert.equal(backend.name, name, backend.loadError?.message);
if (loadError) assert.match(backend.loadError?.message ?? '', /did not load/);
else assert.equal(backend.loadError, undefined);
assert.equal(Dataset.from({ data: new Float32Array(6), rows: 2, cols: 3 }).cols, 3);
console.log(`    import: ${backend.name}${loadError ? ', with the reason in backend.loadError' : ''}`);
