/** Obeys the highest supervisor term ever seen: whoever comes with a lower one is a predecessor that does not know it yet. */
import { ServiceError } from '@holdfast/kernel';

interface Refusable {
  refuse(error: ServiceError): void;
}

export class TermGuard {
  private readonly peers = new Map<Refusable, number>();
  private highestTerm = 0;

  get highest(): number {
    return this.highestTerm;
  }

  get peerCount(): number {
    return this.peers.size;
  }

  /** @throws ServiceError `holder.stale-term` for a term below the highest. A higher one ends all connections of lower terms. */
  admit(peer: Refusable, term: number): void {
    if (term < this.highestTerm) throw this.stale(term);
    this.highestTerm = term;
    this.peers.set(peer, term);
    for (const [other, otherTerm] of this.peers) if (otherTerm < term) other.refuse(this.stale(otherTerm));
  }

  leave(peer: Refusable): void {
    this.peers.delete(peer);
  }

  private stale(term: number): ServiceError {
    return new ServiceError('holder.stale-term', `term ${term} is over, this holder obeys ${this.highestTerm}`, {
      detail: { term, highest: this.highestTerm },
    });
  }
}
