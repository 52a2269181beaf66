import { defined } from '../../../contract/json/json.js';
import { TactusError } from '../../../contract/errors.js';

/** What an address names, and how its server is reached. Who asks is a matter of the usual chain of credentials. */
export interface StoreAddress {
  /** A table, a bucket, an account, a project, or a function. */
  name: string;
  /** What is behind it, without slashes at its ends. */
  folder: string;
  region?: string;
  endpoint?: string;
  database?: string;
}

/** What may be said of a place behind its `?`. */
type Asked = 'region' | 'endpoint' | 'database';

/**
 * Reads `dynamodb:TABLE?region=…&endpoint=…`, `s3://BUCKET/FOLDER?region=…&endpoint=…` and the like: `known` is what may be said behind the `?`.
 * @param names what the service takes for a name
 * @throws TactusError usage
 */
export function readStoreAddress(
  address: string,
  form: string,
  known: readonly Asked[] = ['region', 'endpoint'],
  names = /^[A-Za-z0-9_.-]{3,255}$/,
): StoreAddress {
  // Not the address itself: it may have a password all the same.
  const refused = (): TactusError =>
    new TactusError('usage', `An address of this storage is ${form}; credentials come from the environment`);
  const [, place = '', asked = ''] = /^[a-z0-9]+:(?:\/\/)?([^?#]*)(?:\?([^#]*))?$/.exec(address) ?? [];
  const [name = '', ...folders] = place.split('/').filter((part) => part !== '');
  const query = new URLSearchParams(asked);
  const isKnown = [...query.keys()].every((key) => known.some((each) => each === key));
  if (!names.test(name) || !isKnown) throw refused();
  const endpoint = query.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^@]+$/.test(endpoint)) throw refused();
  return { name, folder: folders.join('/'), ...Object.fromEntries(query) };
}

/** Long enough for a machine that does much else at the time. */
const connectMs = 15_000;
/** A service that says nothing for so long is as good as away. */
const silenceMs = 30_000;

/** How clients of AWS's services are made. */
export function awsOptions({ region, endpoint }: StoreAddress): {
  region?: string;
  endpoint?: string;
  requestHandler: { connectionTimeout: number; requestTimeout: number };
} {
  return {
    ...defined({ region, endpoint }),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: silenceMs },
  };
}

/** Whether what ended so was asked more than once: an answer may have got lost before. */
export function wasRepeated(error: unknown): boolean {
  return ((error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) > 1;
}

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
