/** The public surface. */
export { backend } from './backend.js';
export { Dataset } from './dataset.js';
export type * from './types.js';
