/** Ids, errors and deadlines. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError, isId, newId, parseErrorBody, withDeadline } from './index.js';

describe('ids', () => {
  it.each(['', '../evil', 'A', '-a', 'a'.repeat(41), 'a/b', 'a.b', 'a\n'])('refuses %j', (id) => expect(isId(id)).toBe(false));
  it('makes 32 hex digits that sort by time', () => {
    const ids = [newId(), newId(), newId()];
    expect([ids.every((id) => /^[0-9a-f]{32}$/.test(id) && isId(id)), [...ids].sort()]).toEqual([true, ids]);
  });
});

describe('ServiceError', () => {
  it('survives a wire', () => {
    const error = new ServiceError('session.not-found', 'no session "x"', { detail: { sessionId: 'x' } });
    expect(ServiceError.fromBody(parseErrorBody(JSON.parse(JSON.stringify(error.toBody()))))).toEqual(error);
  });
  it('keeps the text of what is no ServiceError out of what travels', () => {
    expect(ServiceError.from(new Error('secret')).toBody()).toEqual({ code: 'internal', retry: 'unknown', message: 'internal error' });
  });
  it('reads a code of a later build as internal and keeps its name', () => {
    expect(parseErrorBody({ code: 'future.code', message: 'm' })).toEqual({
      code: 'internal',
      retry: 'unknown',
      message: 'future.code: m',
    });
  });
});

describe('withDeadline', () => {
  it('gives the result or a typed error', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(withDeadline(Promise.resolve(1), 1000, 'x')).resolves.toBe(1);
    await expect(withDeadline(never, 1, 'x')).rejects.toMatchObject({ code: 'deadline.exceeded' });
  });
});
