/** fista-classify separate: looks for a plane between two families of ellipsoids or points. */
import { totalmem } from 'node:os';
import { coded } from '../errors.js';
import { separateEllipsoidsAsync } from '../ellipsoids/separate.js';
import { checkKeys } from '../input/index.js';
import { downward, upward } from '../report/number-text.js';
import type { DistanceBracket, Ellipsoid, Ellipsoids, EspOptions } from '../types.js';
import { parseJSON, readText } from '../io/text.js';
import { toNumber, usageError, type Arguments, type Command } from './arguments.js';
import type { Context } from './context.js';
import { DATA_OPTIONS, denseRow, readData } from './read-data.js';
import { count, duration } from './format.js';
import { BACKEND_OPTION, LIMIT_OPTIONS, runOptions } from './run.js';

export const separate: Command = {
  name: 'separate',
  summary: 'looks for a plane between two families of ellipsoids',
  usage: '[options] first second | ellipsoids.json',
  examples: [
    ['fista-classify separate --radius 0.1 a.csv b.csv', 'balls of radius 0.1 around the rows of two files'],
    [
      'fista-classify separate --goal widest ellipsoids.json',
      '{ "first": [{ "center": [0, 0], "shape": 1 }, …], "second": […] }: the widest slab',
    ],
  ],
  files: { min: 1, max: 2 },
  options: [
    {
      names: ['--radius'],
      value: 'R|R1,R2',
      help: 'the radius of the balls around the points of two files, or one for each file (default 0)',
    },
    {
      names: ['--goal'],
      value: 'any|widest',
      help: 'the first plane that provably separates, or the widest slab (default: any)',
    },
    {
      names: ['--tolerance'],
      value: 'NUMBER',
      help: 'any: the distance below which hulls count as touching (default 1e-6);\nwidest: the relative error of the width (default 1e-4)',
    },
    ...LIMIT_OPTIONS,
    { names: ['--threads'], value: 'N', help: 'the number of threads (default: all cores)' },
    BACKEND_OPTION,
    { names: ['--has-labels'], help: 'CSV: the files have a column of labels, which is left out (see --label)' },
    ...DATA_OPTIONS,
  ],
  notes: [
    'A shape is a radius, half-axes or a matrix. Labels of LIBSVM text are ignored. Exit code 0 if separated,',
    '3 if the families touch (a point that both come near is printed) or a limit was reached.',
  ],
};

export async function runSeparate(args: Arguments, { output, signal }: Context): Promise<number> {
  const tolerance = args.number('tolerance', 'positive');
  const goal = args.oneOf('goal', ['any', 'widest']);
  const options: EspOptions = {
    ...(goal && { goal }),
    ...(tolerance !== undefined && { tolerance }),
    ...runOptions(args),
    signal,
    onProgress: ({ iteration, distance, elapsed }) => {
      output.progress(() => `iteration ${count(iteration)} · distance ${bracket(distance)} · ${duration(elapsed)}`);
    },
  };
  const { first, second } = await families(args, { output, signal });
  const result = await separateEllipsoidsAsync(first, second, options);
  output.clear();
  const { status, distance, iterations, elapsed, backend: by } = result;
  const story = { status, distance, iterations, elapsed, backend: by };
  const hulls = `distance of the hulls: ${bracket(distance)}`;
  const list = (values: Float64Array) => Array.from(values, String).join(' ');
  if (status === 'separated') {
    const { normal, offset, width, robustness, goalReached, slack } = result;
    await output.result({ ...story, normal: [...normal], offset, width, robustness, goalReached, slack: [...slack] }, [
      `separated`,
      `normal ${list(normal)}`,
      `offset ${offset}`,
      `width ${width}`,
      `robustness ${robustness}`,
      ...(output.quiet ? [] : [hulls]),
    ]);
    // A plane was found, but a limit was reached before the widest slab.
    return goalReached ? 0 : 3;
  }
  if (status === 'touching') {
    const { witness, weights } = result;
    await output.result({ ...story, witness: [...witness], weights: { first: [...weights.first], second: [...weights.second] } }, [
      'touching',
      `witness ${list(witness)}`,
      ...(output.quiet ? [] : [hulls]),
    ]);
  } else {
    await output.result(story, [status, hulls]);
  }
  return 3;
}

/** Rounds both ends outwards: what is printed holds, as what was computed does. */
function bracket({ lower, upper }: DistanceBracket): string {
  return `${downward(lower, 6)} to ${upward(upper, 6)}`;
}

async function families(args: Arguments, context: Context): Promise<{ first: Ellipsoids; second: Ellipsoids }> {
  const [one, other] = args.files as [string, string?];
  if (other === undefined) {
    if (!/\.json$/i.test(one)) throw usageError(`Expected two files of points or one .json file of ellipsoids but received ${one}`);
    if (args.has('radius')) throw usageError('Expected --radius with files of points: the ellipsoids of a .json file have shapes');
    const json = parseJSON(await readText(one, 'ERR_ELLIPSOIDS', context.signal), one, 'ERR_ELLIPSOIDS') as {
      first: Ellipsoid[];
      second: Ellipsoid[];
    } | null;
    if (typeof json !== 'object' || json === null || !Object.hasOwn(json, 'first') || !Object.hasOwn(json, 'second')) {
      throw coded(TypeError, 'ERR_ELLIPSOIDS', `Expected { "first": […], "second": […] } for ${one} but received something else`);
    }
    checkKeys(json, ['first', 'second'], 'ERR_ELLIPSOIDS', one);
    return json;
  }
  const radii = (args.text('radius') ?? '0').split(',').map((text) => toNumber(text, '--radius', 'finite'));
  if (radii.length > 2 || radii.some((radius) => radius < 0)) {
    throw usageError(`Expected one radius or two, of 0 or more, for --radius but received ${args.text('radius')}`);
  }
  const wanted = { labelled: args.has('has-labels'), ...context };
  const files = [await readData(one, args, wanted), await readData(other, args, wanted)].map(({ points }) => points);
  const cols = Math.max(...files.map((points) => points.cols));
  const total = files[0]!.rows + files[1]!.rows;
  if (8 * cols * total > totalmem()) {
    const size = `${total} × ${cols}`;
    throw coded(
      RangeError,
      'ERR_POINTS',
      `Expected points × columns that fit in memory for ${one} and ${other} but received ${size}`,
    );
  }
  const [first, second] = files.map((points, k) => {
    const shape = radii[k] ?? radii[0]!;
    return Array.from({ length: points.rows }, (_, i) => ({ center: denseRow(points, i, cols), shape }));
  });
  return { first: first!, second: second! };
}
