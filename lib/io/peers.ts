/** Loads the packages that read Parquet and Arrow. They are optional: who reads such files installs them. */
import { coded } from '../errors.js';

export function loadParquet() {
  return loaded('hyparquet', 'which reads Parquet', () => import('hyparquet'));
}

export function loadArrow() {
  return loaded('@uwdata/flechette', 'which reads Arrow', () => import('@uwdata/flechette'));
}

/** Decompressors of Parquet that neither hyparquet nor Node has; none if the package is not installed. */
export async function loadCompressors() {
  try {
    return (await import('hyparquet-compressors')).compressors;
  } catch {
    return {};
  }
}

async function loaded<T>(name: string, use: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const absent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    const received = absent ? 'it is not installed' : `it did not load (${message})`;
    throw coded(Error, 'ERR_SOURCE', `Expected the package ${name}, ${use}, but ${received}; npm install ${name}`, error);
  }
}
