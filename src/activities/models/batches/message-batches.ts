import type { JsonObject } from '../../../contract/json/json.js';
import { Fault } from '../../retries/fault.js';
import type { BatchApi, RequestId, SeatedRequest } from './batch-api.js';
import { answerOf, objectIn, objectsIn, textIn, type BatchCalls } from './batch-calls.js';

/** What the statuses of errors are that Anthropic tells without one. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};

/**
 * Batches as Anthropic has them: requests go there in one request, and answers come back as lines.
 * @param url of the requests: `https://api.anthropic.com/v1/messages`
 */
export function messageBatches(calls: BatchCalls, url: string): BatchApi {
  const batchUrl = (id: string, more = ''): string => `${url}/batches/${encodeURIComponent(id)}${more}`;
  return {
    async begin(requests, key) {
      const batch = { requests: [...requests].map(([id, request]) => paramsOf(id, request)) };
      const id = textIn(await calls.post(`${url}/batches`, batch, key), 'id');
      if (id === null) throw new Fault('answered about a batch, but gave it no id', { retryable: true });
      return id;
    },
    // It keeps nothing that whoever began a batch could know it by.
    find: () => Promise.resolve(null),
    async look(id) {
      const batch = await calls.get(batchUrl(id));
      if (textIn(batch, 'processing_status') !== 'ended') return null;
      // The address of `results_url` is the same; whatever it says, the key goes nowhere else.
      const lines = objectsIn(await calls.text(batchUrl(id, '/results')));
      return { answers: new Map(lines.flatMap(answerIn)), state: 'ended' };
    },
    cancel: (id) => calls.tell(batchUrl(id, '/cancel')),
  };
}

function paramsOf(id: RequestId, { body }: SeatedRequest): JsonObject {
  return { custom_id: id, params: body };
}

/** None for those that were cancelled, or have expired. */
function answerIn(line: JsonObject): [RequestId, Response][] {
  const result = objectIn(line, 'result');
  const id = textIn(line, 'custom_id') ?? '';
  const message = objectIn(result, 'message');
  if (message !== null) return [[id, answerOf(200, message)]];
  const error = objectIn(result, 'error');
  if (error === null) return [];
  const type = textIn(objectIn(error, 'error') ?? error, 'type') ?? '';
  return [[id, answerOf(statuses[type] ?? 500, error)]];
}
