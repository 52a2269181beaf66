import type { JsonObject } from '../../../contract/json/json.js';
import { Fault } from '../../retries/failures.js';
import {
  answerOf,
  listIn,
  objectIn,
  objectsIn,
  textIn,
  type BatchApi,
  type BatchCalls,
  type EndedBatch,
  type RequestId,
  type SeatedRequest,
} from './batch-api.js';

/** The longest that OpenAI has; others have a longer one, which nobody wants to wait for. */
const window = '24h';
/** Under which OpenAI keeps what whoever began a batch says of it. */
const mark = 'tactus_call';

const ends = ['completed', 'failed', 'expired', 'cancelled'];
/** What `status_code` would be, where a request had no answer by HTTP. */
const noAnswer = 500;

/**
 * Batches as OpenAI has them: requests go there in a file, and answers come back in others.
 * @param url of the requests: `https://api.openai.com/v1/chat/completions`
 */
export function fileBatches(calls: BatchCalls, url: string): BatchApi {
  const [base = '', path = ''] = url.split(/(?<=\/v\d+)(?=\/)/);
  const endpoint = `/v1${path}`;
  const batchUrl = (id: string, more = ''): string => `${base}/batches/${encodeURIComponent(id)}${more}`;
  const lines = async (file: string | null): Promise<JsonObject[]> =>
    file === null ? [] : objectsIn(await calls.text(`${base}/files/${encodeURIComponent(file)}/content`));
  return {
    async begin(requests, key) {
      const file = await calls.post(`${base}/files`, formOf(requests, endpoint));
      const batch = { input_file_id: idOf(file), endpoint, completion_window: window };
      return idOf(await calls.post(`${base}/batches`, { ...batch, metadata: { [mark]: key } }, key));
    },
    async find(key) {
      const { data } = { data: listIn(await calls.get(`${base}/batches?limit=100`), 'data') };
      const found = data.find((batch) => textIn(objectIn(batch, 'metadata'), mark) === key);
      return textIn(found ?? null, 'id');
    },
    async look(id): Promise<EndedBatch | null> {
      const batch = await calls.get(batchUrl(id));
      const status = textIn(batch, 'status') ?? '';
      if (!ends.includes(status)) return null;
      const files = [textIn(batch, 'output_file_id'), textIn(batch, 'error_file_id')];
      const read = await Promise.all(files.map(lines));
      const [error] = listIn(objectIn(batch, 'errors'), 'data');
      const why = textIn(error ?? null, 'message');
      return {
        answers: new Map(read.flat().map(answerInFile)),
        state: why === null ? status : `${status}: ${why}`,
      };
    },
    cancel: (id) => calls.tell(batchUrl(id, '/cancel')),
  };
}

function formOf(requests: ReadonlyMap<RequestId, SeatedRequest>, url: string): FormData {
  const lines = [...requests].map(([id, { body }]) =>
    JSON.stringify({ custom_id: id, method: 'POST', url, body }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')], { type: 'application/jsonl' }), 'requests.jsonl');
  return form;
}

function idOf(object: JsonObject): string {
  const id = textIn(object, 'id');
  if (id === null) throw new Fault('answered about a batch, but gave it no id', { retryable: true });
  return id;
}

function answerInFile(line: JsonObject): [RequestId, Response] {
  const response = objectIn(line, 'response');
  const error = objectIn(line, 'error');
  const status = response?.['status_code'];
  const code = typeof status === 'number' ? status : noAnswer;
  const body = response?.['body'] ?? (error === null ? {} : { error });
  return [textIn(line, 'custom_id') ?? '', answerOf(code, body)];
}

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
