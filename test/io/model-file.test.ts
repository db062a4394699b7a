import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { LinearSvm, loadModel, saveModel, stop } from '../../lib/index.js';
import { modelLines } from '../../lib/io/model-file.js';
import { readJSON, writeJSON } from '../../lib/io/model-json.js';
import { normal, random } from '../support/random.js';
import { wdbc } from '../support/svm-data.js';
import { planesOf, randomModel } from './models.js';

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

  it.each([
    [{ proof: true }, 'Unknown option "proof"; did you mean "proofs"?'],
    [{ proofs: 1 }, 'Expected true or false for options.proofs but received 1'],
    [{ precision: 'f16' }, `Expected 'f64' or 'f32' for options.precision but received "f16"`],
    [[], 'Expected an object for options but received an array of length 0'],
  ])('saveModel refuses options %j, and writes nothing', async (options, message) => {
    const file = join(folder, 'refused.json');
    await expect(saveModel(file, model, options as never)).rejects.toMatchObject({ code: 'ERR_OPTION', message });
    expect(readdirSync(folder)).not.toContain('refused.json');
  });

  it('loadModel says that a file is too long for one string', async () => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 29);
    await expect(loadModel(path)).rejects.toMatchObject({
      code: 'ERR_MODEL',
      message: `Expected at most 536870888 bytes of text for ${path} but received more`,
    });
    rmSync(path);
  });
});

describe('saveModel(path, model, options) and loadModel(path) of several classes', () => {
  const uniform = random(3);
  const points = Array.from({ length: 240 }, (_, i) => [
    normal(uniform) + 3 * (i % 3),
    normal(uniform) - 2 * Number(i % 3 === 1),
    1,
  ]);
  const names = points.map((_, i) => ['ham', 'jam', 'spam'][i % 3]!);
  const fresh = Array.from({ length: 500 }, () => [4 * normal(uniform) + 2, 3 * normal(uniform) - 1, normal(uniform)]);

  for (const multiclass of ['pairs', 'rest'] as const) {
    const fitted = LinearSvm.fit(points, names, { multiclass, stop: stop.gap(1e-3) });

    it(`${multiclass}: keep every bit of a model, and what it proves if asked to`, async () => {
      await saveModel(path, fitted);
      const bare = await loadModel<string>(path);
      expect(bare.predict(fresh)).toEqual(fitted.predict(fresh));
      expect(bare.certify(fresh).some(Boolean)).toBe(false);
      await saveModel(path, fitted, { proofs: true });
      const whole = await loadModel<string>(path);
      expect(whole.decision(fresh)).toEqual(fitted.decision(fresh));
      expect(whole.certify(fresh)).toEqual(fitted.certify(fresh));
      expect(whole.certify(fresh).filter(Boolean).length).toBeGreaterThan(250);
    });

    it(`${multiclass}: certify with 32-bit weights only what is true of the optimum`, async () => {
      await saveModel(path, fitted, { proofs: true, precision: 'f32' });
      const short = await loadModel<string>(path);
      const { weights } = short.planes[1]!;
      expect(weights).toEqual(fitted.planes[1]!.weights.map(Math.fround));
      const optimum = LinearSvm.fit(points, names, { multiclass, gamma: fitted.info.gamma, stop: stop.gap(1e-9) });
      const [predicted, exact, certain] = [short.predict(fresh), optimum.predict(fresh), short.certify(fresh)];
      certain.forEach((is, i) => {
        if (is) expect(predicted[i]).toBe(exact[i]);
      });
      const before = fitted.certify(fresh);
      expect(certain.filter(Boolean).length).toBeGreaterThan(before.filter(Boolean).length - 5);
    });
  }

  it('two classes: keep what is proved if asked to', async () => {
    await saveModel(path, model, { proofs: true });
    const read = await loadModel<number>(path);
    expect(read.weights).toEqual(model.weights);
    expect(read.certify(rows)).toEqual(model.certify(rows));
    expect(read.certify(rows).filter(Boolean).length).toBeGreaterThan(500);
  });

  it('loadModel refuses a truncated or edited file', async () => {
    await saveModel(path, LinearSvm.fit(points, names), { proofs: true });
    const text = readFileSync(path, 'utf8');
    for (const [damaged, message] of [
      [text.slice(0, text.length >> 1), `Expected JSON at ${path}:1:`],
      [text.replace(/"bias":-?\d/, '"bias":7'), 'but received others: the model was edited or damaged'],
      [text.replace(/"slope":\d/, '"slope":0'), 'but received others: the model was edited or damaged'],
      [text.replace('"jam"', '"jar"'), 'but received others: the model was edited or damaged'],
      [text.replace('"version":2', '"version":3'), '(written by a newer fista-classify)'],
    ] as const) {
      if (damaged === text) continue;
      writeFileSync(path, damaged);
      await expect(loadModel(path)).rejects.toMatchObject({
        code: 'ERR_MODEL',
        message: expect.stringContaining(message) as string,
      });
    }
  });
});

describe('modelLines(model, format)', () => {
  it('gives the text of writeJSON(model) in pieces below 1 MB', () => {
    const long = randomModel([1, 2, 3, 4], 'rest', 200_000, 4, 0.1);
    for (const precision of ['f64', 'f32'] as const) {
      const pieces = [...modelLines(long, 'json', { precision })];
      expect(pieces.reduce((most, { length }) => Math.max(most, length), 0)).toBeLessThan(1e6);
      const json: unknown = JSON.parse(pieces.join(''));
      expect(json).toEqual(writeJSON(long, { precision }));
      expect(readJSON(json).table.weights[7]).toBe(
        precision === 'f32' ? Math.fround(long.table.weights[7]!) : long.table.weights[7],
      );
    }
  });

  it('adds names of columns and the summary of the training', () => {
    const small = planesOf([1, 2, 3], 'rest', [1, 2, 3].map((w) => ({ weights: [w], bias: -w }))); // prettier-ignore
    const training = JSON.parse('{"rows":5,"__proto__":{"a":1}}') as Record<string, unknown>;
    const json = JSON.parse([...modelLines(small, 'json', { columns: ['x'], training })].join('')) as Record<string, unknown>;
    expect(json).toEqual({ ...writeJSON({ ...small, columns: ['x'] }), training });
    expect(readJSON(json).columns).toEqual(['x']);
  });

  it("writes LIBLINEAR's and LIBSVM's text", () => {
    const [pairs, rest] = [randomModel([1, 2, 3], 'pairs', 2), randomModel([1, 2, 3], 'rest', 2)];
    expect([...modelLines(rest, 'liblinear')].join('')).toMatch(/^solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 3\n/);
    expect([...modelLines({ ...rest, info: { loss: 'squared-hinge' } }, 'liblinear')].join('')).toMatch(
      /^solver_type L2R_L2LOSS_SVC\n/,
    );
    expect([...modelLines(pairs, 'libsvm')].join('')).toMatch(/^svm_type c_svc\n/);
    expect(() => [...modelLines(pairs, 'liblinear')]).toThrow("multiclass: 'rest'");
    expect(() => [...modelLines(rest, 'libsvm')]).toThrow("multiclass: 'pairs'");
  });
});
