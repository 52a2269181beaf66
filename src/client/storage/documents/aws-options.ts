import type { StoreAddress } from './store-address.js';

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
