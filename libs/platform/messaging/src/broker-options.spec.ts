/** How a broker URL becomes address and credentials. */
import { describe, expect, it } from '@jest/globals';
import { brokerOptions } from './broker-options.js';

describe('brokerOptions', () => {
  it.each([
    ['nats://127.0.0.1:4333', { servers: '127.0.0.1:4333' }],
    ['nats://broker', { servers: 'broker:4222' }],
    ['nats://me:p%40ss@broker:4222', { servers: 'broker:4222', user: 'me', pass: 'p@ss' }],
    ['nats://secret@broker', { servers: 'broker:4222', token: 'secret' }],
    ['tls://broker', { servers: 'broker:4222', tls: {} }],
    ['nats://me:pw@one, nats://two:4333', { servers: ['one:4222', 'two:4333'], user: 'me', pass: 'pw' }],
  ])('reads %s', (url, options) => {
    expect(brokerOptions(url)).toEqual(options);
  });

  it('refuses what is no URL without repeating it', () => {
    expect(() => brokerOptions('pass word')).toThrow(
      expect.objectContaining({ code: 'config.invalid', message: expect.not.stringContaining('word') }),
    );
  });
});
