import type { JsonObject, JsonValue } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';
import { responses } from './responses.js';

/** What becomes of a response in the background. */
export type Outcome =
  ModelAnswer | { failed: { code: string; message: string } } | { ended: string; output?: JsonValue };

/** Responses that are made in the background: begun by a request, looked at by their ids, and cancelled. */
export class BackgroundResponses {
  private readonly begun = new Map<string, () => JsonObject>();

  /** @param isReady asked at each look */
  begin(outcome: Outcome, isReady: () => boolean, request: ProviderRequest): JsonObject {
    const id = `resp_bg_${this.begun.size + 1}`;
    const open = (status: string): JsonObject => ({
      ...responses.whole({}, request),
      id,
      status,
      output: [],
    });
    this.begun.set(id, () => {
      if (!isReady()) return open('in_progress');
      if ('ended' in outcome) return { ...open(outcome.ended), output: outcome.output ?? [] };
      if ('failed' in outcome) return { ...open('failed'), error: outcome.failed };
      return { ...responses.whole(outcome, request), id };
    });
    return open('queued');
  }

  /** What is answered at the path of a response that was begun; null: it is another path. */
  answer({ method, path }: ProviderRequest): { status: number; body: JsonObject } | null {
    const [, id, more] = /\/responses\/([^/?]+)(\/cancel)?/.exec(path) ?? [];
    if (id === undefined) return null;
    const known = this.begun.get(id);
    if (known === undefined) return { status: 404, body: { error: { message: `no response ${id}` } } };
    if (method === 'POST' && more !== undefined)
      this.begun.set(id, () => ({ ...known(), status: 'cancelled', output: [] }));
    return { status: 200, body: (this.begun.get(id) ?? known)() };
  }
}
