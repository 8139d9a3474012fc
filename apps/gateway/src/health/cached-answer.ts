/** Keeps an answer for a moment: who asks often gets the last one, and who asks meanwhile shares the question under way. */

export class CachedAnswer<Answer> {
  private last: { readonly askedAt: number; readonly answer: Promise<Answer> } | undefined;

  /** `ask` never rejects: a failure is an answer. `now` in milliseconds that only grow. */
  constructor(
    private readonly ask: () => Promise<Answer>,
    private readonly options: { readonly maxAgeMs: number; readonly now: () => number },
  ) {}

  get(): Promise<Answer> {
    const now = this.options.now();
    if (this.last === undefined || now - this.last.askedAt >= this.options.maxAgeMs) this.last = { askedAt: now, answer: this.ask() };
    return this.last.answer;
  }
}
