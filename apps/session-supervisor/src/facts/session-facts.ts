/** What the world is told of a session, read off its manifest: the same manifest gives the same facts, under the same ids. */
import type { SessionFact, SessionFactVerb } from '@holdfast/contracts';
import type { Manifest } from '../manifest/manifest.schema.js';
import { normaliseSpec } from '../manifest/session-spec.js';

export type AnySessionFact = {
  readonly [V in SessionFactVerb]: { readonly id: string; readonly verb: V; readonly data: SessionFact<V> };
}[SessionFactVerb];

/** In the order they came true. One whose data is not known (the pid of a session that ended before it was heard of) is left out. */
export function factsOf(manifest: Manifest, hostId: string): readonly AnySessionFact[] {
  return [...started(manifest, hostId), ...ended(manifest, hostId), ...reaped(manifest, hostId)];
}

function started(manifest: Manifest, hostId: string): readonly AnySessionFact[] {
  const { startedAt, leader } = manifest;
  if (manifest.state === 'pending' || startedAt === undefined || !leader) return [];
  return [{ id: idOf(manifest, 'started'), verb: 'started', data: { ...about(manifest, hostId, startedAt), pid: leader.pid } }];
}

function ended(manifest: Manifest, hostId: string): readonly AnySessionFact[] {
  const { end } = manifest;
  if (!end) return [];
  const data = { ...about(manifest, hostId, end.endedAt), exit: end.exit };
  if (manifest.state === 'lost') return [{ id: idOf(manifest, 'lost'), verb: 'lost', data }];
  return [{ id: idOf(manifest, 'exited'), verb: 'exited', data: { ...data, offset: end.offset } }];
}

/** Only once it is over: a kill that failed is told by its answer. */
function reaped(manifest: Manifest, hostId: string): readonly AnySessionFact[] {
  const { reap, end } = manifest;
  if (!reap?.report || !end) return [];
  const data = { ...about(manifest, hostId, reap.at), class: reap.class, report: reap.report };
  return [{ id: idOf(manifest, 'reaped'), verb: 'reaped', data }];
}

function idOf({ sessionId, epoch }: Manifest, verb: SessionFactVerb): string {
  return `${sessionId}-${epoch}-${verb}`;
}

function about(manifest: Manifest, hostId: string, at: string) {
  const { sessionId, epoch, backend, spec } = manifest;
  const { owner, taskId } = normaliseSpec(spec, backend);
  return { sessionId, epoch, hostId, owner, backend, at, ...(taskId === undefined ? {} : { taskId }) };
}
