/** Checks finite numbers, of points and of models. */
import { rangeError, typeError } from '../errors.js';

export function finite(value: unknown, where: string, code: 'ERR_POINTS' | 'ERR_MODEL' = 'ERR_POINTS'): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw notFinite(value, where, code);
  return value;
}

export function notFinite(value: unknown, where: string, code: 'ERR_POINTS' | 'ERR_MODEL'): Error {
  return (typeof value === 'number' ? rangeError : typeError)(code, 'a finite number', where, value);
}
