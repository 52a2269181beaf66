import { randomUUID } from 'node:crypto';
import { signDecision } from '../../authority/signed-decisions.js';
import { describeRun, runIdOf, stuckError, viewRun } from '../../client/index.js';
import type { Decision, DecisionOutcome, Verdict } from '../../contract/people/decision.js';
import { hasCode, TactusError } from '../../contract/errors.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import { actorOf, type Identity } from '../access/identity.js';
import type { RequestState } from './request.schema.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';

/** What somebody sends: an answer, or who is to decide instead, or that nobody need. */
export type SentDecision = Omit<Decision, 'request' | 'token'>;

/**
 * What somebody sends as the decision that its run gets. Who is signed in is who decides: a body can't name another.
 * @throws TactusError forbidden
 */
function decisionOf(identity: Identity, request: string, sent: SentDecision): Decision {
  const { by: claimed, ...rest } = sent;
  const by = actorOf(identity, claimed);
  return { ...rest, request, ...(by === undefined ? {} : { by }), id: sent.id ?? randomUUID() };
}

/**
 * Signs for whoever has proved a name, where the run takes signed decisions alone. What is signed is what the person saw, by
 * the digest that comes from there: the server knows only what is shown now.
 * @throws TactusError usage where no digest came
 */
async function vouchedFor(
  namespace: ServedNamespace,
  identity: Identity,
  decision: Decision,
): Promise<Decision> {
  const { name, signingKey: key } = namespace;
  if (key === null || identity.name === null) return decision;
  const read = await readIfThere(namespace, decision.request);
  // What isn't open has its verdict without a signature.
  if (read?.state !== 'open' || read.request.authority !== 'signed') return decision;
  if (decision.digest === undefined)
    throw new TactusError(
      'usage',
      'The run accepts signed decisions only: send the digest of the request that was shown',
    );
  return signDecision(decision, { namespace: name, key });
}

async function readIfThere(namespace: ServedNamespace, request: string): Promise<RequestState | null> {
  return readRequest(namespace, request).catch((error: unknown) => {
    if (hasCode(error, 'request_unknown')) return null;
    throw error;
  });
}

/**
 * Why somebody may not take a request back; null where they may, or where the run says it. Who operates runs may, as they may
 * end the run. Others may if they ask, or may decide: the run lets anybody who asked nothing take a request back
 * whose `requester` isn't named, as it knows nobody's roles.
 */
async function whyNotWithdrawn(
  namespace: ServedNamespace,
  { name, roles }: Identity,
  { request: id }: Decision,
): Promise<Verdict | null> {
  if (roles.includes('operate')) return null;
  const read = await readIfThere(namespace, id);
  if (read === null)
    return { id, outcome: 'unknown', message: 'nothing is asked there now that could be taken back' };
  if (read.state === 'closed' || read.request.requester !== undefined) return null;
  const refused = mayDecide(read.request, name === null ? {} : { by: name });
  return refused === null ? null : { id, ...refused };
}

/**
 * Decides a request of a namespace's run, and gives the verdict.
 * @throws TactusError forbidden, usage; no_worker: whether it counts isn't known, and the same `id` may be sent again
 */
export async function decide(
  namespace: ServedNamespace,
  identity: Identity,
  request: string,
  sent: SentDecision,
): Promise<Verdict> {
  const own = decisionOf(identity, request, sent);
  const { ask, look } = askingOf(namespace);
  const isRun = await look(() => describeRun(namespace.tactus.attach(runIdOf(request)))).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'run_not_found')) return false;
      throw error;
    },
  );
  // A workflow that is no run of ours gets no Update of ours.
  if (!isRun) return { id: request, outcome: 'unknown', message: 'there is no run that asks this' };
  const refused = own.action === 'withdraw' ? await whyNotWithdrawn(namespace, identity, own) : null;
  if (refused !== null) return refused;
  const decision = await vouchedFor(namespace, identity, own);
  return ask(() => namespace.tactus.decide(decision), true);
}

/** Of each outcome, so that a client that looks at nothing else sees whether the decision counts. */
export const statusOfOutcome = {
  accepted: 200,
  duplicate: 200,
  early: 202,
  verifying: 202,
  not_allowed: 403,
  unknown: 404,
  late: 409,
  invalid: 422,
} as const satisfies Record<DecisionOutcome, number>;

/**
 * A request as its run has it at this moment: people decide on nothing else. Of one that is open no more, what became of it.
 * @throws TactusError request_unknown; run_stuck; no_worker
 */
export async function readRequest(namespace: ServedNamespace, id: string): Promise<RequestState> {
  const runId = runIdOf(id);
  const unknown = new TactusError('request_unknown', `There is no request ${JSON.stringify(id)}`);
  if (runId === '' || runId === id) throw unknown;
  const run = namespace.tactus.attach(runId);
  const asking = askingOf(namespace);
  const view = await viewRun(run, asking).catch((error: unknown) => {
    throw hasCode(error, 'run_not_found') ? unknown : error;
  });
  if (view.stuck !== null) throw stuckError(runId, view.stuck);
  const open = view.pending.find((request) => request.id === id);
  if (open !== undefined) return { state: 'open', request: { ...open, procedure: view.procedure } };
  const bounded = <T>(question: () => Promise<T>): Promise<T> =>
    asking.ask(question, view.closed_at === null);
  const answered = await run.answeredRequest(id, bounded);
  if (answered === null) throw unknown;
  const { position, type, name, request, result, error, timestamp, duration_ms } = answered;
  return {
    state: 'closed',
    request: {
      ...{ id, run_id: runId, position, kind: type.slice('hitl_'.length), message: name },
      ...{ asked: request, answer: result, error },
      created_at: new Date(Date.parse(timestamp) - duration_ms).toISOString(),
      closed_at: timestamp,
    },
  };
}
