/** Model files: JSON or LIBLINEAR's text, written atomically; and LIBSVM's text, which is only written. */
import type { Readable } from 'node:stream';
import { writeAtomically } from './atomic.js';
import { coded, show } from '../errors.js';
import { checkPath } from '../input/index.js';
import { isObject } from '../input/intrinsics.js';
import { inChunks } from './chunks.js';
import { membersOf } from './json-text.js';
import { liblinearLines, type LiblinearModel } from './liblinear.js';
import { libsvmLines } from './libsvm-model.js';
import { outlineOf, resolveWriting } from './model-json.js';
import { LinearSvm } from '../svm/linear-svm.js';
import { parseJSON, readText } from './text.js';
import type { Label, ModelWriting } from '../types.js';

export type ModelFormat = 'json' | 'liblinear';

export interface ModelFile {
  readonly model: LinearSvm<Label, object>;
  readonly format: ModelFormat;
  /** The summary of the training that the command line wrote, unchecked. */
  readonly training: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes a model as JSON, atomically: at any moment the path holds either its earlier content or the whole model, even if the process is
 * killed or the disk is full. The text may be longer than the longest string.
 */
export async function saveModel(path: string, model: LinearSvm<Label, object>, options?: ModelWriting): Promise<void> {
  checkPath(path);
  checkModel(model);
  const writing = resolveWriting(options);
  await writeAtomically(path, inChunks(modelLines(LinearSvm.modelOf(model), 'json', writing), undefined));
}

/** Refuses anything that is not a model. */
export function checkModel(model: unknown): asserts model is LinearSvm {
  if (isObject(model) && model instanceof LinearSvm) return;
  throw coded(TypeError, 'ERR_MODEL', `Expected a LinearSvm for model but received ${show(model)}`);
}

/** Reads a model that `saveModel`, the command line or LIBLINEAR's train wrote, gzipped or not. A damaged file is refused. */
export async function loadModel<L extends Label = Label, R extends object = object>(path: string): Promise<LinearSvm<L, R>> {
  checkPath(path);
  const { model } = await readModelFile(path);
  return model as LinearSvm<L, R>;
}

/** What a file may say of a model besides its planes. */
export interface ModelExtras extends ModelWriting {
  /** In JSON. @default the model's */
  readonly columns?: readonly string[] | undefined;
  /** The summary of the training, in JSON. */
  readonly training?: Readonly<Record<string, unknown>> | undefined;
}

/** The text of a model, in pieces. A piece is far shorter than the whole, which may be longer than a string can be. */
export function* modelLines(model: LiblinearModel, format: ModelFormat | 'libsvm', extras: ModelExtras = {}): Generator<string> {
  const { columns = model.columns, training, proofs = false, precision = 'f64' } = extras;
  if (format === 'liblinear') {
    yield* liblinearLines(model);
  } else if (format === 'libsvm') {
    yield* libsvmLines(model);
  } else {
    yield '{';
    yield* membersOf(outlineOf({ ...model, columns }, { proofs, precision }));
    if (training) yield `,"training":${JSON.stringify(training)}`;
    yield '}\n';
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
