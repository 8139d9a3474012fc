/** Titles are text, whatever a program puts into them. */
import { expect, it } from '@jest/globals';
import { plainText } from './plain-text.js';

it('drops control characters, line breaks and changes of direction, and keeps the rest', () => {
  expect(plainText(' a\u0007b\nc \u202eevil\u202c <b>…é ')).toBe('a b c evil <b>…é');
  expect(plainText('x'.repeat(1000))).toHaveLength(200);
});
