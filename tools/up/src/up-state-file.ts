/** `up.json`: what runs, for people, tests and the command line. */
import type { UpState } from '@holdfast/contracts';
import type { RetriedFile } from './retried-file.js';

type RunningService = UpState['services'][number];

export class UpStateFile {
  private readonly running = new Map<string, RunningService>();
  private published = false;

  constructor(
    private readonly file: RetriedFile,
    private readonly facts: { readonly natsUrl: () => string; readonly subjectRoot: string },
  ) {}

  /** Written at once when `publish` was called before: readers of a restarted service's pid must never see the old one. */
  set(service: { readonly name: string; readonly pid: number; readonly url?: string | undefined }): void {
    this.running.set(service.name, { name: service.name, pid: service.pid, ...(service.url === undefined ? {} : { url: service.url }) });
    if (this.published) this.write();
  }

  /** From now on the file is there: everything that belongs into it has been set. */
  publish(): void {
    this.published = true;
    this.write();
  }

  /** What a killed predecessor left is removed with it: its pids and addresses lead nowhere. */
  remove(): void {
    this.published = false;
    this.file.remove();
  }

  get gateways(): readonly string[] {
    return this.services().flatMap((service) => (service.name.startsWith('gateway-') && service.url !== undefined ? [service.url] : []));
  }

  private services(): RunningService[] {
    return [...this.running.values()].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  }

  private write(): void {
    const state: UpState = {
      services: this.services(),
      gateways: [...this.gateways],
      natsUrl: this.facts.natsUrl(),
      subjectRoot: this.facts.subjectRoot,
    };
    this.file.write(`${JSON.stringify(state, null, 2)}\n`);
  }
}
