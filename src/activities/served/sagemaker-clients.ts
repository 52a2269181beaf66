import type { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';

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

/** By place: with their connections, and the credentials that they have read. */
const kept = new Map<string, SageMakerRuntimeClient>();

/**
 * Asks by the client of a place, which is kept. One whose credentials are refused gives way to a new one, which reads them anew.
 * @throws whatever `ask` throws
 */
export async function withSageMaker<T>(
  place: SageMakerPlace,
  ask: (client: SageMakerRuntimeClient) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify([place.region, place.address]);
  const there = kept.get(key);
  if (there === undefined) return ask(await keep(key, place));
  try {
    return await ask(there);
  } catch (error) {
    if (!refusedKeys.includes((error as Error).name)) throw error;
    // Others may be at the old one: it isn't closed, and idle connections end by themselves.
    return await ask(await keep(key, place));
  }
}

async function keep(key: string, { region, address }: SageMakerPlace): Promise<SageMakerRuntimeClient> {
  const { SageMakerRuntimeClient } = await import('@aws-sdk/client-sagemaker-runtime');
  const client = new SageMakerRuntimeClient({
    ...(region === null ? {} : { region }),
    ...(address === null ? {} : { endpoint: address }),
    // The run's own retries are all that there are.
    maxAttempts: 1,
  });
  kept.set(key, client);
  return client;
}
