import { randomUUID } from 'node:crypto';
import type { Decision, DecisionOutcome, Verdict } from '../contract/decision.js';
import { TactusError } from '../contract/errors.js';
import type { Identity } from './access/identity.js';
import { askingOf, type ServedNamespace } from './served-namespace.js';

/** What somebody sends: an answer, or who is to decide instead, or that nobody need. */
export type SentDecision = Omit<Decision, 'request'>;

/**
 * What somebody sends as the decision that its run gets. Who is signed in is who decides: a body can't name another. This is
 * the one place where a decision gets its `by`, so it is here that one is vouched for.
 * @throws TactusError forbidden
 */
function decisionOf(identity: Identity, request: string, sent: SentDecision): Decision {
  const { by: claimed, ...rest } = sent;
  if (identity.name !== null && claimed !== undefined && claimed !== identity.name)
    throw new TactusError(
      'forbidden',
      `You are signed in as ${JSON.stringify(identity.name)}: a decision of yours can't be by ${JSON.stringify(claimed)}`,
    );
  const by = identity.name ?? claimed;
  return { ...rest, request, ...(by === undefined ? {} : { by }), id: sent.id ?? randomUUID() };
}

/**
 * Decides a request of a namespace's run, and gives the verdict.
 * @throws TactusError forbidden; no_worker: whether it counts isn't known, and the same `id` may be sent again
 */
export function decide(
  namespace: ServedNamespace,
  identity: Identity,
  request: string,
  sent: SentDecision,
): Promise<Verdict> {
  const decision = decisionOf(identity, request, sent);
  return askingOf(namespace).ask(() => namespace.tactus.decide(decision), true);
}

/** Of each outcome, so that a client that looks at nothing else sees whether the decision counts. */
export const statusOfOutcome = {
  accepted: 200,
  duplicate: 200,
  early: 202,
  not_allowed: 403,
  unknown: 404,
  late: 409,
  invalid: 422,
} as const satisfies Record<DecisionOutcome, number>;
