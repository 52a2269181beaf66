import { TactusError } from '../../contract/errors.js';
import { utf8Length } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';

/**
 * Passes a result on if Temporal can record it. One that it can't record would be bought again at each retry, for ever.
 * @throws TactusError payload_too_large, also for a value that is nested deeper than JSON can be written
 */
export function assertResultFits<T>(result: T, what: string): T {
  const limit = defaultLimits.payloadBytes;
  const bytes = jsonBytes(result);
  if (bytes !== null && bytes <= limit) return result;
  const size = bytes === null ? 'nested too deep' : `${megabytes(bytes)} MB`;
  throw new TactusError(
    'payload_too_large',
    `${what} is ${size}; at most ${megabytes(limit)} MB can be recorded`,
    {
      limit,
      ...(bytes === null ? {} : { bytes }),
    },
  );
}

function jsonBytes(value: unknown): number | null {
  try {
    return utf8Length(JSON.stringify(value));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
