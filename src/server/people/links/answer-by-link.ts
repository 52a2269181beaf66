import { signDecision } from '../../../authority/sign-decision.js';
import type { LinkClaims } from '../../../authority/link-token.js';
import type { Verdict } from '../../../contract/people/decision.js';
import { canonicalJson, type JsonValue } from '../../../contract/json/json.js';
import { askingOf, type ServedNamespace } from '../../served-namespace.js';
import type { LinkKeys } from './link-of.js';
import { linkedRequest, type LinkedState } from './linked-request.js';

/** What is sent by a link: an answer, and nothing else. */
export interface LinkedAnswer {
  value: JsonValue;
  comment?: string;
  /** Names it: sent twice, it is one. */
  id: string;
}

/**
 * Answers a request by a link, once: signed, for the text that the link was made for, by the person whom it was made for. What
 * the run would refuse of anybody it refuses here.
 * @throws TactusError no_worker: whether it counts isn't known, and the same `id` may be sent again
 */
export async function answerByLink(
  namespace: ServedNamespace,
  claims: LinkClaims,
  { key }: LinkKeys,
  { value, comment, id }: LinkedAnswer,
): Promise<Verdict> {
  const { request, digest, approver } = claims;
  const standing = await linkedRequest(namespace, claims);
  const refused = verdictOf(standing, claims, value);
  if (refused !== null) return refused;
  const decision = {
    request,
    digest,
    value,
    by: approver,
    id,
    ...(comment === undefined ? {} : { comment }),
  };
  const signed = signDecision(decision, { namespace: namespace.name, key });
  return askingOf(namespace).ask(() => namespace.tactus.decide(signed), true);
}

/** What is known without asking the run again; null: the run says it, of a closed request too. */
function verdictOf(
  standing: LinkedState,
  { request: id, approver }: LinkClaims,
  value: JsonValue,
): Verdict | null {
  switch (standing.state) {
    case 'open':
    case 'closed':
      return null;
    case 'voted':
      // A vote may be changed, but by no link: it answers once.
      return canonicalJson(standing.value) === canonicalJson(value)
        ? { id, outcome: 'duplicate', message: `${approver} has said so already, at ${standing.at}` }
        : {
            id,
            outcome: 'late',
            message: `${approver} has answered already, at ${standing.at}: a link answers once`,
          };
    case 'expired':
      return { id, outcome: 'late', message: `the link holds no longer, since ${standing.at}` };
    case 'changed':
      return { id, outcome: 'invalid', message: 'something else is asked now than the link was made for' };
    case 'gone':
      return { id, outcome: 'unknown', message: 'nothing is asked there any more' };
    case 'not_allowed':
      return { id, outcome: 'not_allowed', message: standing.reason };
  }
}
