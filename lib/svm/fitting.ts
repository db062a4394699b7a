/** A fit from its checked arguments to a model, for two classes or more. */
import { Interrupted } from '../errors.js';
import type { FitInput, ResolvedSvmOptions } from '../input/index.js';
import type { ClassLabels } from '../input/labels.js';
import { calibrating } from '../selection/calibrating.js';
import { chooseGamma, type Choice } from '../selection/choose-gamma.js';
import { pause, type Loop } from '../solver/drivers.js';
import type { CalibrationKind, Label, SvmInfo } from '../types.js';
import { modelOf, sidesOf, type Model } from './model.js';
import { ClassesFit } from './multiclass.js';
import { membersOf } from './taking-part.js';
import { TrainingData } from './training-data.js';
import { Training, unfitted, withMeasuredRows, type TrainedPlane } from './training.js';

/** The result of a fit: the model, and how the fit went. */
export interface FitResult<L extends Label> {
  readonly model: Model<L>;
  readonly info: SvmInfo;
}

/** A fit. The model has the names of the points' columns, or the encoder of records. */
export function* fitting<L extends Label>(input: FitInput<L>): Loop<FitResult<L>> {
  const { source, records } = input;
  const { model, info } = yield* solving(input);
  if (!records) return { model: { ...model, columns: source.columns }, info };
  return { model: { ...model, encoder: records.encoder, means: yield* records.meansOf(source.view!.matrix) }, info };
}

/** Copies the points, chooses gamma if that is asked for, trains, and calibrates if that is asked for. */
function* solving<L extends Label>(input: FitInput<L>): Loop<FitResult<L>> {
  const { options } = input;
  const data = new TrainingData(input);
  try {
    yield data.copying(options);
    const choice = input.gamma === 'auto' ? yield* chooseGamma(data, options) : undefined;
    const result = yield* data.classes ? fittingClasses(data, input, choice) : fittingTwo(data, input, choice);
    return input.probability ? yield* calibrated(data, input.probability, options, result) : result;
  } catch (error) {
    if (error instanceof Interrupted) return outOfTime(data, input);
    throw error;
  } finally {
    data.release();
  }
}

function* fittingTwo<L extends Label>(data: TrainingData<L>, input: FitInput<L>, choice: Choice | undefined): Loop<FitResult<L>> {
  const { gamma, options, rowWeights: weights, weightRange } = input;
  const training = new Training(data, options, {
    gamma: gamma === 'auto' ? choice!.gamma : gamma,
    weights,
    weightRange,
    warmStart: (options.warmStart ?? choice?.warmStart)?.[0],
    signal: options.signal,
    began: data.began,
    validation: choice?.validation,
  });
  try {
    if (data.tasksHere > 0) yield pause(); // its first tasks run on this thread
    return twoClasses(data.labels, yield* training.finish(yield* training.loop()));
  } finally {
    training.release();
  }
}

function twoClasses<L extends Label>(labels: ClassLabels<L>, { weights, bias, proof, info }: TrainedPlane): FitResult<L> {
  const table = { weights, biases: Float64Array.of(bias) };
  return { model: modelOf(labels, sidesOf(2, 'pairs'), table, { proofs: [proof] }), info };
}

function* fittingClasses<L extends Label>(
  data: TrainingData<L>,
  input: FitInput<L>,
  choice: Choice | undefined,
): Loop<FitResult<L>> {
  const { gamma, options, rowWeights: weights, weightRange } = input;
  const { began } = data;
  const fit = new ClassesFit(data, options, options.sides);
  const members = membersOf(data, weights);
  return yield* withMeasuredRows(data, options, { weights, weightRange, began }, (measured) => {
    const common = {
      ...measured,
      gamma: gamma === 'auto' ? choice!.gamma : (gamma ?? measured.gamma),
      weights,
      weightRange,
      members,
      began,
    };
    return fit.run(common, options.warmStart ?? choice?.warmStart ?? [], choice?.validation);
  });
}

/** The same model with probabilities; without, if the time is up. */
function* calibrated<L extends Label>(
  data: TrainingData<L>,
  kind: CalibrationKind,
  options: ResolvedSvmOptions,
  { model, info }: FitResult<L>,
): Loop<FitResult<L>> {
  try {
    const calibration = yield* calibrating(data, options, { kind, gamma: info.gamma });
    return { model: { ...model, calibration }, info: { ...info, elapsed: performance.now() - data.began } };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { model, info: { ...info, status: 'time-limit', elapsed: performance.now() - data.began } };
  }
}

/** The result if the time was up before there was a problem to solve. */
function outOfTime<L extends Label>(data: TrainingData<L>, { gamma, options, rowWeights, weightRange }: FitInput<L>): FitResult<L> {
  const parameters = { gamma: gamma === 'auto' ? undefined : gamma, weights: rowWeights, weightRange };
  if (data.classes) return ClassesFit.unfitted(data, options, options.sides, parameters);
  return twoClasses(data.labels, unfitted(data, options, parameters));
}
