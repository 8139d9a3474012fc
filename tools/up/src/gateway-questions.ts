/** What `up` asks the gateways: whether they see the supervisor before it says ready, and how many sessions go on when it stops. */
import { healthSchema, sessionListSchema } from '@holdfast/contracts';
import { setTimeout as pause } from 'node:timers/promises';

/** Stopping must not wait for a gateway that hangs. */
const ANSWER_WITHIN_MS = 2_000;
/** A supervisor that reads a thousand journals answers before its gateways have found it. */
const SUPERVISOR_SEEN_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;
const ENDED: readonly string[] = ['exited', 'lost'];

/**
 * Resolves with true once every gateway is connected to the supervisor: the first request after the ready line must not find it away.
 * False when that takes too long, or `gaveUp` aborts.
 */
export async function gatewaysSeeSupervisor(gateways: readonly string[], token: string, gaveUp: AbortSignal): Promise<boolean> {
  const end = performance.now() + SUPERVISOR_SEEN_WITHIN_MS;
  for (const gateway of gateways) {
    while (!(await seesSupervisor(gateway, token))) {
      if (gaveUp.aborted || performance.now() >= end) return false;
      await pause(LOOK_EVERY_MS);
    }
  }
  return true;
}

async function seesSupervisor(gateway: string, token: string): Promise<boolean> {
  try {
    const health = healthSchema.parse(await ask(gateway, '/v1/health', token));
    return health.supervisors.some(({ status }) => status === 'ok');
  } catch {
    return false;
  }
}

/** Undefined when no gateway answers in time. */
export async function countLivingSessions(gateways: readonly string[], token: string): Promise<number | undefined> {
  for (const gateway of gateways) {
    try {
      return await countAt(gateway, token);
    } catch {
      // the next one may answer
    }
  }
  return undefined;
}

async function countAt(gateway: string, token: string): Promise<number> {
  let living = 0;
  let cursor: string | undefined;
  do {
    const page = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const list = sessionListSchema.parse(await ask(gateway, `/v1/sessions?limit=500${page}`, token));
    if (list.incomplete !== undefined && list.incomplete.length > 0) throw new Error('not every host answered');
    living += list.items.filter((session) => !ENDED.includes(session.state)).length;
    cursor = list.nextCursor;
  } while (cursor !== undefined);
  return living;
}

async function ask(gateway: string, path: string, token: string): Promise<unknown> {
  const response = await fetch(new URL(path, gateway), {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  return response.json();
}
