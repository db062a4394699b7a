// Makes one module for browsers, dist/browser.mjs, of lib/browser.mts: with the WebAssembly module in it, where that was built, and with the
// code of the worker. Where a module x.ts has a neighbour x-browser.ts, the bundle has that one.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const esbuild = require('esbuild');
const { root } = require('./tools.js');

const WASM = join(root, 'prebuilds', 'wasm', 'fista-classify.wasm');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  platform: 'browser',
  target: 'es2022',
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  inject: ['lib/platform/bytes-browser.ts'],
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
};

/** Takes the neighbour for browsers where there is one, and what `embedded` says for lib/backend/wasm/embedded.ts. */
function forBrowsers(embedded) {
  return {
    name: 'for-browsers',
    setup(build) {
      build.onLoad({ filter: /[/\\]lib[/\\].*\.ts$/ }, ({ path }) => {
        return embedded && path.endsWith(join('wasm', 'embedded.ts')) ? { contents: embedded, loader: 'ts' } : undefined;
      });
      // By path, so that there is one module of it, whoever imports it and by which name.
      build.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
        const neighbour = join(resolveDir, path.replace(/\.js$/, '-browser.ts'));
        return existsSync(neighbour) ? { path: neighbour } : undefined;
      });
    },
  };
}

/** The module's bytes as an expression. They decode by atob, which browsers, Node and the edge have. */
function bytes() {
  if (!existsSync(WASM)) return 'undefined';
  return `Uint8Array.from(atob('${readFileSync(WASM).toString('base64')}'), (sign) => sign.charCodeAt(0))`;
}

async function main() {
  const worker = await esbuild.build({
    ...common,
    entryPoints: ['lib/backend/wasm/browser-worker.ts'],
    format: 'iife',
    plugins: [forBrowsers()],
  });
  const code = worker.outputFiles[0].text.trim();
  const embedded = `export const wasmBytes = /* @__PURE__ */ (() => ${bytes()})();\nexport const workerCode = ${JSON.stringify(code)};`;
  const outfile = join(root, 'dist', 'browser.mjs');
  await esbuild.build({
    ...common,
    write: true,
    entryPoints: ['lib/browser.mts'],
    outfile,
    format: 'esm',
    plugins: [forBrowsers(embedded)],
  });
  const { size } = statSync(outfile);
  console.log(`dist/browser.mjs: ${(size / 1000).toFixed(0)} kB, ${existsSync(WASM) ? 'with' : 'without'} WebAssembly`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
