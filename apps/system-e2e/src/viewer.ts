/** A viewer under test: keeps what it was given and waits for what it should see. */
import type { ExitView } from '@holdfast/contracts';
import type { StreamStart, TerminalAttachment, TerminalClient } from '@holdfast/client';
import { waitFor } from '@holdfast/testing';

export interface ViewerOptions {
  readonly mode?: 'read' | 'write';
  /** Keeps the stream exact from here; needs `epoch`. */
  readonly from?: number;
  readonly epoch?: number;
  readonly cols?: number;
  readonly rows?: number;
  /** Given the bytes in place of keeping them: for streams too long to keep. */
  readonly onBytes?: (bytes: Uint8Array, offset: number) => void;
}

export class Viewer {
  private readonly chunks: Uint8Array[] = [];
  /** Every start of the stream: more than one means that it could not be continued. */
  readonly starts: StreamStart[] = [];
  readonly sizes: { readonly cols: number; readonly rows: number }[] = [];
  exit: ExitView | undefined;

  private constructor(private attachment: TerminalAttachment | undefined) {}

  static async open(terminals: TerminalClient, sessionId: string, options: ViewerOptions = {}): Promise<Viewer> {
    const viewer = new Viewer(undefined);
    const { mode = 'read', onBytes, ...place } = options;
    viewer.attachment = await terminals.attach(
      { sessionId, mode, ...place },
      {
        onOutput: (bytes, offset) => (onBytes === undefined ? void viewer.chunks.push(bytes.slice()) : onBytes(bytes, offset)),
        onStart: (start) => void viewer.starts.push(start),
        onResized: (size) => void viewer.sizes.push(size),
        onExit: (exit) => void (viewer.exit = exit),
      },
    );
    return viewer;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  async sees(pattern: string | RegExp, withinMs = 15_000): Promise<void> {
    const found = () => (typeof pattern === 'string' ? this.text.includes(pattern) : pattern.test(this.text));
    await waitFor(found, { what: `a viewer sees ${String(pattern)}`, withinMs }).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it saw ${JSON.stringify(this.text.slice(-500))}`);
    });
  }

  async sendText(text: string): Promise<void> {
    await this.attachment?.write(new TextEncoder().encode(text));
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.attachment?.resize(cols, rows);
  }

  async close(): Promise<void> {
    await this.attachment?.detach();
  }
}
