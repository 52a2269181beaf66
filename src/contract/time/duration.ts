import { TactusError, type ErrorCode } from '../errors.js';
import type { JsonValue } from '../json/json.js';

const units: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** Ten years: Temporal's timers end near 73 of them, and a longer one is a mistake. */
const maxMs = 10 * 365 * 86_400_000;

/**
 * Milliseconds of a number of seconds, or of a text such as `24h`, `5m`, `1.5s`.
 * @throws TactusError with the given code where it is neither, negative, or over ten years
 */
export function readDuration(value: JsonValue, what: string, code: ErrorCode): number {
  const match = typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)?\s*$/.exec(value) : null;
  const ms =
    typeof value === 'number'
      ? value * 1_000
      : match === null
        ? NaN
        : Number(match[1]) * (units[match[2] ?? 's'] ?? NaN);
  if (!(ms >= 0 && ms <= maxMs))
    throw new TactusError(
      code,
      `${what} must be seconds (0 to ten years) or a text such as "24h", got ${JSON.stringify(value)}`,
    );
  return Math.ceil(ms);
}
