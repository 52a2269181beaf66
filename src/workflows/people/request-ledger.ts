import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { Holds } from '../../contract/engine.js';
import type { TellPeopleResult } from '../../contract/people/channels/tell-people.js';
import type { Decision, KnownDecision, Verdict } from '../../contract/people/decision.js';
import type { HumanAnswer, HumanRequest } from '../../contract/people/human-request.js';
import {
  askUnreached,
  cancelRequest,
  escalateRequest,
  expireRequests,
  forgetAnswer,
  forgetRests,
  keepVerdict,
  nextTime,
  noteDelivered,
  noteGone,
  noteLateDelivery,
  noteUndelivered,
  openRequest,
  postponeRequests,
  remindRequest,
  settleDecision,
  type DueMessage,
  type Expiry,
  type Ledger,
  type Undelivered,
  type UnverifiedDecision,
} from '../../contract/people/ledger.js';

export interface RequestLedgerOptions {
  /** What the execution before handed over. */
  ledger: Ledger;
  /** The run's clock, in ms since 1970. */
  now: () => number;
  isPassed: (position: Position) => boolean;
  holds: Holds;
}

/**
 * The ledger of a run, and all changes of it.
 *
 * Owns: the current `Ledger`. Each method applies one change of `contract/people/ledger.ts` to it.
 * Asks: the run's clock, the log (whether a position has passed), and the engine (which rules hold).
 * Invariants:
 *  1. No one else assigns the ledger. What `current` gives is never changed: a change puts another value in its place.
 *  2. A change is applied at once. It issues no command and calls nobody: those who wait are told by `Inbox`,
 *     messages are sent by `Delivering`, signatures are checked by `Verifying`.
 *  3. A signed decision that waits for its verification is the same object from `addUnverified` to `dropUnverified`.
 */
export class RequestLedger {
  private ledger: Ledger;
  readonly now: () => number;
  private readonly isPassed: (position: Position) => boolean;
  private readonly holds: Holds;

  constructor({ ledger, now, isPassed, holds }: RequestLedgerOptions) {
    this.ledger = ledger;
    this.now = now;
    this.isPassed = isPassed;
    this.holds = holds;
  }

  get current(): Readonly<Ledger> {
    return this.ledger;
  }

  /** Opens a request; gives its answer where it is decided already. */
  open(request: HumanRequest): HumanAnswer | null {
    const { ledger, answer } = openRequest(this.ledger, request, this.now(), this.holds);
    this.ledger = ledger;
    return answer;
  }

  /** Gives the verdict that `settle` would give, without a change. */
  foresee(decision: KnownDecision): Verdict {
    return settleDecision(this.ledger, decision, this.now(), this.isPassed, this.holds).verdict;
  }

  /** Settles a decision; gives its verdict, and the answer where the request is closed by it. */
  settle(decision: KnownDecision): { verdict: Verdict; answer: HumanAnswer | null } {
    const settlement = settleDecision(this.ledger, decision, this.now(), this.isPassed, this.holds);
    const { ledger, verdict, answer } = settlement;
    this.ledger = ledger;
    return { verdict, answer };
  }

  /** When something becomes of the request by itself, in ms since 1970; null: never. */
  nextTime(id: string): number | null {
    const request = this.ledger.open.find((each) => each.id === id);
    return request === undefined ? null : nextTime(request);
  }

  /** Does what is due for the request: escalates, reminds, expires. Gives all requests that have expired. */
  pass(id: string): Expiry['expired'] {
    // The timer has fired: a clock that is a little behind must not keep the request open.
    const now = Math.max(this.now(), this.nextTime(id) ?? 0);
    const { ledger, expired } = expireRequests(escalateRequest(this.ledger, id, now), now);
    this.ledger = remindRequest(ledger, id, now, this.holds);
    return expired;
  }

  /** Moves all times of open requests. */
  postpone(ms: number): void {
    this.ledger = postponeRequests(this.ledger, ms);
  }

  /** Drops the answer of a closed request: the log holds it from now on. */
  forgetAnswer(id: string): void {
    this.ledger = forgetAnswer(this.ledger, id);
  }

  /** Withdraws a request. */
  cancel(id: string): void {
    this.ledger = cancelRequest(this.ledger, id, this.now());
  }

  /** Keeps a verdict for whoever looks for it later. */
  keepVerdict(decision: Decision, outcome: Verdict['outcome'], message: string): Verdict {
    const { ledger, verdict } = keepVerdict(this.ledger, decision, this.now(), outcome, message);
    this.ledger = ledger;
    return verdict;
  }

  /** Keeps a signed decision until its token is verified. */
  addUnverified(unverified: UnverifiedDecision): void {
    this.ledger = { ...this.ledger, unverified: [...(this.ledger.unverified ?? []), unverified] };
  }

  dropUnverified(unverified: UnverifiedDecision): void {
    const { unverified: all = [], ...ledger } = this.ledger;
    const others = all.filter((each) => each !== unverified);
    this.ledger = others.length === 0 ? ledger : { ...ledger, unverified: others };
  }

  /** Drops messages that nobody needs any longer, and rests of channels that have nothing to send. */
  tidyDeliveries(): void {
    this.ledger = forgetRests(noteGone(this.ledger, this.now()));
  }

  /** Notes that a message has arrived. */
  noteDelivered(message: DueMessage, result: TellPeopleResult): void {
    this.ledger = noteDelivered(this.ledger, message, result, this.now());
    if ('request' in message && result.closes === true)
      this.ledger = noteLateDelivery(this.ledger, message.request, message.delivery.channel);
  }

  /** Notes that a message could not be sent. Gives the requests whose next stage is asked earlier because of it. */
  noteUndelivered(message: DueMessage, why: Undelivered, lanes: ReadonlyMap<string, string>): string[] {
    const noted = noteUndelivered(this.ledger, message, why, lanes, this.now());
    const { ledger, moved } = askUnreached(noted, this.now());
    this.ledger = ledger;
    return moved;
  }
}
