/** fista-classify train --mpi: who takes part, and which rows are whose. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { coded, plural, show } from '../errors.js';
import { readParts } from '../io/dataset-parts.js';
import { mpi } from '../mpi/index.js';
import { startedByMpirun } from '../mpi/communicator.js';
import { checkSame, share, together, type Communicator } from '../mpi/ranks.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import { isStored, openData, type Data } from './read-data.js';

export const MPI_OPTION: Option = {
  names: ['--mpi'],
  help: "train by the processes that mpirun started, each on its own rows: data is a .fds file, or\na quoted pattern of several, such as 'part-*.fds'",
};

/** Connects the processes, if --mpi asks for it. */
export function connectRanks(args: Arguments): Communicator | undefined {
  if (!args.has('mpi')) return undefined;
  if (!startedByMpirun()) {
    throw coded(
      Error,
      'ERR_MPI',
      'Expected mpirun to start fista-classify with --mpi, as in "mpirun -n 4 fista-classify train --mpi data.fds model.json", but nothing of it is in the environment',
    );
  }
  for (const name of ['shard', 'report']) {
    if (args.has(name)) throw usageError(`Expected one of --mpi and --${name} but received both`);
  }
  return mpi();
}

/** The rows of this rank. A file is split where there are fewer files than ranks; several files are read to memory where there are more. */
export function readPart(ranks: Communicator, pattern: string, args: Arguments): Data {
  const { rank, size } = ranks;
  const files = together(ranks, () => filesOf(pattern));
  checkSame(
    `files for ${pattern}`,
    share(ranks, files).map(
      (list) => `${plural(list.length, 'file')} (${list.slice(0, 3).join(', ')}${list.length > 3 ? ', …' : ''})`,
    ),
  );
  return together(ranks, () => {
    if (files.length > size) {
      const begin = (k: number) => Math.floor((k * files.length) / size);
      const { columns, ...data } = readParts(files.slice(begin(rank), begin(rank + 1)));
      return { ...data, ignored: 0, ...(columns && { columns, named: true }) };
    }
    const fileOf = (k: number) => Math.floor((k * files.length) / size);
    const own = fileOf(rank);
    const mates = Array.from({ length: size }, (_, k) => k).filter((k) => fileOf(k) === own);
    const { labels, ...data } = openData(files[own]!, args, { index: mates.indexOf(rank), of: mates.length });
    if (labels.length === 0) throw coded(RangeError, 'ERR_LABELS', `Expected labels in ${files[own]} but it has none`);
    return { ...data, labels };
  });
}

/** The files that a pattern names, in the order of the numbers in their names. */
function filesOf(pattern: string): string[] {
  if (!isStored(pattern)) {
    throw usageError(`Expected .fds files, which "fista-classify convert" writes, with --mpi but received ${show(pattern)}`);
  }
  const [before, after, more] = basename(pattern).split('*') as [string, string?, string?];
  if (after === undefined) return [pattern];
  if (more !== undefined) throw usageError(`Expected one * in the pattern of files but received ${show(pattern)}`);
  const folder = dirname(pattern);
  const found = readdirSync(folder).filter((file) => {
    return file.startsWith(before) && file.endsWith(after) && file.length >= before.length + after.length;
  });
  found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  if (found.length === 0) throw coded(RangeError, 'ERR_MPI', `Expected files that match ${show(pattern)} but there are none`);
  // One that is missing among those numbered from 0 or 1 would be missed by nobody.
  const texts = found.map((file) => file.slice(before.length, file.length - after.length));
  const numbered = texts.every((text) => /^\d+$/.test(text)) && Number(texts[0]) <= 1;
  const gap = numbered ? texts.findIndex((text, k) => k > 0 && Number(text) !== Number(texts[k - 1]) + 1) : -1;
  if (gap > 0) {
    throw coded(
      RangeError,
      'ERR_MPI',
      `Expected files without a gap for ${show(pattern)} but ${found[gap]} follows ${found[gap - 1]}`,
    );
  }
  return found.map((file) => join(folder, file));
}
