// Fills the addresses of the repository into package.json: repository, bugs, homepage, the author's. The release does this, so that the package
// names the repository that it comes from, and nothing else has to know where that is.
//   node scripts/set-addresses.js [package.json]     with GITHUB_SERVER_URL and GITHUB_REPOSITORY (owner/name) set
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { fail, root } = require('./tools.js');

const file = process.argv[2] ?? join(root, 'package.json');
const { GITHUB_SERVER_URL: server = '', GITHUB_REPOSITORY: repository = '' } = process.env;
if (!/^https:\/\/[\w.-]+$/.test(server)) fail(`expected an https address for GITHUB_SERVER_URL but received "${server}"`);
if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) fail(`expected owner/name for GITHUB_REPOSITORY but received "${repository}"`);

const manifest = JSON.parse(readFileSync(file, 'utf8'));
const page = `${server}/${repository}`;
const addresses = {
  homepage: `${page}#readme`,
  bugs: { url: `${page}/issues` },
  repository: { type: 'git', url: `git+${page}.git` },
  author: { name: manifest.author.name ?? manifest.author, url: `${page}/graphs/contributors` },
};
writeFileSync(file, `${JSON.stringify({ ...manifest, ...addresses }, null, 2)}\n`);
console.log(JSON.stringify(addresses, null, 2));
