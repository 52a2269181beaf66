import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { Fault } from '../../retries/fault.js';
import type { EndedBatch, RequestId, SeatedRequest } from './batch-api.js';

interface Seat {
  answer(response: Response): void;
  fail(error: unknown): void;
}

/**
 * Calls that ask together. Each has a `fetch` of its own, which keeps the request until what is kept is sent as one batch; its
 * answer is then as if it had been asked alone.
 */
export class BatchRound {
  private readonly requests = new Map<RequestId, SeatedRequest>();
  private readonly seats = new Map<RequestId, Seat>();
  private readonly undecided: Set<RequestId>;
  private isComplete: () => void = () => undefined;
  private readonly complete: Promise<void>;

  constructor(ids: readonly RequestId[]) {
    this.undecided = new Set(ids);
    this.complete = new Promise((resolve) => (this.isComplete = resolve));
    this.check();
  }

  fetchAt(id: RequestId): typeof fetch {
    return (input, init = {}) => {
      const url = input instanceof Request ? input.url : String(input);
      this.requests.set(id, { url, headers: new Headers(init.headers), body: bodyOf(init) });
      return new Promise((answer, fail) => {
        this.seats.set(id, { answer, fail });
        init.signal?.addEventListener('abort', () => fail(init.signal?.reason as Error));
        this.leave(id);
      });
    };
  }

  /** It asks for nothing any more: its call has ended before, or its request is kept. */
  leave(id: RequestId): void {
    this.undecided.delete(id);
    this.check();
  }

  /** The requests of all calls that have one, as soon as that is known. */
  async gathered(): Promise<ReadonlyMap<RequestId, SeatedRequest>> {
    await this.complete;
    return this.requests;
  }

  /** Those that the batch has no answer for have failed. */
  end({ answers, state }: EndedBatch): void {
    const fault = new Fault(`its batch has no answer to it (${state})`, { retryable: true });
    for (const [id, seat] of this.seats) {
      const answer = answers.get(id);
      if (answer === undefined) seat.fail(fault);
      else seat.answer(answer);
    }
  }

  fail(error: unknown): void {
    for (const seat of this.seats.values()) seat.fail(error);
  }

  private check(): void {
    if (this.undecided.size === 0) this.isComplete();
  }
}

function bodyOf({ body }: RequestInit): JsonObject {
  const parsed = typeof body === 'string' ? (JSON.parse(body) as JsonValue) : null;
  return isObject(parsed) ? parsed : {};
}
