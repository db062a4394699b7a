/** Model files: JSON or LIBLINEAR's text, written atomically. */
import type { Readable } from 'node:stream';
import { writeAtomically } from './atomic.js';
import { coded, show } from '../errors.js';
import { checkPath } from '../input/index.js';
import { liblinearLines } from './liblinear.js';
import { writeJSON } from './model-json.js';
import { LinearSvm } from '../svm/linear-svm.js';
import { parseJSON, readText } from './text.js';
import type { Label } from '../types.js';

export type ModelFormat = 'json' | 'liblinear';

export interface ModelFile {
  readonly model: LinearSvm;
  readonly format: ModelFormat;
  /** The summary of the training that the command line wrote, unchecked. */
  readonly training: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes a model as JSON, atomically: at any moment the path holds either its earlier content or the whole model, even if the process is
 * killed or the disk is full.
 */
export async function saveModel(path: string, model: LinearSvm): Promise<void> {
  checkPath(path);
  if (!(model instanceof LinearSvm)) {
    throw coded(TypeError, 'ERR_MODEL', `Expected a LinearSvm for model but received ${show(model)}`);
  }
  await writeAtomically(path, modelLines(model, 'json'));
}

/** Reads a model that `saveModel`, the command line or LIBLINEAR's train wrote, gzipped or not. A damaged file is refused. */
export async function loadModel<L extends Label = Label>(path: string): Promise<LinearSvm<L>> {
  checkPath(path);
  const { model } = await readModelFile(path);
  return model as LinearSvm<L>;
}

/** The text of a model, in chunks. */
export function* modelLines(
  model: LinearSvm,
  format: ModelFormat,
  { columns = model.columns, training }: Partial<Pick<ModelFile, 'training'> & Pick<LinearSvm, 'columns'>> = {},
): Generator<string> {
  if (format === 'liblinear') {
    yield* liblinearLines(model);
    return;
  }
  const { weights, bias, labels } = model;
  yield jsonText({ ...writeJSON({ weights, bias, labels, columns }), ...(training && { training }) });
  yield '\n';
}

function jsonText(json: object): string {
  try {
    return JSON.stringify(json);
  } catch (error) {
    throw coded(
      RangeError,
      'ERR_MODEL',
      `Expected fewer weights for JSON: its text would exceed the maximum length of a string`,
      error,
    );
  }
}

/** Reads a model in either format, recognised by its first character. `stream`, if given, is read instead of the file. @internal */
export async function readModelFile(path: string, signal?: AbortSignal, stream?: Readable): Promise<ModelFile> {
  const text = await readText(path, 'ERR_MODEL', signal, stream);
  if (text.trim() === '') throw coded(SyntaxError, 'ERR_MODEL', `Expected a model for ${path} but received an empty file`);
  if (!/^\s*[{[]/.test(text.slice(0, 1000))) {
    // The file holds data: the user may have swapped the file names.
    if (/^\s*[-+.\d]/.test(text.slice(0, 1000))) {
      const received = show(text.trimStart().split('\n', 1)[0]!.trimEnd());
      throw coded(SyntaxError, 'ERR_MODEL', `Expected a model, JSON or LIBLINEAR's text, for ${path} but received ${received}`);
    }
    return { model: LinearSvm.fromLiblinear(text, path), format: 'liblinear', training: undefined };
  }
  const json = parseJSON(text, path, 'ERR_MODEL') as { training?: Record<string, unknown> };
  try {
    const { training } = json;
    const known = typeof training === 'object' && training !== null && !Array.isArray(training);
    return { model: LinearSvm.fromJSON(json), format: 'json', training: known ? training : undefined };
  } catch (error) {
    (error as Error).message = `${path}: ${(error as Error).message}`;
    throw error;
  }
}
