/** The viewers of one link connection: who may type into which session, by the number their write frames carry. */
import { ServiceError } from '@holdfast/kernel';
import type { LiveSession } from '../session/live-session.js';

export interface Viewer {
  readonly session: LiveSession;
  readonly epoch: number;
  readonly viewerId: string;
  readonly mode: 'read' | 'write';
}

export class ViewerTable {
  private readonly viewers = new Map<number, Viewer>();
  private nextNumber = 1;

  add(viewer: Viewer): number {
    const number = this.nextNumber++;
    this.viewers.set(number, viewer);
    viewer.session.viewerCount += 1;
    return number;
  }

  /** Removing twice is no fault. */
  remove(number: number): void {
    const viewer = this.viewers.get(number);
    if (!viewer) return;
    this.viewers.delete(number);
    viewer.session.viewerCount -= 1;
  }

  /** @throws ServiceError `viewer.unknown`, `viewer.read-only`, `session.stale-handle`. */
  requireWriter(number: number): Viewer {
    const viewer = this.viewers.get(number);
    if (!viewer) throw new ServiceError('viewer.unknown', `no viewer ${number} on this connection`);
    if (viewer.mode !== 'write')
      throw new ServiceError('viewer.read-only', `viewer ${viewer.viewerId} may only read session ${viewer.session.id}`);
    viewer.session.requireEpoch(viewer.epoch);
    return viewer;
  }

  close(): void {
    for (const number of [...this.viewers.keys()]) this.remove(number);
  }
}
