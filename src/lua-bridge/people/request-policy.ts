import { readDuration } from '../../contract/time/duration.js';
import type { Holds } from '../../contract/engine.js';
import type { HumanRequestKind, RequestPolicy } from '../../contract/people/human-request.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { readMoment } from '../../contract/time/moment.js';
import { invalid, readNames } from './human-fields.js';

/** Kinds whose answers several people can agree on. */
const countable: readonly HumanRequestKind[] = ['approval', 'review', 'select'];
const mostStages = 20;

/**
 * Who must agree on a request, who may not decide, who is asked next, and until when; undefined where the call says nothing of it.
 * @throws TactusError human_request_invalid naming the field
 */
export function readPolicy(
  call: string,
  kind: HumanRequestKind,
  fields: JsonObject,
  timeoutMs: number | null,
  holds: Holds,
): RequestPolicy | undefined {
  const quorum = readQuorum(call, kind, fields['quorum'] ?? null);
  const requester = readRequester(call, fields);
  const expiresAt = readTime(call, fields['expires_at'] ?? null, holds);
  const ends = timeoutMs !== null || expiresAt !== null;
  const onTimeout = readOnTimeout(call, fields['on_timeout'] ?? null, ends);
  const escalation = readEscalation(call, fields['escalate_to'] ?? null, timeoutMs);
  const policy: RequestPolicy = {
    ...(quorum === null ? {} : { quorum }),
    ...(requester === null ? {} : { requester }),
    ...(onTimeout === null ? {} : { onTimeout }),
    ...(escalation === null ? {} : { escalation }),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

function readQuorum(call: string, kind: HumanRequestKind, given: JsonValue): number | null {
  if (given === null || given === 1) return null;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 1 || given > 100)
    throw invalid(call, `needs quorum as a whole number from 1 to 100, got ${JSON.stringify(given)}`);
  if (!countable.includes(kind))
    throw invalid(call, 'has a quorum, and nobody could say when two of its answers are the same');
  return given;
}

function readRequester(call: string, { requester = null, separation = null }: JsonObject): string | null {
  if (requester !== null && (typeof requester !== 'string' || requester === ''))
    throw invalid(call, `needs requester as a name, got ${JSON.stringify(requester)}`);
  if (separation !== null && typeof separation !== 'boolean')
    throw invalid(call, `needs separation as true or false, got ${JSON.stringify(separation)}`);
  if (separation === true && requester === null)
    throw invalid(call, 'has separation, and no requester: the name of who asks, and may not decide');
  return separation === false ? null : requester;
}

function readOnTimeout(call: string, given: JsonValue, ends: boolean): 'error' | null {
  if (given === null || given === 'default') return null;
  if (given !== 'error')
    throw invalid(call, `needs on_timeout as "default" or "error", got ${JSON.stringify(given)}`);
  if (!ends) throw invalid(call, 'has on_timeout, and neither timeout nor expires_at');
  return given;
}

/** A name, names, or stages of names, each with a time of its own. */
function readEscalation(
  call: string,
  given: JsonValue,
  timeoutMs: number | null,
): NonNullable<RequestPolicy['escalation']> | null {
  if (given === null) return null;
  if (timeoutMs === null) throw invalid(call, 'has escalate_to, and no timeout after which others are asked');
  const stages = Array.isArray(given) && given.every((each) => isObject(each)) ? given : [{ to: given }];
  if (stages.length === 0 || stages.length > mostStages)
    throw invalid(call, `needs 1 to ${mostStages} stages in escalate_to`);
  return stages.map((stage, index) => {
    const { to = null, timeout = null } = stage;
    const names = readNames(call, to);
    if (names.length === 0 || names.includes(''))
      throw invalid(call, 'needs escalate_to as names, or as a list of { to = …, timeout = … }');
    const isLast = index === stages.length - 1;
    const own = timeout === null ? (isLast ? timeoutMs : null) : stageTime(timeout);
    if (own === null && !isLast)
      throw invalid(call, 'needs a timeout for each stage of escalate_to but the last');
    return { to: names, timeoutMs: own };
  });
}

function stageTime(timeout: JsonValue): number {
  return readDuration(timeout, 'Human request: timeout of escalate_to', 'human_request_invalid');
}

/** Seconds since 1970, as `os.time` gives them, or a text of ISO 8601, a date in UTC among them; in ms since 1970. */
function readTime(call: string, given: JsonValue, holds: Holds): number | null {
  if (given === null) return null;
  const ms =
    typeof given === 'string' ? momentOf(given, holds) : typeof given === 'number' ? given * 1_000 : NaN;
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15)
    throw invalid(
      call,
      `needs expires_at as seconds since 1970, or as a time such as "2027-01-31T12:00:00Z", got ${JSON.stringify(given)}`,
    );
  return Math.floor(ms);
}

/** Not a number where it is none. A run of an older engine takes the 30th of February for the 2nd of March. */
function momentOf(text: string, holds: Holds): number {
  if (holds('whole-moments')) return readMoment(text.length === 10 ? `${text}T00:00:00Z` : text) ?? NaN;
  return /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/.test(text) ? Date.parse(text) : NaN;
}
