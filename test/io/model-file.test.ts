import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { LinearSvm, loadModel, saveModel } from '../../lib/index.js';
import { wdbc } from '../support/svm-data.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'model.json');

const { rows, labels } = wdbc();
const model = LinearSvm.fit(rows, labels);

describe('saveModel(path, model) and loadModel(path)', () => {
  it('keep every bit of a model, and leave no other file', async () => {
    await saveModel(path, model);
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(model)}\n`);
    const again = await loadModel<number>(path);
    expect(again.decision(rows)).toEqual(model.decision(rows));
    expect(again.predict(rows)).toEqual(model.predict(rows));
    expect(again.info).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['model.json']);
  });

  it('saveModel replaces an old model', async () => {
    const other = LinearSvm.fit([[0], [1]], ['no', 'yes']);
    await saveModel(path, model);
    await saveModel(path, other);
    expect((await loadModel(path)).predict([[0], [1]])).toEqual(['no', 'yes']);
  });

  it('loadModel reads LIBLINEAR text and gzip', async () => {
    writeFileSync(path, model.toLiblinear());
    expect((await loadModel(path)).weights).toEqual(model.weights);
    writeFileSync(path, gzipSync(JSON.stringify(model)));
    expect((await loadModel(path)).weights).toEqual(model.weights);
  });

  it('loadModel says that a file holds data and no model', async () => {
    writeFileSync(path, '  1 1:0.5 2:3\n-1 1:2\n');
    await expect(loadModel(path)).rejects.toMatchObject({
      code: 'ERR_MODEL',
      message: `Expected a model, JSON or LIBLINEAR's text, for ${path} but received "1 1:0.5 2:3"`,
    });
  });

  it('loadModel refuses a truncated, edited or empty file', async () => {
    await saveModel(path, model);
    const text = readFileSync(path, 'utf8');
    for (const [damaged, message] of [
      [text.slice(0, text.length >> 1), `Expected JSON at ${path}:1:`],
      [text.replace(/"bias":-?\d/, '"bias":7'), 'but received others: the model was edited or damaged'],
      [text.replace(/"weights":\[-?\d/, '"weights":[7'), 'but received others: the model was edited or damaged'],
      ['', `Expected a model for ${path} but received an empty file`],
    ] as const) {
      writeFileSync(path, damaged);
      await expect(loadModel(path)).rejects.toMatchObject({
        code: 'ERR_MODEL',
        message: expect.stringContaining(message) as string,
      });
    }
  });

  it('reject with the path of a file that does not exist or cannot be written', async () => {
    const missing = join(folder, 'none', 'model.json');
    await expect(loadModel(missing)).rejects.toMatchObject({
      code: 'ENOENT',
      message: expect.stringContaining(missing) as string,
    });
    await expect(saveModel(missing, model)).rejects.toMatchObject({
      code: 'ENOENT',
      message: expect.stringContaining(missing) as string,
    });
  });

  it('refuse arguments that are not a path or a model', async () => {
    await expect(loadModel(7 as never)).rejects.toThrow('Expected a path for path but received 7');
    await expect(saveModel({} as never, model)).rejects.toThrow('Expected a path for path but received an object');
    await expect(saveModel(path, {} as never)).rejects.toThrow('Expected a LinearSvm for model but received an object');
  });
});
