/** Finds node-gyp, and the headers of the Node that runs. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A program with its first arguments. */
export interface Tool {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for people. */
  readonly origin: string;
}

const windows = process.platform === 'win32';

/** The path of a program on PATH. */
function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, windows ? `${name}.cmd` : name)).find(existsSync);
}

/** The node-gyp inside npm: of the npm that started this process, of the one on PATH, or of the one installed with Node. */
function ofNpm(): string | undefined {
  const { npm_config_node_gyp: named, npm_execpath: running } = process.env;
  const found = onPath('npm');
  const beside = dirname(process.execPath);
  const inside = (npm: string) => join(npm, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  return [
    ...(named ? [named] : []),
    ...[running, found && realpathSync(found)].flatMap((cli) => (cli ? [inside(join(dirname(cli), '..'))] : [])),
    inside(join(beside, '..', 'lib', 'node_modules', 'npm')),
    inside(join(beside, 'node_modules', 'npm')),
  ].find(existsSync);
}

const isNode = !('bun' in process.versions || 'deno' in process.versions);

/** node-gyp from PATH, else npm's own, else npx, which downloads it; undefined if there is none of them. */
export function findNodeGyp(): Tool | undefined {
  const own = onPath('node-gyp');
  if (own !== undefined) return { command: own, args: [], origin: own };
  const script = ofNpm();
  if (script !== undefined) return { command: isNode ? process.execPath : 'node', args: [script], origin: script };
  const npx = onPath('npx');
  return npx === undefined ? undefined : { command: npx, args: ['--yes', 'node-gyp'], origin: `${npx} node-gyp` };
}

/**
 * The folder whose include/node has the headers of this very Node, as Node's archives have it: with it nothing is downloaded. On Windows
 * the archives have no headers.
 */
export function headersOfNode(): string | undefined {
  if (!isNode || windows) return undefined;
  const folder = join(dirname(realpathSync(process.execPath)), '..');
  const header = join(folder, 'include', 'node', 'node_version.h');
  if (!existsSync(header) || !existsSync(join(folder, 'include', 'node', 'common.gypi'))) return undefined;
  const parts = readFileSync(header, 'utf8').matchAll(/^#define NODE_(?:MAJOR|MINOR|PATCH)_VERSION (\d+)$/gm);
  return `v${[...parts].map((part) => part[1]).join('.')}` === process.version ? folder : undefined;
}
