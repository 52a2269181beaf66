export interface FaultOptions {
  /** Whether another attempt may go better. */
  retryable: boolean;
  /** HTTP status, where there was one. */
  status?: number;
  /** When to try again, in ms from now, as the other side asked for. */
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** Something outside went wrong, already sorted. Its message may still hold secrets: `failures.ts` removes them. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: FaultOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.retryable = options.retryable;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
