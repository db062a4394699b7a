/** A worker thread of Node.js. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Port } from './messages.js';

/** Compiled, wherever this module runs from. */
const FILE = join(__dirname, '../../../dist/backend/wasm/node-worker.js');

export function startWorker(): Port {
  const worker = new Worker(FILE, { execArgv: [] });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (onMessage, onError) => {
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.on('exit', (code) => onError(new Error(`it ended with code ${code}`)));
    },
    end: () => void worker.terminate(),
    wait: (waiting) => (waiting ? worker.ref() : worker.unref()),
  };
}
