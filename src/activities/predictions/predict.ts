import type { Prediction, PredictionResult } from '../../contract/predictions/served-model.js';
import type { ActivityDeps } from '../activity-deps.js';
import { assertResultFits, atEdge, Fault } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import {
  checkEndpoint,
  faultOf,
  httpExchange,
  idempotencyHeader,
  namedSecrets,
  requestHeaders,
} from '../http/http-exchange.js';
import { createRedactor, secretsOf } from '../secrets/secrets.js';
import type { PredictInput } from '../../contract/activities.js';
import { getOwn, isObject, readJson, type JsonValue } from '../../contract/json/json.js';
import { exchangeBounds } from '../../egress/bounded-response.js';
import { providerFetch } from '../models/provider-fetch.js';

interface HttpPrediction {
  backend: Extract<Prediction['backend'], { type: 'http' }>;
  input: JsonValue;
  idempotencyKey: string;
}

/** What is sent and wanted, unless the model's headers say otherwise. */
const jsonBothWays = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Sends the input as JSON to the model's endpoint and takes the answer's JSON, or the part of it that the model's declaration names.
 * @throws Fault, sorted by the endpoint's status; TactusError missing_key or payload_too_large
 */
async function predictByHttp(
  deps: ActivityDeps,
  { backend, input, idempotencyKey }: HttpPrediction,
): Promise<PredictionResult> {
  const url = checkEndpoint(backend.endpoint, 'the endpoint');
  const headers = requestHeaders({ ...jsonBothWays, ...backend.headers }, deps.env);
  for (const [name, value] of Object.entries(idempotencyHeader(idempotencyKey))) headers.set(name, value);
  const answer = await httpExchange(providerFetch(deps, exchangeBounds), {
    ...{
      url,
      method: backend.method ?? 'POST',
      headers,
      body: JSON.stringify(input),
      timeoutMs: backend.timeoutMs,
    },
    retriesBinary: true,
  });
  if (answer.status < 200 || answer.status > 299) throw faultOf(answer);
  const said = parse(answer.body);
  const { response, cost = null } = backend;
  return { output: response === undefined ? said : answerPart(said, response), cost };
}

function parse(body: string): JsonValue {
  try {
    return readJson(body);
  } catch {
    throw new Fault(body.trim() === '' ? 'answered with nothing' : 'answered with text that is not JSON', {
      retryable: true,
      isAnswer: true,
    });
  }
}

/**
 * Asks a prediction model once.
 * @throws ApplicationFailure of type predict_failed, missing_key or payload_too_large
 */
export async function predict(
  deps: ActivityDeps,
  { prediction, idempotencyKey, tries }: PredictInput,
): Promise<PredictionResult> {
  const { model, backend, input } = prediction;
  const named = backend.type === 'http' ? namedSecrets(backend.headers, deps.env) : [];
  const secrets = (): string[] => [...secretsOf(deps.env), ...named];
  return atEdge({ code: 'predict_failed', subject: `Model ${model}`, secrets, tries }, () =>
    withHeartbeat(async () => {
      const answer =
        backend.type === 'mock'
          ? { output: backend.value, cost: null }
          : await predictByHttp(deps, { backend, input, idempotencyKey });
      // An endpoint that echoes what it was sent must not bring a key into history.
      const output = createRedactor(named).value(answer.output);
      return assertResultFits({ output, cost: answer.cost }, `The output of model ${model}`);
    }),
  );
}

/**
 * The part of an answer that a path of names and numbers (from 0) leads to: `predictions.0.label`.
 * @throws Fault naming where the path ends, and what is there instead
 */
export function answerPart(answer: JsonValue, path: string): JsonValue {
  let part = answer;
  const names = path.split('.');
  for (const [i, name] of names.entries()) {
    const next = partOf(part, name);
    if (next === undefined) {
      const where = i === 0 ? 'the answer' : `${names.slice(0, i).join('.')} of the answer`;
      throw new Fault(`${where} has no ${JSON.stringify(name)}: ${JSON.stringify(part).slice(0, 200)}`, {
        retryable: false,
        isAnswer: true,
      });
    }
    part = next;
  }
  return part;
}

function partOf(part: JsonValue, name: string): JsonValue | undefined {
  // An empty name is no number, whatever JavaScript makes of it.
  if (Array.isArray(part)) return /^\d+$/.test(name) ? part[Number(name)] : undefined;
  return isObject(part) ? getOwn(part, name) : undefined;
}
