import type { JsonValue } from '../contract/json.js';
import type { Prediction } from '../contract/prediction.js';
import type { ActivityDeps } from './activity-deps.js';
import { checkEndpoint } from './check-endpoint.js';
import { Fault } from './fault.js';
import { faultOf, httpExchange } from './http-exchange.js';
import { idempotencyHeader } from './idempotency-header.js';
import { providerFetch } from './provider-fetch.js';
import { requestHeaders } from './request-headers.js';

export interface HttpPrediction {
  backend: Extract<Prediction['backend'], { type: 'http' }>;
  input: JsonValue;
  idempotencyKey: string;
}

/** What is sent and wanted, unless the model's headers say otherwise. */
const jsonBothWays = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Posts the input as JSON to the model's endpoint and takes the answer's JSON.
 * @throws Fault, sorted by the endpoint's status; TactusError missing_key or payload_too_large
 */
export async function predictByHttp(
  deps: ActivityDeps,
  { backend, input, idempotencyKey }: HttpPrediction,
): Promise<JsonValue> {
  const url = checkEndpoint(backend.endpoint, 'the endpoint');
  const headers = requestHeaders({ ...jsonBothWays, ...backend.headers }, deps.env);
  for (const [name, value] of Object.entries(idempotencyHeader(idempotencyKey))) headers.set(name, value);
  const answer = await httpExchange(providerFetch(deps.fetch ?? fetch), {
    ...{ url, method: 'POST', headers, body: JSON.stringify(input), timeoutMs: backend.timeoutMs },
    retriesBinary: true,
  });
  if (answer.status < 200 || answer.status > 299) throw faultOf(answer);
  return parse(answer.body);
}

function parse(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    throw new Fault(body.trim() === '' ? 'answered with nothing' : 'answered with text that is not JSON', {
      retryable: true,
      isAnswer: true,
    });
  }
}
