// Trains in the background, one model at a time. A trained model goes through the gate, to the model file and into service.
'use strict';
const { readdir, readFile } = require('node:fs/promises');
const { getPriority, setPriority } = require('node:os');
const { join } = require('node:path');
const { Dataset, LinearSvm, readLibsvm, stop } = require('fista-classify');
const { refuse } = require('./errors.js');
const { holdOut, judge, resolveGate } = require('./gate.js');
const { toPoints } = require('./schemas.js');

class Training {
  /** 'idle', 'running', 'done', 'refused' by the gate, 'failed' or 'aborted' */
  state = 'idle';
  /** The number of trainings by outcome. */
  outcomes = { done: 0, refused: 0, failed: 0, aborted: 0 };
  /** Fulfilled when no training is running. */
  ended = Promise.resolve();
  progress;
  #settings;
  #controller;
  #record = {};
  #last; // the record of the last training with state 'done'

  constructor(settings) {
    this.#settings = settings;
  }

  /** Starts a training; throws if the request is wrong. */
  async start({ file, rows, labels, columns, options = {}, gate: asked }) {
    if (this.state === 'running')
      throw refuse(409, 'ERR_BUSY', 'A model is being trained: wait for it, or abort it with DELETE /train');
    const { dataFolder } = this.#settings;
    if ((file ?? asked?.file) !== undefined && dataFolder === undefined)
      throw refuse(400, 'ERR_NO_DATA', 'There is no folder of data files: set DATA');
    const gate = resolveGate(asked, options, file);
    const given = file === undefined ? { points: toPoints(rows, columns), labels } : undefined;
    if (given) Dataset.from(given.points).dispose(); // checks all rows, also those that will be held out
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const before = { state: this.state, progress: this.progress, record: this.#record };
    this.state = 'running';
    this.progress = undefined;
    this.#record = { source: file ?? `${rows.length} rows`, began: new Date().toISOString() };
    const path = file && join(dataFolder, file);
    const load = async () => holdOut(given ?? (await readLibsvm(path, { signal, cols: columns })), gate, { dataFolder, signal });
    // Errors in data sent with the request are reported to the client, and no training counts as started.
    let accepted = given === undefined;
    let accept;
    const begun = new Promise((done) => (accept = () => done((accepted = true))));
    const run = load().then((data) => this.#run(data, options, gate, signal, accept));
    this.ended = run.then(
      ({ verdict, model }) => this.#end(verdict?.passed === false ? 'refused' : 'done', { gate: verdict, model }),
      (error) => {
        if (accepted || signal.aborted)
          this.#end(signal.aborted ? 'aborted' : 'failed', { error: publicError(error, file, path) }, error);
        else [this.state, this.progress, this.#record] = [before.state, before.progress, before.record];
      },
    );
    if (given) await Promise.race([run, begun]);
  }

  async #run({ train, test }, { gap, ...options }, gate, signal, accept) {
    const { threads, nice, service, log } = this.#settings;
    log.info(this.#record, 'Training begins');
    const model = await LinearSvm.fitAsync(train.points, train.labels, {
      ...options,
      ...(gap && { stop: stop.gap(gap) }),
      threads,
      signal,
      onProgress: (progress) => {
        if (this.progress === undefined) void lowerPriority(nice, log); // the thread has started by now
        accept();
        this.progress = progress;
      },
    });
    accept();
    this.#record.info = model.info;
    if (model.info.iterations === 0)
      throw refuse(422, 'ERR_TIME_LIMIT', 'The time limit was reached before the first check: the model in service stays');
    return service.offer(model, { signal, judge: gate && ((served) => judge(gate, test, model, served)) });
  }

  #end(state, more, error) {
    this.state = state;
    this.outcomes[state]++;
    Object.assign(this.#record, more, { ended: new Date().toISOString() });
    if (state === 'done') this.#last = this.#record;
    if (state === 'failed') this.#settings.log.error(error, 'Training failed');
    else this.#settings.log.info({ ...this.#record, info: undefined }, `Training ${state}`);
  }

  /** Aborts the training. Returns whether one was running. */
  abort() {
    if (this.state !== 'running') return false;
    this.#controller.abort();
    return true;
  }

  describe() {
    return {
      state: this.state,
      ...this.#record,
      ...(this.state === 'running' && { progress: this.progress ?? null }),
      ...(this.state !== 'done' && this.#last && { last: this.#last }),
    };
  }
}

/** The code and message of an error for clients, without paths of this machine. */
function publicError({ code, message }, file, path) {
  if (code === undefined) return { code: 'ERR_INTERNAL', message: 'An internal error; see the log' };
  if (!/^E[A-Z]+$/.test(code)) return { code, message: path ? message.replaceAll(path, file) : message };
  const what = message.includes(path) ? `The file ${file} cannot be read` : 'The model file cannot be written';
  return { code, message: `${what}: ${code}` };
}

/**
 * Lowers the priority of the training thread, so that predictions go first where cores are scarce. On Linux each thread has a priority
 * under its own id; elsewhere this does nothing.
 */
async function lowerPriority(nice, log) {
  if (nice === 0 || process.platform !== 'linux') return;
  try {
    for (const id of await readdir('/proc/self/task')) {
      const name = await readFile(`/proc/self/task/${id}/comm`, 'utf8').catch(() => ''); // a thread may have ended
      if (name.trim() !== 'fista-async') continue;
      setPriority(Number(id), Math.max(nice, getPriority(Number(id)))); // never raised: the server may have been started with less
    }
  } catch (error) {
    log.warn(error, 'The priority of training could not be lowered');
  }
}

module.exports = { Training };
