import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readMoment } from '../../contract/time/moment.js';
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

const withoutZone = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?$/;

/** The same moment in UTC, with milliseconds only where it has some. */
function readTime(text: string): string {
  if (withoutZone.test(text))
    throw wrong(
      `needs resume_at with a time zone, such as ${text.slice(0, 10)}T09:00:00Z, got ${quoted(text)}`,
    );
  const ms = readMoment(text);
  if (ms === null)
    throw wrong(`needs resume_at as an ISO 8601 time such as "2030-01-31T09:00:00Z", got ${quoted(text)}`);
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function wrong(problem: string): TactusError {
  return new TactusError('lua_error', `Procedure.defer ${problem}`);
}
