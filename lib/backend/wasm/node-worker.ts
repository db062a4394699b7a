/** What runs in the worker thread. */
import { parentPort } from 'node:worker_threads';
import { serve } from './serve.js';

const port = parentPort!;
port.on('message', serve({ post: (message, transfer = []) => port.postMessage(message, transfer) }));
