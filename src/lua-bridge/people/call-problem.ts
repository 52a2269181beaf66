import { changesOf, newestEngine } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import { groupPrefix, type HumanAsk, type RequestPolicy } from '../../contract/people/human-request.js';
import { getOwn, type JsonObject } from '../../contract/json/json.js';
import type { HumanKind } from './human-kind.js';
import { humanKinds } from './human-kinds.js';
import { toNotification } from './notify.js';
import { readAsk } from './read-ask.js';

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

/** Who stands behind the name of a group, the configuration of a run says. */
function tooFew({ approvers, policy = {} }: HumanAsk): string | null {
  const { quorum = 1, requester, escalation = [] }: RequestPolicy = policy;
  const able = new Set([...approvers, ...escalation.flatMap(({ to }) => to)]);
  if (approvers.length === 0 || [...able].some((name) => name.startsWith(groupPrefix))) return null;
  if (requester !== undefined) able.delete(requester);
  return able.size >= quorum
    ? null
    : `${quorum} people must agree, and ${able.size} may: ${[...able].join(', ')}`;
}
