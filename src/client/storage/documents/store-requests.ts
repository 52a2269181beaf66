import { TactusError } from '../../../contract/errors.js';

/** What an error of a service is known by, and what to do about it. */
const advice: [pattern: RegExp, text: string][] = [
  [
    /^CredentialsProviderError$/,
    'There are no credentials: see how the AWS SDK finds them (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role)',
  ],
  [/Region is missing/, 'Name the region: ?region=… in the address, or AWS_REGION'],
  [
    /Could not load the default credentials|^(CredentialUnavailableError|AggregateAuthenticationError)$/,
    'There are no credentials: see how the SDK of the service finds them',
  ],
  [
    /^(401|16|InvalidAccessKeyId|SignatureDoesNotMatch|UnrecognizedClientException|InvalidSignatureException|ExpiredToken\w*|InvalidClientTokenId|InvalidToken)$/,
    'The credentials are not taken: they are wrong, or have expired',
  ],
  [
    /^(403|7|AccessDenied\w*|Forbidden)$/,
    'Whoever asks is not allowed to: see which actions the storage needs',
  ],
  [/^Function not found/, 'There is no such function'],
  [/^ResourceNotFoundException$/, 'There is no such table'],
  [/^NoSuchBucket$/, 'There is no such bucket: make it first'],
  [/^404(\/1003)?$/, 'There is no such container'],
  [/^5$/, 'There is no such database: make it first, in native mode'],
  [
    /^(429$|8$|ProvisionedThroughputExceeded|RequestLimitExceeded|Throttling|ThrottledException|LimitExceeded|SlowDown|TooManyRequests)/,
    'It is asked more than it allows, and was asked again some times',
  ],
  [/^(14|4|TimeoutError|ECONN\w*|ENOTFOUND|EAI_AGAIN|EPIPE|AggregateError)$/, 'Nothing answers there'],
];

/** Does what asks a service; what it fails with is told with its place and what to do. @throws TactusError file_failed */
export async function askStore<T>(place: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw storeFailure(place, error);
  }
}

function storeFailure(place: string, error: unknown): TactusError {
  if (error instanceof TactusError) return error;
  const { name = '', message = '' } = error as Error;
  // A status of HTTP or of gRPC with some, a name with others.
  const code = String((error as { code?: number | string }).code ?? '');
  const [, told = 'It failed'] =
    advice.find(([pattern]) => [name, code, message].some((text) => pattern.test(text))) ?? [];
  const reason = [name === 'Error' ? code : name, message].filter((text) => text !== '').join(': ');
  return new TactusError('file_failed', `${place}: ${told} (${reason})`, { place });
}

/** Does what a service is asked: false, and nothing done, where it refuses, as another one is there, or none. */
export async function unlessRefused(
  ask: () => Promise<unknown>,
  isRefused: (error: unknown) => boolean,
): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return false;
  }
}
