import { workflowInfo } from '@temporalio/workflow';
import {
  checkToken,
  timeProblem,
  type ApprovalToken,
  type Refused,
} from '../../contract/authority/approval-token.js';
import type { DecisionVerdict } from '../../contract/activities.js';
import type { Decision, KnownDecision, Verdict } from '../../contract/people/decision.js';
import { jsonSize } from '../../contract/json/json.js';
import { maxEarlyDecisions, type UnverifiedDecision } from '../../contract/people/ledger.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import { decisionVerifier } from '../effects/activities.js';
import { lastingFollower, type Sequence } from '../sequence.js';
import type { RequestLedger } from './request-ledger.js';

type Told = (verdict: Verdict) => void;

/**
 * Signed decisions on their way into the ledger. What can be checked without a key is checked here at once. The signature and
 * the time are checked in an activity, because a workflow has neither keys nor cryptography. It is a remote activity: its end
 * is an event among others in history, and it is retried until a worker is there that knows of it.
 *
 * Owns: who waits for the verdict on which unverified decision.
 * Asks: `RequestLedger` to keep decisions and verdicts, `settle` of the inbox, and the activity `verifyDecision`.
 * Invariants:
 *  1. A decision that is being verified is in the ledger. Another execution of the run verifies it anew.
 *  2. A decision that would change nothing is not verified.
 *  3. After `handOver` no verification begins here; the decision is only kept. After `end` it is refused.
 *  4. The result of a verification counts once. After `handOver` or `end` it is ignored.
 */
export class Verifying {
  private readonly told = new Map<UnverifiedDecision, Told>();
  private leaves: 'continues' | 'ends' | null = null;

  constructor(
    private readonly requests: RequestLedger,
    /** Settles what was verified, and tells whoever waits for the request. */
    private readonly settle: (decision: KnownDecision) => Verdict,
    private readonly sequence: Sequence,
    /** Who sends an Update is answered at once: the server takes ten at a time, and no activity may keep the others out. */
    private readonly answersAtOnce: boolean,
  ) {}

  /** An activity is under way: the run hears of its end by another way than a signal. */
  get isUnderWay(): boolean {
    return this.told.size > 0;
  }

  /** What a decision would come to if its signature is real. Leaves no trace. */
  foresee(decision: Decision): Refused | Verdict {
    const token = this.check(decision);
    if ('outcome' in token) return token;
    return timeProblem(token.claims, Date.now()) ?? this.requests.foresee(claimed(decision, token));
  }

  /** A decision has its turn. */
  take(decision: Decision, told: Told): void {
    const token = this.check(decision);
    if ('outcome' in token) return told(this.refuse(decision, token));
    const known = claimed(decision, token);
    const { outcome } = this.requests.foresee(known);
    // What changes nothing needs no proof.
    if (outcome !== 'accepted' && outcome !== 'early') return told(this.settle(known));
    if (this.leaves === 'ends') return told(this.tooLate(decision));
    const unverified: UnverifiedDecision = { decision, at: this.requests.now() };
    const waiting = [...(this.requests.current.unverified ?? []), unverified];
    if (waiting.length > maxEarlyDecisions || jsonSize(waiting) > maxInlineBytes / 2) {
      const message = 'too many decisions are being verified: this one was not kept, send it again';
      return told(this.requests.keepVerdict(decision, 'unknown', message));
    }
    this.requests.addUnverified(unverified);
    if (this.answersAtOnce) told(verifying(decision));
    if (this.leaves === 'continues') told(handedOver(decision));
    else this.begin(unverified, this.answersAtOnce ? untold : told);
  }

  /** What the execution before has left. */
  resume(): void {
    for (const unverified of this.requests.current.unverified ?? [])
      if (!this.told.has(unverified)) this.begin(unverified, untold);
  }

  /** Another execution goes on: it verifies what isn't yet. Whoever waits for a verdict is told so. */
  handOver(): void {
    this.leaves = 'continues';
    for (const [{ decision }, told] of this.told) told(handedOver(decision));
    this.told.clear();
  }

  /** Nobody waits for an answer any longer. */
  end(): void {
    this.leaves = 'ends';
    const waiting = [...this.told];
    this.told.clear();
    for (const [unverified, told] of waiting) {
      this.requests.dropUnverified(unverified);
      told(this.tooLate(unverified.decision));
    }
  }

  private begin(unverified: UnverifiedDecision, told: Told): void {
    this.told.set(unverified, told);
    const { decision, at } = unverified;
    const { namespace, workflowId: runId } = workflowInfo();
    lastingFollower(this.sequence).follow(
      () =>
        decisionVerifier(`verifies a decision on ${decision.request}`).verifyDecision({
          ...{ decision, namespace, runId, at },
        }),
      (verdict) => this.verified(unverified, verdict),
      () =>
        this.verified(unverified, {
          outcome: 'not_allowed',
          message: 'the token could not be verified: send the decision again',
        }),
    );
  }

  private verified(unverified: UnverifiedDecision, verdict: DecisionVerdict): void {
    const told = this.told.get(unverified);
    if (told === undefined) return;
    this.told.delete(unverified);
    this.requests.dropUnverified(unverified);
    const { decision } = unverified;
    const token = this.check(decision);
    if (verdict.outcome !== 'verified') told(this.refuse(decision, verdict));
    else if ('outcome' in token) told(this.refuse(decision, token));
    else told(this.noted(decision, this.settle({ ...claimed(decision, token), verified: true })));
  }

  /** Who was answered at once looks for the verdict by the decision's id: it is kept where one that changes nothing leaves none. */
  private noted(decision: Decision, verdict: Verdict): Verdict {
    const { id } = decision;
    const { verdicts } = this.requests.current;
    if (!this.answersAtOnce || id === undefined || verdicts.some(({ decisionId }) => decisionId === id))
      return verdict;
    return this.requests.keepVerdict(decision, verdict.outcome, verdict.message);
  }

  private check(decision: Decision): ApprovalToken | Refused {
    const { namespace, workflowId: runId } = workflowInfo();
    return checkToken(decision, { namespace, runId });
  }

  private refuse(decision: Decision, { outcome, message }: Refused): Verdict {
    return this.requests.keepVerdict(decision, outcome, message);
  }

  private tooLate(decision: Decision): Verdict {
    return this.requests.keepVerdict(
      decision,
      'unknown',
      'the run has ended before the decision was verified',
    );
  }
}

/** The decision as its token has it: not yet known to be true. */
function claimed({ token: _, ...decision }: Decision, { claims }: ApprovalToken): KnownDecision {
  return { ...decision, by: claims.approver, digest: claims.digest };
}

const untold: Told = () => undefined;

function verifying({ request: id }: Decision): Verdict {
  return {
    id,
    outcome: 'verifying',
    message:
      'the decision is kept, and its signature is looked at: the query `verdict` tells what becomes of it',
  };
}

function handedOver({ request: id }: Decision): Verdict {
  return {
    id,
    outcome: 'early',
    message: 'the run goes on elsewhere: the decision is kept, and verified there',
  };
}
