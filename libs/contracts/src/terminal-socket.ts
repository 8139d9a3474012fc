/** The socket.io namespace `/terminal`: event maps as types, and schemas for what comes in. */
import type { ErrorBody } from '@holdfast/kernel';
import { z } from 'zod';
import { idSchema, resizeSchema, type ExitView, type Session } from './session.schema.js';

export const TERMINAL_NAMESPACE = '/terminal';
/** Unacknowledged bytes per viewer before sending stops. Measured: 128 KB costs throughput, 4 MB worsens the tail. */
export const VIEWER_WINDOW_BYTES = 512 * 1024;
/** A viewer acknowledges at least this often. */
export const VIEWER_ACK_BYTES = 64 * 1024;

const attachIdSchema = z.string().min(1).max(64);
/** An offset as a viewer sends it: whether it can be served is judged later, nonsense gives `stream.bad-offset`. */
const offsetSchema = z.number();

export const attachSchema = z.object({
  sessionId: idSchema,
  epoch: z.int().min(1).optional(),
  from: offsetSchema.optional(),
  viewerId: z.string().min(1).max(128).optional(),
  lease: z.string().max(128).optional(),
  mode: z.enum(['read', 'write']).optional(),
  cols: resizeSchema.shape.cols.optional(),
  rows: resizeSchema.shape.rows.optional(),
  scrollback: z.int().min(0).optional(),
});
export type AttachRequest = z.infer<typeof attachSchema>;

export const viewerResizeSchema = z.object({ attachId: attachIdSchema, cols: resizeSchema.shape.cols, rows: resizeSchema.shape.rows });
export const attachmentSchema = z.object({ attachId: attachIdSchema });
export const visibleSchema = z.object({ attachId: attachIdSchema, visible: z.boolean() });
export const inputArgumentsSchema = z.tuple([attachIdSchema, z.int().min(1).max(0xffff_ffff), z.instanceof(Uint8Array)]);
export const ackArgumentsSchema = z.tuple([attachIdSchema, z.int().min(0)]);

export interface Attached {
  readonly attachId: string;
  readonly epoch: number;
  readonly viewerId: string;
  /** Last input sequence applied for this viewer; 0 for a new one. */
  readonly lastSeq: number;
  /** Of the first byte that follows. */
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly how: 'exact' | 'snapshot';
  readonly snapshot?: Uint8Array;
  readonly approximate?: boolean;
  readonly state: Session['state'];
  readonly mode: 'read' | 'write';
}

/** Every acknowledgement: `ok` and the facts, or the error. */
export type Ack<Facts extends object = object> =
  ({ readonly ok: true } & Facts) | ({ readonly ok: false } & Omit<ErrorBody, 'detail' | 'message'> & { readonly detail: string });
type Reply<Facts extends object = object> = (ack: Ack<Facts>) => void;

export interface TerminalClientEvents {
  attach(request: AttachRequest, reply: Reply<Attached>): void;
  input(attachId: string, seq: number, bytes: Uint8Array, reply: Reply): void;
  ack(attachId: string, offset: number): void;
  resize(request: z.infer<typeof viewerResizeSchema>, reply: Reply): void;
  takeControl(request: z.infer<typeof attachmentSchema>, reply: Reply): void;
  visible(request: z.infer<typeof visibleSchema>, reply: Reply): void;
  detach(request: z.infer<typeof attachmentSchema>, reply: Reply): void;
}

export interface TerminalServerEvents {
  output(attachId: string, offset: number, bytes: Uint8Array): void;
  resync(event: { attachId: string; offset: number; snapshot: Uint8Array; cols: number; rows: number; approximate: boolean }): void;
  resized(event: { attachId: string; offset: number; cols: number; rows: number }): void;
  control(event: { attachId: string; mine: boolean; by: string | null }): void;
  restarted(event: { attachId: string; epoch: number }): void;
  exit(event: { attachId: string; exit: ExitView }): void;
  detached(event: { attachId: string; code: string }): void;
  reconnect(event: { inMs: number }): void;
}
