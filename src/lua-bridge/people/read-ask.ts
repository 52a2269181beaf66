import type { Holds } from '../../contract/engine.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { assertDefaultFits } from './default-fits.js';
import { invalid, readMessage, readMetadata, readNames, readTimeout } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { humanKinds } from './human-kinds.js';
import { readHints } from './request-hints.js';
import { readPolicy } from './request-policy.js';
import { isChannelNames } from '../../contract/people/channels/channel.js';
import type { TellPolicy } from '../../contract/people/channels/delivery.js';
import { readDuration } from '../../contract/time/duration.js';

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
    ...(form === undefined ? {} : { form }),
    default: byDefault,
    timeoutMs,
    approvers: readNames(call, fields['approvers'] ?? null),
    ...(metadata === undefined ? {} : { metadata }),
    ...(policy === undefined ? {} : { policy }),
    ...(hints === undefined ? {} : { hints }),
    ...(tell === undefined ? {} : { tell }),
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
