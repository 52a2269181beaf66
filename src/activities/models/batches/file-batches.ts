import type { JsonObject } from '../../../contract/json/json.js';
import { Fault } from '../../retries/fault.js';
import type { BatchApi, EndedBatch, RequestId, SeatedRequest } from './batch-api.js';
import { answerOf, listIn, objectIn, objectsIn, textIn, type BatchCalls } from './batch-calls.js';

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
        answers: new Map(read.flat().map(answerIn)),
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

function answerIn(line: JsonObject): [RequestId, Response] {
  const response = objectIn(line, 'response');
  const error = objectIn(line, 'error');
  const status = response?.['status_code'];
  const code = typeof status === 'number' ? status : noAnswer;
  const body = response?.['body'] ?? (error === null ? {} : { error });
  return [textIn(line, 'custom_id') ?? '', answerOf(code, body)];
}
