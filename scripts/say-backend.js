// Prints the last line of npm install in a checkout: which kernels are in use.
'use strict';
delete process.env.FISTA_CLASSIFY_BACKEND; // with it, loading would fail where there is no addon
const { backend } = require('..');

console.log(
  backend.name === 'native'
    ? `fista-classify is ready and uses the native addon (${backend.simd}).`
    : `fista-classify is ready and uses ${backend.name === 'wasm' ? 'WebAssembly' : 'the TypeScript kernels'}: same answers, only slower. ` +
        'For the native addon install a C++17 compiler, make and Python 3, then run "npm run build:native".',
);
