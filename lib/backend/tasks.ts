/**
 * The tasks of a problem: what a loop asks a backend to compute, each declared once with the names of what it takes and of the numbers it
 * answers. Loops, the TypeScript twins and the addon (native/*_handle.cc, compared by test/backend/tasks.test.ts) use these names, in this
 * order. The twin of a task in fallback/ says what it computes.
 */
import { interruptedOr } from '../errors.js';

/** The kinds of arguments: a number, a yes or no, an array. */
interface Kinds {
  number: number;
  flag: boolean;
  vector: Float64Array;
}

export interface TaskDeclaration {
  readonly takes: Readonly<Record<string, keyof Kinds>>;
  readonly answers: readonly string[];
}

export type TaskTable = Readonly<Record<string, TaskDeclaration>>;

const [number, flag, vector] = ['number', 'flag', 'vector'] as const;

/** The two offsets to evaluate, and the shift of each row: rho r_i + slack_i wNorm + etaT (method C4). */
const BRACKET = { low: number, high: number, rho: number, wNorm: number, etaT: number } as const;

/** The tasks of a training problem. */
export const SVM_TASKS = {
  begin: {
    takes: { curvature: flag },
    answers: [
      'curvature',
      'weightSum',
      'spread',
      'radiusSquares',
      'maxRadius',
      'centreNorm',
      'maxEntries',
      'maxSquaredNorm',
      'shiftNorm',
      'largestColumn',
    ],
  },
  regularize: { takes: { gamma: number, mu: number }, answers: [] },
  warm: { takes: { w: vector, t: number, dual: flag }, answers: [] },
  ascend: {
    takes: { offset: number, weight: number, delta: number, all: flag },
    answers: ['fenchelYoung', 'loss', 'wSquared', 'offset', 't'],
  },
  settle: { takes: { back: flag }, answers: [] },
  step: { takes: { L: number, beta: number }, answers: ['squared', 'curvature', 'magnitude', 'lambda'] },
  refresh: { takes: { all: flag }, answers: ['wSquared', 'centreDot'] },
  offsets: {
    takes: BRACKET,
    answers: ['positiveLow', 'negativeLow', 'freeLow', 'positiveHigh', 'negativeHigh', 'freeHigh'],
  },
  gap: {
    takes: { t: number, wNorm: number, etaT: number },
    answers: ['fenchelYoung', 'rounding', 'loss', 'alphaSum', 'balance', 'alphaRadius', 'residualSquared', 'errorSquared'],
  },
  certify: {
    takes: { ...BRACKET, delta: number, ball: flag, t: number, guardR: number, guard: number },
    answers: ['agreed', 'properlyClassified', 'zero', 'atBound'],
  },
  forget: { takes: {}, answers: [] },
  shrink: { takes: { low: number, high: number, delta: number }, answers: ['active'] },
  unshrink: { takes: {}, answers: ['active'] },
  gradient: { takes: { t: number, first: flag }, answers: ['squared'] },
  linearize: { takes: {}, answers: ['residual'] },
  conjugate: { takes: {}, answers: ['residual'] },
  direction: { takes: {}, answers: ['tau', 'along', 'squared'] },
  slope: { takes: { t: number, tau: number, length: number }, answers: ['slope', 'curvature'] },
  move: { takes: { length: number }, answers: [] },
  power: { takes: { first: flag }, answers: ['estimate'] },
  score: { takes: { t: number }, answers: ['positiveRight', 'positive', 'negativeRight', 'negative', 'hinge'] },
  keep: { takes: { alpha: flag }, answers: [] },
  restore: { takes: {}, answers: [] },
  model: { takes: { weights: vector, t: number }, answers: ['bias'] },
} as const satisfies TaskTable;

const MEASURES = ['curvature', 'size', 'reach', 'cap'] as const;
const RANGES = ['high1', 'low1', 'high2', 'low2'] as const;

/** The tasks of a separation problem. */
export const ESP_TASKS = {
  begin: { takes: { centred: flag }, answers: MEASURES },
  sweep: {
    takes: { L: number, beta: number, testing: flag },
    answers: ['squared', 'image', 'turn', 'sum1', 'sum2', 'residual', 'apart', 's', 't', 'w', ...RANGES],
  },
  test: { takes: {}, answers: RANGES },
  verify: { takes: {}, answers: ['max', 'min'] },
  move: { takes: {}, answers: MEASURES },
  power: { takes: { first: flag }, answers: ['estimate'] },
} as const satisfies TaskTable;

/** What a task takes, by name. */
export type Given<D extends TaskDeclaration> = { readonly [N in keyof D['takes']]: Kinds[D['takes'][N]] };

/** The numbers that a task answers, by name. */
export type Answer<D extends TaskDeclaration> = { readonly [N in D['answers'][number]]: number };

/** Performs tasks by name. An answer is valid until the next task. An interrupted task fails (interruptedOr in lib/errors.ts). */
export interface Performer {
  perform(name: string, ...args: TaskArgument[]): ArrayLike<number>;
  /** Performs a task off the main thread, or at least not at once. */
  later(name: string, ...args: TaskArgument[]): Promise<ArrayLike<number>>;
  /** Begins a task that takes numbers alone on a helper's thread. Only `take` may come next. The TypeScript backend has no threads. */
  start?(helper: number, name: string, ...args: TaskArgument[]): void;
  /** The answer of the task that was begun; undefined if it is not done and `wait` is false. */
  take?(wait: boolean): ArrayLike<number> | undefined;
}

