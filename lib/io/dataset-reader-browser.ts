/** There are no files in a browser. The twin of dataset-reader.ts. */
import { datasetError } from '../input/file-errors.js';

export function openFile(path: string): never {
  throw datasetError('points in memory (Dataset.from), as there are no files in a browser,', 'path', path);
}
