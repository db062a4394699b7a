// Training in the background, one at a time. The model that comes out is written to the model file and then taken into service.
'use strict';
const { join } = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');
const { LinearSvm, readLibsvm, stop } = require('fista-classify');
const { toPoints } = require('./schemas.js');

class Training {
  /** 'idle', 'running', 'done', 'failed' or 'aborted' */
  state = 'idle';
  /** How many ended in which way. */
  outcomes = { done: 0, failed: 0, aborted: 0 };
  /** Fulfilled when nothing runs any more. */
  ended = Promise.resolve();
  progress;
  #settings;
  #controller;
  #story = {};

  constructor(settings) {
    this.#settings = settings;
  }

  /** Begins, or throws what is wrong with the request. */
  async start({ file, rows, labels, columns, options = {} }) {
    if (this.state === 'running')
      throw refuse(409, 'ERR_BUSY', 'A model is being trained: wait for it, or abort it with DELETE /train');
    const { dataFolder } = this.#settings;
    if (file !== undefined && dataFolder === undefined)
      throw refuse(400, 'ERR_NO_DATA', 'There is no folder of data files: set DATA');
    const given = file === undefined ? { points: toPoints(rows, columns), labels } : undefined;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    this.state = 'running';
    this.progress = undefined;
    this.#story = { source: file ?? `${rows.length} rows`, began: new Date().toISOString() };
    const load = async () => given ?? (await readLibsvm(join(dataFolder, file), { signal, cols: columns }));
    const run = load().then((data) => this.#run(data, options, signal));
    this.ended = run.then(
      (model) => this.#end('done', { model }),
      (error) => this.#end(signal.aborted ? 'aborted' : 'failed', { error: { code: error.code, message: error.message } }, error),
    );
    // What is wrong with data that were sent is known at once, and told to who sent them.
    if (given) await Promise.race([run, turn()]);
  }

  async #run({ points, labels }, { gap, ...options }, signal) {
    const { threads, publish, log } = this.#settings;
    log.info(this.#story, 'Training begins');
    const model = await LinearSvm.fitAsync(points, labels, {
      ...options,
      ...(gap && { stop: stop.gap(gap) }),
      threads,
      signal,
      onProgress: (progress) => (this.progress = progress),
    });
    this.#story.info = model.info;
    return publish(model, signal);
  }

  #end(state, more, error) {
    this.state = state;
    this.outcomes[state]++;
    Object.assign(this.#story, more, { ended: new Date().toISOString() });
    if (state === 'failed') this.#settings.log.error(error, 'Training failed');
    else this.#settings.log.info({ ...this.#story, info: undefined }, `Training ${state}`);
  }

  /** Whether there was something to abort. */
  abort() {
    if (this.state !== 'running') return false;
    this.#controller.abort();
    return true;
  }

  describe() {
    return { state: this.state, ...this.#story, ...(this.state === 'running' && { progress: this.progress ?? null }) };
  }
}

function refuse(statusCode, code, message) {
  return Object.assign(new Error(message), { statusCode, code });
}

module.exports = { Training };
