import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { pushJson, toJson } from '../values/marshal.js';
import type { CFunction } from '../vm/fengari.js';

interface Deferral {
  key: string;
  /** ISO 8601 in UTC. */
  resumeAt: string;
  reason: string;
}

/** `Procedure.defer{key =, resume_at =, reason =}`: goes on at a time of the calendar, by a durable timer. */
export function defer(bridge: Bridge): CFunction {
  return native(bridge, function* (L) {
    const deferral = readDeferral(toJson(L, 1));
    yield {
      effect: { type: 'scheduled_continuation', name: deferral.key, effect: { kind: 'defer', ...deferral } },
    };
    const { key, resumeAt, reason } = deferral;
    pushJson(L, { completed: true, key, resume_at: resumeAt, reason });
    return 1;
  });
}

/** @throws TactusError lua_error naming the field */
function readDeferral(given: JsonValue): Deferral {
  if (!isObject(given)) throw wrong('needs a table with key, resume_at and reason');
  const stranger = Object.keys(given).find((key) => !['key', 'resume_at', 'reason'].includes(key));
  if (stranger !== undefined) throw wrong(`has no field ${stranger}: it has key, resume_at and reason`);
  return {
    key: readText(given, 'key'),
    resumeAt: readTime(readText(given, 'resume_at')),
    reason: readText(given, 'reason'),
  };
}

function readText(fields: JsonObject, name: string): string {
  const text = fields[name] ?? null;
  if (typeof text !== 'string' || text.trim() === '')
    throw wrong(`needs ${name} as a text that isn't empty, got ${JSON.stringify(text)}`);
  return text.trim();
}

/** A date alone, or a time without a zone, would mean another moment on every machine. */
const withZone =
  /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const withoutZone = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/;

/** The same moment in UTC, with milliseconds only where it has some. */
function readTime(text: string): string {
  if (withoutZone.test(text))
    throw wrong(
      `needs resume_at with a time zone, such as ${text.slice(0, 10)}T09:00:00Z, got ${quoted(text)}`,
    );
  const match = withZone.exec(text);
  const ms = match === null ? NaN : Date.parse(toParseable(text, match));
  if (Number.isNaN(ms) || !isOnCalendar(text))
    throw wrong(`needs resume_at as an ISO 8601 time such as "2030-01-31T09:00:00Z", got ${quoted(text)}`);
  return new Date(ms).toISOString().replace('.000Z', 'Z');
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

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function wrong(problem: string): TactusError {
  return new TactusError('lua_error', `Procedure.defer ${problem}`);
}
