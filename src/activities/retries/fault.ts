export interface FaultOptions {
  /** Whether another attempt may go better. */
  retryable: boolean;
  /** HTTP status, where there was one. */
  status?: number;
  /** When to try again, in ms from now, as the other side asked for. */
  retryAfterMs?: number | null;
  /** An answer came, and was paid for; it can't be used. */
  isAnswer?: boolean;
  cause?: unknown;
}

/** Something outside went wrong, already sorted. Its message may still hold secrets: `failures.ts` removes them. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly isAnswer: boolean;

  constructor(message: string, options: FaultOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.isAnswer = options.isAnswer ?? false;
  }
}
