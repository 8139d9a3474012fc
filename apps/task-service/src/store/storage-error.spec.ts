/** Which failures are the storage's, and what is said about them. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import { isBusy, isStorageError, storageFailure } from './storage-error.js';

const named = (name: string, message: string, cause?: unknown) => Object.assign(new Error(message, { cause }), { name });

describe('storageFailure', () => {
  it.each([
    [named('SqliteError', 'database is locked'), 'is locked by another process'],
    [named('PrismaClientKnownRequestError', 'x', { kind: 'SocketTimeout' }), 'is locked by another process'],
    [named('DriverAdapterError', 'x', { kind: 'sqlite', extendedCode: 1, message: 'database or disk is full' }), 'is full'],
    [named('SqliteError', 'file is not a database'), 'is damaged'],
    [named('SqliteError', 'unable to open database file'), 'cannot be opened'],
    [named('PrismaClientUnknownRequestError', 'who knows'), 'failed'],
  ])('says of %s that the store %s', (thrown, reason) => {
    const { code, message } = storageFailure(thrown, '/tasks.db');
    expect([isStorageError(thrown), code, message]).toEqual([true, 'storage.failed', `the task store ${reason} (/tasks.db)`]);
  });

  it('leaves errors of our own alone', () => {
    const own = new ServiceError('task.not-found', 'x');
    expect([storageFailure(own, '/x'), isStorageError(own), isStorageError(new Error('a bug')), isBusy(own)]).toEqual([
      own,
      false,
      false,
      false,
    ]);
  });
});
