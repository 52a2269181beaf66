import { TactusError } from '../../contract/errors.js';

const pattern = /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?|->|[^\s])/gy;

/** The words and signs of a signature, read one after the other. */
export class SignatureTokens {
  private readonly all: readonly string[];
  private at = 0;

  constructor(private readonly text: string) {
    this.all = [...text.matchAll(pattern)].map(([, token = '']) => token);
  }

  /** null at the end. */
  get next(): string | null {
    return this.all[this.at] ?? null;
  }

  count(token: string): number {
    return this.all.filter((each) => each === token).length;
  }

  /** Goes on where the next token is this one. */
  skip(token: string): boolean {
    const isNext = this.next === token;
    if (isNext) this.at += 1;
    return isNext;
  }

  /** @throws TactusError source_invalid where another token is next */
  expect(token: string): void {
    if (!this.skip(token)) throw this.invalid(`${JSON.stringify(token)} expected`);
  }

  /** @throws TactusError source_invalid where the next token is none of this kind */
  take(kind: RegExp, wanted: string): string {
    const { next } = this;
    if (next === null || !kind.test(next)) throw this.invalid(`${wanted} expected`);
    this.at += 1;
    return next;
  }

  invalid(problem: string): TactusError {
    const near = this.next === null ? 'at its end' : `near ${this.next}`;
    return new TactusError(
      'source_invalid',
      `Invalid signature ${JSON.stringify(this.text.slice(0, 120))}: ${problem} ${near}`,
    );
  }
}
