// The model in service, and its file. A request reads `current` once, so that one model answers it.
'use strict';
const { createHash, randomBytes } = require('node:crypto');
const { readFile, rename, rm, writeFile } = require('node:fs/promises');
const { LinearSvm } = require('fista-classify');

class CurrentModel {
  /** { model, version, since, proofs }; undefined if there is no model yet. */
  current;
  #file;
  #log;
  #turn = Promise.resolve();

  constructor(file, log) {
    this.#file = file;
    this.#log = log;
  }

  /** Reads the model file, and puts its model into service. */
  reload() {
    return this.#inTurn(async () => {
      const text = await readFile(this.#file, 'utf8');
      const json = parse(text);
      return this.#serve(LinearSvm.fromJSON(json), json, text);
    });
  }

  /**
   * Writes a newly trained model to the model file and puts it into service, if `judge` agrees. It is asked at the last moment, so that the
   * new model is compared with the one that it would replace. Returns the verdict, and the model that is now in service.
   */
  offer(model, { judge, signal }) {
    return this.#inTurn(async () => {
      const verdict = judge?.(this.current);
      if (verdict?.passed === false) return { verdict, model: this.describe() };
      const json = model.toJSON({ proofs: true });
      const text = `${JSON.stringify(json)}\n`;
      await replaceFile(this.#file, text, signal);
      return { verdict, model: this.#serve(model, json, text) };
    });
  }

  describe() {
    if (this.current === undefined) return null;
    const { model, version, since } = this.current;
    return { version, since: since.toISOString(), columns: model.planes[0].weights.length, labels: model.labels };
  }

  /** Changes of the model take turns: the last request wins, and the file and the model in service stay the same. */
  #inTurn(work) {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => {});
    return next;
  }

  #serve(model, json, text) {
    const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
    this.current = { model, version, since: new Date(), proofs: json.proofs !== undefined };
    this.#log.info({ version, columns: model.planes[0].weights.length }, 'A model is in service');
    return this.describe();
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(new SyntaxError(`Expected JSON for the model file but received ${error.message}`), { code: 'ERR_MODEL' });
  }
}

/** Replaces a file in one step: it holds the old text or the new one, never a part. */
async function replaceFile(file, text, signal) {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    signal.throwIfAborted();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

module.exports = { CurrentModel };
