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

/** A date and a time of ISO 8601 with its zone: without one it would be another moment on every machine. */
const withZone =
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;

/** The moment in ms since 1970; null where the text is none, or isn't on the calendar. */
export function readMoment(text: string): number | null {
  const match = withZone.exec(text);
  const ms = match === null || !isOnCalendar(text) ? NaN : Date.parse(toParseable(text, match));
  return Number.isNaN(ms) ? null : ms;
}

function toParseable(text: string, [, sign, hours, minutes]: RegExpExecArray): string {
  const zone = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  const clock = text
    .slice(11)
    .replace(/(?:[Zz]|[+-]\d\d:?\d\d)$/, '')
    .replace(',', '.');
  return `${text.slice(0, 10)}T${clock.slice(0, 12)}${zone}`;
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isOnCalendar(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}

/** When a run that is started is to have ended: in ms since 1970, or when the timer at this position of the run that starts it fires. */
export type ChildDeadline = { at: number } | { timer: string };
