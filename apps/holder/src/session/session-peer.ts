/** Serves one connection to a session's socket: the verbs of `SessionVerbs` and write frames. */
import type { JsonObject } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import type { Socket } from 'node:net';
import { Peer, type HelloFacts } from '../protocol/peer.js';
import type { TermGuard } from '../protocol/term-guard.js';
import type { HeldSession } from './held-session.js';

export interface SessionPeerContext {
  readonly terms: TermGuard;
  readonly hello: HelloFacts;
  readonly session: HeldSession;
}

export function sessionPeer(socket: Socket, { terms, hello, session }: SessionPeerContext): Peer {
  const peer: Peer = new Peer(socket, terms, hello, {
    request: (verb, args) => answer(session, peer, verb, args),
    write: (write) => ({ ...session.write(write) }),
    closed: () => session.leave(peer),
  });
  return peer;
}

function answer(session: HeldSession, peer: Peer, verb: string, args: JsonObject): JsonObject {
  switch (verb) {
    case 'attach':
      return { ...session.attach(peer) };
    case 'sequence':
      return { lastSeq: session.lastSequence(text(args, 'viewerId')) };
    case 'resize':
      return { ...session.resize(number(args, 'cols'), number(args, 'rows')) };
    case 'kill':
      return { sent: session.kill(text(args, 'signal')) };
    case 'exit':
      return { record: session.exit() ?? null };
    case 'hold':
      session.hold(number(args, 'forMs'));
      return {};
    default:
      throw new ServiceError('protocol.unknown-verb', `a session knows no verb "${verb}"`);
  }
}

function text(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new ServiceError('request.invalid', `${name} must be a string`);
  return value;
}

function number(args: JsonObject, name: string): number {
  const value = args[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ServiceError('request.invalid', `${name} must be a number`);
  return value;
}
