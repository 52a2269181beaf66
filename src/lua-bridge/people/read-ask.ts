import { changesOf, newestEngine, type Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import {
  groupPrefix,
  type HumanAsk,
  type HumanRequestKind,
  type RequestPolicy,
} from '../../contract/people/human-request.js';
import { defined, getOwn, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  assertDefaultFits,
  invalid,
  readHints,
  readMessage,
  readMetadata,
  readNames,
  readTimeout,
  type HumanKind,
} from './human-fields.js';
import { humanKinds } from './human-kinds.js';
import { isChannelNames, type TellPolicy } from '../../contract/people/channels/channel.js';
import { readDuration, readMoment } from '../../contract/time/duration.js';
import type { Line, LogLevel } from '../../contract/runs/run-view.js';

/** Kinds that were there before defaults were looked at: what their authors wrote must go on as it did. */
const anyDefault: readonly HumanKind[] = [humanKinds.approve, humanKinds.input, humanKinds.review];

/**
 * What a call asks of people, by its fields.
 * @throws TactusError human_request_invalid naming the field
 */
export function readAsk(
  holds: Holds,
  call: string,
  { kind, read, message }: HumanKind,
  fields: JsonObject,
): HumanAsk {
  const isNamed = message === undefined || fields['message'] !== undefined || fields['prompt'] !== undefined;
  const text = isNamed ? readMessage(call, fields) : message(fields);
  const hasPolicy = holds('request-policy');
  if (!hasPolicy) refuseQuorum(call, fields);
  const timeoutMs = readTimeout(fields);
  const policy = hasPolicy ? readPolicy(call, kind, fields, timeoutMs, holds) : undefined;
  const { context, options, form, default: byDefault } = read(call, fields, holds);
  const hasFields = holds('request-fields');
  const { metadata: own = null } = fields;
  const metadata = readMetadata(call, fields, hasFields && isObject(own) ? own : {});
  const hints = hasFields ? readHints(call, fields) : undefined;
  const tell = holds('channels') ? readTellPolicy(call, fields) : undefined;
  const request: HumanAsk = {
    kind,
    message: text,
    context,
    options,
    ...defined({ form }),
    default: byDefault,
    timeoutMs,
    approvers: readNames(call, fields['approvers'] ?? null),
    ...defined({ metadata, policy, hints, tell }),
  };
  const isGiven = (fields['default'] ?? fields['default_on_timeout'] ?? null) !== null;
  if (isGiven && !anyDefault.some((each) => each.read === read)) assertDefaultFits(call, request);
  return request;
}

/** Runs that began before there were policies: who wants two people must not get one. @throws TactusError human_request_invalid */
function refuseQuorum(call: string, { quorum = null }: JsonObject): void {
  if (quorum !== null && quorum !== 1)
    throw invalid(
      call,
      'has a quorum, which is not kept here: ask once for each person, each with approvers of its own',
    );
}

const mostChannels = 20;
const longestUrl = 2_000;
const shortestMs = 60_000;

/**
 * Who tells people of a request, and how often; undefined where the call says nothing of it.
 * @throws TactusError human_request_invalid naming the field
 */
function readTellPolicy(call: string, fields: JsonObject): TellPolicy | undefined {
  const channels = readChannels(call, fields['channels'] ?? null);
  const callbackUrl = readCallbackUrl(call, fields['callback_url'] ?? null);
  const remindMs = readRemindEvery(call, fields['remind_every'] ?? null);
  const onUndelivered = readOnUndelivered(call, fields);
  const policy: TellPolicy = {
    ...(channels === null ? {} : { channels }),
    ...(callbackUrl === null ? {} : { callbackUrl }),
    ...(remindMs === null ? {} : { remindMs }),
    ...(onUndelivered === null ? {} : { onUndelivered }),
  };
  return Object.keys(policy).length === 0 ? undefined : policy;
}

/** An empty table is no channels, whichever form it has in JSON. */
function readChannels(call: string, given: JsonValue): string[] | null {
  if (given === null) return null;
  if (isObject(given) && Object.keys(given).length === 0) return [];
  const names = typeof given === 'string' ? [given] : given;
  if (!isChannelNames(names)) throw invalid(call, 'needs channels as a list of names');
  const list = [...new Set(names as string[])];
  if (list.length > mostChannels)
    throw invalid(call, `has ${list.length} channels; ${mostChannels} are allowed`);
  return list;
}

/** Whether its host is allowed, the worker says. */
function readCallbackUrl(call: string, given: JsonValue): string | null {
  if (given === null) return null;
  const isUrl = typeof given === 'string' && /^https?:\/\/[^\s/@?#]+([/?#]\S*)?$/i.test(given);
  if (!isUrl || given.length > longestUrl)
    throw invalid(call, 'needs callback_url as an http or https URL without a user in it');
  return given;
}

function readRemindEvery(call: string, given: JsonValue): number | null {
  if (given === null) return null;
  const ms = readDuration(given, 'Human request: remind_every', 'human_request_invalid');
  if (ms < shortestMs) throw invalid(call, 'needs remind_every of a minute or more');
  return ms;
}

function readOnUndelivered(call: string, fields: JsonObject): 'escalate' | null {
  const { on_undelivered: given = null, escalate_to: stages = null } = fields;
  if (given === null) return null;
  if (given !== 'escalate')
    throw invalid(call, `needs on_undelivered as "escalate", got ${JSON.stringify(given)}`);
  if (stages === null)
    throw invalid(call, 'has on_undelivered, and no escalate_to: those who are asked then');
  return given;
}

/** Kinds whose answers several people can agree on. */
const countable: readonly HumanRequestKind[] = ['approval', 'review', 'select'];
const mostStages = 20;

/**
 * Who must agree on a request, who may not decide, who is asked next, and until when; undefined where the call says nothing of it.
 * @throws TactusError human_request_invalid naming the field
 */
function readPolicy(
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

const levels: Record<string, LogLevel> = {
  debug: 'debug',
  info: 'info',
  success: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
  critical: 'error',
};

/** `Human.notify`: a line of the log, which nobody has to answer. */
export function toNotification(call: string, fields: JsonObject): Line {
  const message = readMessage(call, fields);
  const { level = 'info', context = null } = fields;
  const known = typeof level === 'string' ? getOwn(levels, level) : undefined;
  if (known === undefined)
    throw invalid(call, `needs info, warning or error as level, got ${JSON.stringify(level)}`);
  const metadata = readMetadata(call, fields);
  return {
    kind: 'log',
    level: known,
    message,
    context: metadata === undefined ? context : { ...metadata, context },
  };
}

/** Why a run refuses a call of `Human` with these fields; null where it doesn't, or where there is no such call. */
export function humanCallProblem(call: string, fields: JsonObject): string | null {
  try {
    if (call === 'notify') {
      toNotification(call, fields);
      return null;
    }
    const kind = getOwn<HumanKind>(humanKinds, call);
    if (kind === undefined) return null;
    return tooFew(readAsk(changesOf(newestEngine), call, kind, fields));
  } catch (error) {
    if (error instanceof TactusError) return error.message;
    throw error;
  }
}

/** Why not as many can decide as must; null: they can. Who stands behind the name of a group, the configuration of a run says. */
export function tooFew({ approvers, policy = {} }: HumanAsk): string | null {
  const { quorum = 1, requester, escalation = [] }: RequestPolicy = policy;
  const able = new Set([...approvers, ...escalation.flatMap(({ to }) => to)]);
  if (approvers.length === 0 || [...able].some((name) => name.startsWith(groupPrefix))) return null;
  if (requester !== undefined) able.delete(requester);
  return able.size >= quorum
    ? null
    : `${quorum} people must agree, and ${able.size} may: ${[...able].join(', ')}`;
}
