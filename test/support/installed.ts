/** The package as it is installed, in a folder of its own, with what a test puts where the addon should be. */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import nodeGypBuild from 'node-gyp-build';
import { publishedManifest } from '../../scripts/pack.js';
import { ROOT } from './child.js';

/** The addon under test; read only where there is one. */
export const addon = () => readFileSync(process.env.FISTA_CLASSIFY_BINARY || nodeGypBuild.path(ROOT));

/** Where the package has its prebuild for this machine. */
export const PREBUILD = join('prebuilds', `${process.platform}-${process.arch}`, 'fista-classify.node');

export class Installed {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fista-installed-'));
  /** The folder of the package. Its path has spaces and letters beyond ASCII. */
  readonly root = join(this.#folder, 'my proj\u00e9ct', 'node_modules', 'fista-classify');

  constructor() {
    chmodSync(this.#folder, 0o755); // for tests that run as another user
    for (const part of ['bin', 'dist', 'native']) cpSync(join(ROOT, part), join(this.root, part), { recursive: true });
    cpSync(join(ROOT, 'binding.gyp'), join(this.root, 'native', 'binding.gyp'));
    for (const name of ['node-gyp-build', 'node-addon-api']) {
      cpSync(join(ROOT, 'node_modules', name), join(this.root, '..', name), { recursive: true });
    }
    const manifest = publishedManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object);
    this.write('package.json', JSON.stringify(manifest));
  }

  write(file: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, file)), { recursive: true });
    writeFileSync(join(this.root, file), content);
  }

  /** Puts a prebuild there, with the checksum of `published`: the prebuild itself, unless it is to be a damaged one. */
  prebuild(content: Uint8Array, published: Uint8Array = content): void {
    this.write(PREBUILD, content);
    this.write(`${PREBUILD}.sha256`, `${createHash('sha256').update(published).digest('hex')}  fista-classify.node\n`);
  }

  /** Puts a WebAssembly module there, with the checksum of `published`. */
  module(content: Uint8Array, published: Uint8Array = content): void {
    const file = 'prebuilds/wasm/fista-classify.wasm';
    this.write(file, content);
    this.write(`${file}.sha256`, `${createHash('sha256').update(published).digest('hex')}  fista-classify.wasm\n`);
  }

  /** Removes all addons. */
  clear(): void {
    for (const name of ['prebuilds', 'build']) rmSync(join(this.root, name), { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** The user nobody, where this process may change to it: root may write everywhere. */
export const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
