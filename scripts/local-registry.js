// A registry on this machine that serves one tarball as if it were published, and passes everything else on to npm's registry. Package
// managers then install the package by its name, as users do, with all that they decide by what a registry says about a package.
'use strict';
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { basename } = require('node:path');

/** Starts the registry; returns its address, and a function that stops it. */
async function serve(tarball, upstream) {
  const bytes = readFileSync(tarball);
  const manifest = JSON.parse(execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' }));
  const { name, version } = manifest;
  const hash = (algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding);
  // Package managers may refuse what was published less than some days ago.
  const time = '2026-01-01T00:00:00.000Z';

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status = 200, type = 'application/json', body }) => response.writeHead(status, { 'content-type': type }).end(body),
      (error) => response.writeHead(502).end(String(error)),
    );
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${server.address().port}`;
  const file = `/${name}/-/${basename(tarball)}`;
  const dist = {
    tarball: address + file,
    integrity: `sha512-${hash('sha512', 'base64')}`,
    shasum: hash('sha1', 'hex'),
  };
  const document = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    time: { created: time, modified: time, [version]: time },
  };

  async function answer({ url }) {
    if (url === `/${name}`) return { body: JSON.stringify(document) };
    if (url === file) return { type: 'application/octet-stream', body: bytes };
    const other = await fetch(upstream + url);
    const type = other.headers.get('content-type') ?? '';
    if (!type.includes('json')) return { status: other.status, type, body: Buffer.from(await other.arrayBuffer()) };
    return { status: other.status, type, body: (await other.text()).replaceAll(upstream, address) };
  }

  return { address, stop: () => server.close() };
}

module.exports = { serve };
