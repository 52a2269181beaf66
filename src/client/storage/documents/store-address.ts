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
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: silenceMs },
  };
}

/** Whether what ended so was asked more than once: an answer may have got lost before. */
export function wasRepeated(error: unknown): boolean {
  return ((error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) > 1;
}
