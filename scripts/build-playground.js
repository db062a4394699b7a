// Builds examples/playground into one HTML file that works from file:// and asks the network for nothing: build-playground/index.html.
//   npm run playground
// It holds dist/browser.mjs, so run `npm run build` before.
'use strict';
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const esbuild = require('esbuild');
const { fail, root } = require('./tools.js');

const SOURCES = join(root, 'examples', 'playground');
const LIBRARY = join(root, 'dist', 'browser.mjs');

const common = { bundle: true, write: false, minify: true, target: 'es2022', legalComments: 'none', logLevel: 'error' };

/** The text of what esbuild makes of a file. */
async function bundled(options) {
  const { outputFiles } = await esbuild.build({ ...common, ...options });
  return outputFiles[0].text.trim();
}

/** The source of a script or a style, as a Content-Security-Policy names it. */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Writes the page into a folder. Returns its path. */
async function buildPlayground(folder) {
  if (!existsSync(LIBRARY)) throw new Error('Expected dist/browser.mjs, which npm run build makes, but there is none');
  const [script, style] = await Promise.all([
    bundled({ entryPoints: [join(SOURCES, 'src', 'main.ts')], format: 'iife', platform: 'browser', alias: { 'fista-classify': LIBRARY } }),
    bundled({ entryPoints: [join(SOURCES, 'style.css')] }),
  ]);
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  // Nothing runs but this script and WebAssembly, for the page trains without workers; nothing is fetched.
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)} 'wasm-unsafe-eval'`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const template = readFileSync(join(SOURCES, 'index.html'), 'utf8');
  // Blanks around a script or a style would be hashed with it.
  const page = template
    .replace(/>\s*%style%\s*</, () => `>${style}<`)
    .replace(/>\s*%script%\s*</, () => `>${code}<`)
    .replace('%policy%', () => policy);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'index.html');
  writeFileSync(file, page);
  return file;
}

module.exports = { buildPlayground };

if (require.main === module) {
  buildPlayground(join(root, 'build-playground')).then(
    (file) => console.log(`${file}: ${(readFileSync(file).length / 1000).toFixed(0)} kB`),
    (error) => fail(error.message),
  );
}
