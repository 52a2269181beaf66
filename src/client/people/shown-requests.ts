import type { HumanRequest } from '../../contract/people/human-request.js';

/** So many are known; those that were read least recently are forgotten. */
const mostKnown = 1_000;

/**
 * What a client was shown of open requests: digests, by the ids of the requests. A run may open a request that was shown anew, where
 * the worker that had shown it was ahead of history; a decision on it that comes before is bound to what was shown.
 */
export class ShownRequests {
  private readonly digests = new Map<string, string>();

  note(requests: readonly HumanRequest[]): void {
    for (const { id, digest } of requests) {
      this.digests.delete(id);
      this.digests.set(id, digest);
    }
    for (const id of this.digests.keys()) {
      if (this.digests.size <= mostKnown) break;
      this.digests.delete(id);
    }
  }

  /** Of the request as it was shown last; null: it wasn't. */
  digestOf(id: string): string | null {
    return this.digests.get(id) ?? null;
  }
}
