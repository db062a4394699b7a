import { describe, expect, it } from 'vitest';
import { resolveFit } from '../../lib/input/resolve-fit.js';
import { refusal } from '../support/refusal.js';

describe('resolveFit(points, labels, options)', () => {
  it.each([{}, { start: 1 }, { name: 'gap' }])('refuses %j as a rule', (stop) => {
    expect(refusal(() => resolveFit([[1], [2]], [1, 2], { stop: stop as never }))).toBe(
      'TypeError [ERR_OPTION]: Expected a rule such as stop.gap(1e-3) for options.stop but received an object',
    );
  });
});
