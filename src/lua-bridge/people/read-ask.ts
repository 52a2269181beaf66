import type { Holds } from '../../contract/engine.js';
import type { HumanAsk } from '../../contract/people/human-request.js';
import { isObject, type JsonObject } from '../../contract/json/json.js';
import { assertDefaultFits } from './default-fits.js';
import { invalid, readMessage, readMetadata, readNames, readTimeout } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { humanKinds } from './human-kinds.js';
import { readTellPolicy } from './request-channels.js';
import { readHints } from './request-hints.js';
import { readPolicy } from './request-policy.js';

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
