/** The operator's token: from the environment or from the state directory, and long enough for where it is used. */
import type { HoldfastConfig } from '@holdfast/platform-config';
import { MIN_REMOTE_TOKEN_LENGTH, isLoopbackHost } from '@holdfast/platform-config';
import { ServiceError } from '@holdfast/kernel';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @throws ServiceError `config.invalid` when there is none, or a short one where other machines reach the gateway. */
export function operatorTokenOf(config: Pick<HoldfastConfig, 'stateDir' | 'gateway'>): string {
  const token = config.gateway.operatorToken ?? readTokenFile(join(config.stateDir, 'operator.token'));
  if (isLoopbackHost(config.gateway.host) || token.length >= MIN_REMOTE_TOKEN_LENGTH) return token;
  throw new ServiceError(
    'config.invalid',
    `the operator token must have at least ${MIN_REMOTE_TOKEN_LENGTH} characters, since HOLDFAST_GATEWAY_HOST=${config.gateway.host} can be reached from other machines`,
  );
}

function readTokenFile(path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ServiceError('config.invalid', `no operator token: set HOLDFAST_OPERATOR_TOKEN or write one to ${path}`, { cause: error });
  }
  if (token === '') throw new ServiceError('config.invalid', `the operator token in ${path} is empty`);
  return token;
}
