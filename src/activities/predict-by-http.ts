import type { JsonValue } from '../contract/json.js';
import type { Prediction } from '../contract/prediction.js';
import type { ActivityDeps } from './activity-deps.js';
import { attemptSignal, isTimeout } from './attempt-signal.js';
import { Fault } from './fault.js';
import { httpFault } from './http-fault.js';
import { idempotencyHeader } from './idempotency-header.js';
import { networkReason } from './network-reason.js';
import { predictionHeaders } from './prediction-headers.js';
import { providerFetch } from './provider-fetch.js';
import { readBody } from './read-body.js';

export interface HttpPrediction {
  backend: Extract<Prediction['backend'], { type: 'http' }>;
  input: JsonValue;
  idempotencyKey: string;
}

/**
 * Posts the input as JSON to the model's endpoint and takes the answer's JSON.
 * @throws Fault, sorted by the endpoint's status; TactusError missing_key or payload_too_large
 */
export async function predictByHttp(
  deps: ActivityDeps,
  { backend, input, idempotencyKey }: HttpPrediction,
): Promise<JsonValue> {
  const endpoint = checkEndpoint(backend.endpoint);
  const headers = predictionHeaders(backend.headers, deps.env);
  for (const [name, value] of Object.entries(idempotencyHeader(idempotencyKey))) headers.set(name, value);
  const signal = attemptSignal(backend.timeoutMs);
  try {
    const request = providerFetch(deps.fetch ?? fetch);
    const response = await request(endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
      signal,
    });
    const body = await readBody(response);
    if (!response.ok)
      throw httpFault({
        status: response.status,
        headers: response.headers,
        reason: reasonIn(body, response.status),
      });
    return parse(body);
  } catch (error) {
    if (isTimeout(signal))
      throw new Fault(`gave no answer within ${backend.timeoutMs} ms`, { retryable: true });
    const reason = networkReason(error);
    throw reason === null
      ? error
      : new Fault(`can't be reached (${reason})`, { retryable: true, cause: error });
  }
}

/** Refuses what `fetch` would refuse with a message that quotes the whole URL. */
function checkEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new Fault('the endpoint must be an http or https URL without a user in it', { retryable: false });
}

/** What refuses a key may quote it in parts. */
function reasonIn(body: string, status: number): string | null {
  return status === 401 || body.trim() === '' ? null : body;
}

function parse(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    throw new Fault(body.trim() === '' ? 'answered with nothing' : 'answered with text that is not JSON', {
      retryable: true,
    });
  }
}