export type TaskArgument = number | Float64Array;

/** What a loop wants done before it goes on, on this thread or off it. An interrupted task fails with Interrupted. */
export interface Step {
  perform(): void;
  /** Undefined if it was performed at once. */
  later(): Promise<void> | undefined;
  /** Begins it on a helper's thread; false if it is to be performed on this one. */
  start?(helper: number): boolean;
  /** Ends what was begun; false if it is not done and `wait` is false. */
  take?(wait: boolean): boolean;
}

/** A task of a problem: its arguments, and its last answer. */
export interface Task<D extends TaskDeclaration> extends Step {
  readonly name: string;
  /** Sets the arguments and returns the task, to be yielded. */
  ask(...given: keyof D['takes'] extends never ? [] : [given: Given<D>]): this;
  readonly answer: Answer<D>;
}

export type Tasks<T extends TaskTable> = { readonly [K in keyof T]: Task<T[K]> };

export type SvmTasks = Tasks<typeof SVM_TASKS>;
export type EspTasks = Tasks<typeof ESP_TASKS>;

/** The order of a task's arguments. */
export function argumentNames({ takes }: TaskDeclaration): string[] {
  return Object.keys(takes);
}

/** What the tasks of one problem share: the performer, and room for all answers. */
interface Shared {
  readonly problem: Performer;
  /** How many more tasks `later` performs on this thread. */
  here: number;
  readonly numbers: Float64Array;
}

function interruptionOf(error: unknown): never {
  throw interruptedOr(error);
}

/**
 * Makes the class of a task. A task is its own answer, which consists of getters: V8 inlines these, where it would look up names from a
 * list. Its members are plain ones, as fields and private members take longer to make than a small task takes to perform.
 */
function taskClass(name: string, declaration: TaskDeclaration, first: number): new (shared: Shared) => Step {
  const names = argumentNames(declaration);
  const { answers } = declaration;
  const last = first + answers.length;
  const movable = !Object.values(declaration.takes).includes(vector);
  class NamedTask implements Step {
    declare readonly shared: Shared;
    declare readonly args: TaskArgument[];

    constructor(shared: Shared) {
      this.shared = shared;
      this.args = [];
    }

    get name(): string {
      return name;
    }

    get answer(): this {
      return this;
    }

    ask(given?: Readonly<Record<string, TaskArgument | boolean>>): this {
      for (let k = 0; k < names.length; k++) {
        const value = given![names[k]!]!;
        this.args[k] = typeof value === 'boolean' ? Number(value) : value;
      }
      return this;
    }

    perform(): void {
      try {
        this.keep(this.shared.problem.perform(name, ...this.args));
      } catch (error) {
        throw interruptedOr(error);
      }
    }

    later(): Promise<void> | undefined {
      const { shared } = this;
      if (shared.here <= 0) return shared.problem.later(name, ...this.args).then((answered) => this.keep(answered), interruptionOf);
      shared.here--;
      this.perform();
      return undefined;
    }

    start(helper: number): boolean {
      if (!movable) return false;
      this.shared.problem.start!(helper, name, ...this.args);
      return true;
    }

    take(wait: boolean): boolean {
      try {
        const answered = this.shared.problem.take!(wait);
        if (answered) this.keep(answered);
        return answered !== undefined;
      } catch (error) {
        throw interruptedOr(error);
      }
    }

    keep(answered: ArrayLike<number>): void {
      const { numbers } = this.shared;
      for (let k = first; k < last; k++) numbers[k] = answered[k - first]!;
    }
  }
  answers.forEach((answer, k) =>
    Object.defineProperty(NamedTask.prototype, answer, {
      get(this: NamedTask) {
        return this.shared.numbers[first + k];
      },
    }),
  );
  return NamedTask;
}

/** Makes the tasks of a problem, each when it is first used. A task keeps its answer until it is performed again. */
function tasksOf<T extends TaskTable>(table: T): (problem: Performer, here?: number) => Tasks<T> {
  const sizes = Object.values(table).map(({ answers }) => answers.length);
  const size = sizes.reduce((a, b) => a + b, 0);
  class TaskSet implements Shared {
    declare readonly problem: Performer;
    declare here: number;
    declare readonly numbers: Float64Array;
    declare readonly made: Step[];

    constructor(problem: Performer, here: number) {
      this.problem = problem;
      this.here = here;
      this.numbers = new Float64Array(size);
      this.made = [];
    }
  }
  Object.entries(table).forEach(([name, declaration], k) => {
    const Kind = taskClass(
      name,
      declaration,
      sizes.slice(0, k).reduce((a, b) => a + b, 0),
    );
    Object.defineProperty(TaskSet.prototype, name, {
      get(this: TaskSet) {
        return (this.made[k] ??= new Kind(this));
      },
    });
  });
  // A getter for every name of the table makes it what the type says.
  return (problem, here = 0) => new TaskSet(problem, here) as object as Tasks<T>;
}

/** `here`: how many tasks `later` performs on this thread, as they take less time than their way to another thread and back. */
export const svmTasks = tasksOf(SVM_TASKS);
export const espTasks = tasksOf(ESP_TASKS);
