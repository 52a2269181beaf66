import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { TactusError } from '../../../contract/errors.js';
import { defined, readJson, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { exchangeBounds } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';
import { assertInstalled } from '../../packages/installed.js';
import { Fault } from '../../retries/failures.js';
import { answerPart } from '../predict.js';
import type { AskedRun, ModelRunner } from './ask-host.js';

/** Where an endpoint is; null: where the SDK's own settings say. */
interface SageMakerPlace {
  region: string | null;
  address: string | null;
}

/** Names of errors that come of credentials, which may have been replaced since. */
const refusedKeys = [
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'CredentialsProviderError',
];

/** Of each worker, by place: with the credentials that they have read. */
const kept = new WeakMap<Egress, Map<string, SageMakerRuntimeClient>>();

/**
 * Asks by the client of a place, which is kept. One whose credentials are refused gives way to a new one, which reads them anew.
 * @throws whatever `ask` throws
 */
async function withSageMaker<T>(
  egress: Egress,
  place: SageMakerPlace,
  ask: (client: SageMakerRuntimeClient) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify([place.region, place.address]);
  const clients = kept.get(egress) ?? new Map<string, SageMakerRuntimeClient>();
  kept.set(egress, clients);
  const renew = async (): Promise<SageMakerRuntimeClient> => {
    const client = await connect(egress, place);
    clients.set(key, client);
    return client;
  };
  const there = clients.get(key);
  if (there === undefined) return ask(await renew());
  try {
    return await ask(there);
  } catch (error) {
    if (!refusedKeys.includes((error as Error).name)) throw error;
    // Others may be at the old one: it isn't closed, and idle connections end by themselves.
    return await ask(await renew());
  }
}

async function connect(egress: Egress, { region, address }: SageMakerPlace): Promise<SageMakerRuntimeClient> {
  const { SageMakerRuntimeClient } = await import('@aws-sdk/client-sagemaker-runtime');
  return new SageMakerRuntimeClient({
    ...(region === null ? {} : { region }),
    ...(address === null ? {} : { endpoint: address }),
    // The run's own retries are all that there are.
    maxAttempts: 1,
    requestHandler: awsHandler(egressFetch(egress, exchangeBounds)),
  });
}

/** What an AWS client has sent. */
interface AwsRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  /** There as a whole. */
  body?: string | Uint8Array<ArrayBuffer>;
}

interface AwsAnswer {
  response: { statusCode: number; headers: Record<string, string>; body: ReadableStream<Uint8Array> | null };
}

interface AwsHandler {
  /** @param options its signal is one of the platform, for which the client has a type of its own */
  handle(request: AwsRequest, options?: { abortSignal?: unknown }): Promise<AwsAnswer>;
}

/** Sends the requests of an AWS client by a `fetch`. */
function awsHandler(send: typeof fetch): AwsHandler {
  return {
    async handle({ protocol, hostname, port, path, query = {}, method, headers, body = '' }, options) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      for (const [name, given] of Object.entries(query))
        for (const value of [given].flat()) url.searchParams.append(name, value ?? '');
      const signal = (options?.abortSignal ?? null) as AbortSignal | null;
      const response = await send(url, { method, headers, body, signal });
      return {
        response: {
          ...{ statusCode: response.status, headers: Object.fromEntries(response.headers) },
          body: response.body,
        },
      };
    },
  };
}

const packageName = '@aws-sdk/client-sagemaker-runtime';

/** Of the service: the endpoint isn't there, or refuses what it was asked. */
const hopeless = ['ValidationError', 'AccessDeniedException', ...refusedKeys];

/** What the model's own container answers with, its status is what counts. */
interface ServiceError {
  name?: string;
  message?: string;
  OriginalStatusCode?: number;
  OriginalMessage?: string;
  $metadata?: { httpStatusCode?: number };
}

/**
 * Asks an endpoint of Amazon SageMaker, an input a request. Settings: `endpoint`, its name; `region`; `variant`; `content_type` and
 * `accept`, `application/json` both; `base_url` for another address than the region's; `response`, where the prediction stands in
 * the answer. Credentials come from where the AWS SDK finds them.
 */
export const runOnSageMaker: ModelRunner = async ({ deps, run, signal }) => {
  assertInstalled('Models of the type "sagemaker" need', [packageName]);
  const { InvokeEndpointCommand } = await import('@aws-sdk/client-sagemaker-runtime');
  const { settings } = run.backend;
  const text = (name: string): string | null => optionalTextSetting(settings, name);
  const place = { region: text('region'), address: text('base_url') };
  const contentType = text('content_type') ?? 'application/json';
  const variant = text('variant');
  try {
    const outputs: JsonValue[] = [];
    let version: string | null = null;
    for (const input of run.inputs) {
      const command = new InvokeEndpointCommand({
        EndpointName: text('endpoint') ?? '',
        ContentType: contentType,
        Accept: text('accept') ?? 'application/json',
        Body: bodyOf(input, contentType),
        ...(variant === null ? {} : { TargetVariant: variant }),
      });
      const answer = await withSageMaker(deps, place, (client) =>
        client.send(command, { abortSignal: signal }),
      );
      version = answer.InvokedProductionVariant ?? null;
      const said = readAnswer(new TextDecoder().decode(answer.Body), answer.ContentType ?? '');
      const part = text('response');
      outputs.push(part === null ? said : answerPart(said, part));
    }
    return { outputs, cost: null, version };
  } catch (error) {
    throw sorted(error, run);
  }
};

function optionalTextSetting(settings: JsonObject, name: string): string | null {
  const value = settings[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '')) return value;
  throw new TactusError('predict_failed', `${name} of a model of the type "sagemaker" must be a text`);
}

/** A text goes as it is where the endpoint takes text: a row of CSV. */
function bodyOf(input: JsonValue, contentType: string): string {
  const isJson = contentType.includes('json');
  return typeof input === 'string' && !isJson ? input : JSON.stringify(input);
}

function readAnswer(body: string, contentType: string): JsonValue {
  if (!contentType.includes('json')) return body;
  try {
    return readJson(body);
  } catch {
    throw new Fault('answered with text that is not JSON', { retryable: true, isAnswer: true });
  }
}

function sorted(error: unknown, { backend }: AskedRun['run']): unknown {
  if (error instanceof Fault || error instanceof TactusError) return error;
  const { name = '', message = '', OriginalStatusCode, OriginalMessage, $metadata } = error as ServiceError;
  if (message.includes('Region is missing'))
    return new Fault('no region is known: say region = "…" of the model, or set AWS_REGION', {
      retryable: false,
    });
  const status = OriginalStatusCode ?? $metadata?.httpStatusCode;
  const endpoint = `the endpoint ${optionalTextSetting(backend.settings, 'endpoint')}`;
  const said = [name, OriginalMessage ?? message].filter((each) => each !== '').join(': ');
  const isHopeless =
    hopeless.includes(name) || (status !== undefined && status >= 400 && status < 500 && status !== 429);
  return new Fault(`${endpoint} failed (${said})`, {
    retryable: !isHopeless,
    ...defined({ status }),
    cause: error,
  });
}
