// Training in the background, one at a time. The model that comes out is written to the model file and then taken into service.
'use strict';
const { readdir, readFile } = require('node:fs/promises');
const { setPriority } = require('node:os');
const { join } = require('node:path');
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
  #last; // the story of the last that was done

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
    const before = { state: this.state, progress: this.progress, story: this.#story };
    this.state = 'running';
    this.progress = undefined;
    this.#story = { source: file ?? `${rows.length} rows`, began: new Date().toISOString() };
    const path = file && join(dataFolder, file);
    const load = async () => given ?? (await readLibsvm(path, { signal, cols: columns }));
    // What is wrong with data that were sent is told to who sent them, and nothing has begun then.
    let accepted = given === undefined;
    let accept;
    const begun = new Promise((done) => (accept = () => done((accepted = true))));
    const run = load().then((data) => this.#run(data, options, signal, accept));
    this.ended = run.then(
      (model) => this.#end('done', { model }),
      (error) => {
        if (accepted || signal.aborted) this.#end(signal.aborted ? 'aborted' : 'failed', { error: told(error, file, path) }, error);
        else [this.state, this.progress, this.#story] = [before.state, before.progress, before.story];
      },
    );
    if (given) await Promise.race([run, begun]);
  }

  async #run({ points, labels }, { gap, ...options }, signal, accept) {
    const { threads, nice, publish, log } = this.#settings;
    log.info(this.#story, 'Training begins');
    const model = await LinearSvm.fitAsync(points, labels, {
      ...options,
      ...(gap && { stop: stop.gap(gap) }),
      threads,
      signal,
      onProgress: (progress) => {
        if (this.progress === undefined) void yieldTo(nice, log); // the thread is there by now
        accept();
        this.progress = progress;
      },
    });
    accept();
    this.#story.info = model.info;
    if (model.info.iterations === 0)
      throw refuse(422, 'ERR_TIME_LIMIT', 'The time was up before anything was learnt: what was in service stays');
    return publish(model, signal);
  }

  #end(state, more, error) {
    this.state = state;
    this.outcomes[state]++;
    Object.assign(this.#story, more, { ended: new Date().toISOString() });
    if (state === 'done') this.#last = this.#story;
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
    return {
      state: this.state,
      ...this.#story,
      ...(this.state === 'running' && { progress: this.progress ?? null }),
      ...(this.state !== 'done' && this.#last && { last: this.#last }),
    };
  }
}

/** What went wrong, for others to read: without paths of this machine. */
function told({ code, message }, file, path) {
  if (code === undefined) return { code: 'ERR_INTERNAL', message: 'Something failed here; the log says what' };
  if (!/^E[A-Z]+$/.test(code)) return { code, message: path ? message.replaceAll(path, file) : message };
  const what = message.includes(path) ? `The file ${file} cannot be read` : 'The model file cannot be written';
  return { code, message: `${what}: ${code}` };
}

/**
 * Where cores are scarce, who asks for predictions goes first: the thread that trains gets a lower priority. Linux has one for each
 * thread, under its own id; elsewhere this does nothing.
 */
async function yieldTo(nice, log) {
  if (nice === 0 || process.platform !== 'linux') return;
  try {
    for (const id of await readdir('/proc/self/task')) {
      const name = await readFile(`/proc/self/task/${id}/comm`, 'utf8').catch(() => ''); // a thread may have ended
      if (name.trim() === 'fista-async') setPriority(Number(id), nice);
    }
  } catch (error) {
    log.warn(error, 'Training keeps its priority');
  }
}

function refuse(statusCode, code, message) {
  return Object.assign(new Error(message), { statusCode, code });
}

module.exports = { Training };
