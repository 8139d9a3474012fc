/** Counts the sessions that go on when the services stop. */
import { sessionListSchema } from '@holdfast/contracts';

/** Stopping must not wait for a gateway that hangs. */
const ANSWER_WITHIN_MS = 2_000;
const ENDED: readonly string[] = ['exited', 'lost'];

/** Undefined when no gateway answers in time. */
export async function countLivingSessions(gateways: readonly string[], token: string): Promise<number | undefined> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  for (const gateway of gateways) {
    try {
      return await countAt(gateway, token, signal);
    } catch {
      // the next one may answer
    }
  }
  return undefined;
}

async function countAt(gateway: string, token: string, signal: AbortSignal): Promise<number> {
  let living = 0;
  let cursor: string | undefined;
  do {
    const url = new URL('/v1/sessions?limit=500', gateway);
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
    const list = sessionListSchema.parse(await response.json());
    if (list.incomplete !== undefined && list.incomplete.length > 0) throw new Error('not every host answered');
    living += list.items.filter((session) => !ENDED.includes(session.state)).length;
    cursor = list.nextCursor;
  } while (cursor !== undefined);
  return living;
}
