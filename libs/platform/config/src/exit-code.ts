/** What a process exits with when its start failed. */
import { ExitCode } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof ServiceError)) return ExitCode.failed;
  switch (error.code) {
    case 'config.invalid':
    case 'config.socket-path-too-long':
      return ExitCode.badConfiguration;
    case 'instance.in-use':
      return ExitCode.instanceInUse;
    default:
      return ExitCode.failed;
  }
}
