import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { exchangeBounds } from '../../../egress/bounded-response.js';
import { egressFetch, type Egress } from '../../../egress/egress-fetch.js';

/** Where an endpoint is; null: where the SDK's own settings say. */
export interface SageMakerPlace {
  region: string | null;
  address: string | null;
}

/** Names of errors that come of credentials, which may have been replaced since. */
export const refusedKeys = [
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
export async function withSageMaker<T>(
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
