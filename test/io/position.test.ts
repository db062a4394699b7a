import { describe, expect, it } from 'vitest';
import { position } from '../../lib/io/position.js';

describe('position(text, at)', () => {
  it.each([
    ['', 0, '1:1'],
    ['abc', 2, '1:3'],
    ['a\nb', 1, '1:2'],
    ['a\nb', 2, '2:1'],
    ['a\r\nbc', 4, '2:2'],
    ['\n\n\n', 3, '4:1'],
    ['a\rb', 2, '1:3'],
  ])('position(%j, %d) is %s', (text, at, expected) => expect(position(text, at)).toBe(expected));
});
