import type { JsonObject } from '../../../src/contract/json/json.js';
import type { ModelAnswer, ProviderRequest } from '../provider-stand-in.js';

/** How a provider is spoken with. */
export interface Protocol {
  isStreamed(request: ProviderRequest): boolean;
  /** The answer at once. */
  whole(answer: ModelAnswer, request: ProviderRequest): JsonObject;
  /** The answer as the pieces of a stream. */
  pieces(answer: ModelAnswer, request: ProviderRequest): readonly (string | Uint8Array)[];
  readonly streamType: string;
}

/** A stream as a field of the request asks for it, in events of server-sent text. */
export const byField = {
  isStreamed: (request: ProviderRequest) => request.body['stream'] === true,
  streamType: 'text/event-stream',
} as const;
