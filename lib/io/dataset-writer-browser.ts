/** There are no files in a browser. The twin of dataset-writer.ts. */
import { datasetError } from '../input/file-errors.js';

export function writeDataset(path: string): Promise<never> {
  return Promise.reject(datasetError('a program in Node.js, as there are no files in a browser,', 'path', path));
}
