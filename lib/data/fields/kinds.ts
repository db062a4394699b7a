/** The kinds of fields. */
import type { ResolvedField } from '../../input/resolve-plan.js';
import { CategoryEncoding, ListEncoding } from './category-field.js';
import { DateCollector, DateEncoding } from './date-field.js';
import {
  bind,
  type BoundEncoding,
  type Collector,
  type Encoding,
  type EncodingOf,
  type IsMissing,
  type LearningWeights,
} from './field.js';
import { NumberCollector, NumberEncoding } from './number-field.js';
import { TextEncoding } from './text-field.js';

/** The plan of a field that is used. */
export type UsedField = Exclude<ResolvedField, { readonly kind: 'ignore' }>;

/** Collects the values of a field, to learn from them. */
export interface FieldReader {
  readonly collector: Collector;
  /** What is learnt from rows of positive weight, with the values of all rows. */
  learn(weights: LearningWeights): BoundEncoding;
  /** The values of all rows with what was learnt from others, by a plan of the same kind. */
  apply(encoding: Encoding): BoundEncoding;
}

export function fieldReader(plan: UsedField, isMissing: IsMissing): FieldReader {
  switch (plan.kind) {
    case 'number': {
      const collector = new NumberCollector(isMissing);
      return readerOf(collector, (weights) => NumberEncoding.learn(plan, collector, weights, isMissing));
    }
    case 'category':
    case 'boolean': {
      const collector = CategoryEncoding.collector(plan, isMissing);
      return readerOf(collector, (weights) => CategoryEncoding.learn(plan, collector, weights));
    }
    case 'categories': {
      const collector = ListEncoding.collector(isMissing);
      return readerOf(collector, (weights) => ListEncoding.learn(plan, collector, weights));
    }
    case 'date': {
      const collector = new DateCollector(isMissing);
      return readerOf(collector, (weights) => DateEncoding.learn(plan, collector, weights, isMissing));
    }
    case 'text': {
      const collector = TextEncoding.collector(plan);
      return readerOf(collector, (weights) => TextEncoding.learn(plan, collector, weights));
    }
  }
}

function readerOf<C extends Collector>(collector: C, learn: (weights: LearningWeights) => EncodingOf<C>): FieldReader {
  return {
    collector,
    learn: (weights) => bind(learn(weights), collector),
    apply: (encoding) => bind(encoding as EncodingOf<C>, collector), // of the same kind, and so of collectors like this one
  };
}
