import {
  ApplicationFailure,
  defineQuery,
  defineSignal,
  defineUpdate,
  log,
  setHandler,
} from '@temporalio/workflow';
import type { Holds } from '../contract/engine.js';
import type { Decision, KnownDecision, Verdict } from '../contract/people/decision.js';
import type { HumanAnswer, HumanRequest } from '../contract/people/human-request.js';
import {
  findVerdict,
  parseDecision,
  parsePlainDecision,
  parseSignedDecision,
  refuseUnseen,
  takeEarly,
  type Ledger,
} from '../contract/people/ledger.js';
import { queryNames, signalNames, updateNames } from '../contract/names.js';
import { Delivering } from './people/delivering.js';
import { busyFailure, type LocalWork } from './effects/local-work.js';
import type { TellingRun } from './people/message-input.js';
import { RequestLedger, type RequestLedgerOptions } from './people/request-ledger.js';
import type { Sequence } from './sequence.js';
import { Verifying } from './people/verifying.js';

const decideSignal = defineSignal<unknown[]>(signalNames.decide);
const verdictQuery = defineQuery<Verdict | null, [string]>(queryNames.verdict);
const decideUpdate = defineUpdate<Verdict, unknown[]>(updateNames.decide);

/** Outcomes that leave no trace: an Update that gets one is rejected before it is written to history. */
const refused: ReadonlySet<string> = new Set(['late', 'not_allowed', 'invalid', 'unknown']);

export interface InboxOptions extends RequestLedgerOptions {
  sequence: Sequence;
  localWork: LocalWork;
  /** Whether the run takes signed decisions alone; null: its settings aren't known yet. */
  isSigned: () => boolean | null;
  telling: () => Omit<TellingRun, 'isSigned'>;
}

/**
 * The human requests of a run, and the decisions that arrive for them.
 *
 * Owns: who waits for the answer of which open request, and the handlers of decisions.
 * Asks: `RequestLedger` for every change of a request, `Verifying` for signed decisions, `Delivering` for messages.
 * Invariants:
 *  1. A request that the procedure waits for has a waiter and a mover. Both are removed with its answer or its cancellation.
 *  2. A decision is settled in its turn, by signal and by Update. An Update is accepted or refused when it arrives.
 *  3. A refused Update (see `refused`) leaves no trace, in history or in the ledger.
 *  4. `delivering.advance` follows each change of an open request.
 */
export class Inbox {
  private readonly waiters = new Map<string, (answer: HumanAnswer) => void>();
  private readonly movers = new Map<string, () => void>();
  private readonly requests: RequestLedger;
  private readonly sequence: Sequence;
  private readonly localWork: LocalWork;
  private readonly holds: Holds;
  private readonly isSigned: () => boolean | null;
  readonly verifying: Verifying;
  readonly delivering: Delivering;
  private listens = false;

  constructor(options: InboxOptions) {
    const { sequence, localWork, holds, isSigned, telling } = options;
    this.sequence = sequence;
    this.localWork = localWork;
    this.holds = holds;
    this.isSigned = isSigned;
    const requests = new RequestLedger(options);
    this.requests = requests;
    const settle = (decision: KnownDecision): Verdict => this.settle(decision);
    this.verifying = new Verifying(requests, settle, sequence, holds('updates-at-once'));
    const moved = (ids: readonly string[]): void => {
      for (const id of ids) this.movers.get(id)?.();
    };
    this.delivering = new Delivering(requests, moved, sequence, () => ({
      ...telling(),
      isSigned: isSigned() === true,
    }));
    // Whoever signals learns here what became of it, by the decision's id or the request's.
    setHandler(verdictQuery, (id) => findVerdict(requests.current, id), {
      description: 'What became of a decision, by its id or that of its request',
    });
    // From the start on, so that they are in the order of history among other signals.
    setHandler(
      decideSignal,
      (...given) => {
        const said = holds('early-decisions') ? takeEarly(given).given : given;
        const decision = this.parse(...said);
        if (typeof decision !== 'string')
          sequence.add(() => this.take(decision, () => undefined), { lasts: true });
        else log.warn('A signal is no decision and was ignored', { reason: decision });
      },
      { description: 'Decides a request: {"request": "<run>/<position>", "value": …}' },
    );
  }

  /** The requests as they are now, and what else travels with the run. */
  get ledger(): Readonly<Ledger> {
    return this.requests.current;
  }

  /**
   * Takes decisions by Update from now on; the SDK keeps those that came before. To be called when the procedure has run for
   * the first time: a worker that takes a run over gets its start and a decision in one go, and what the procedure
   * asks at once must be open by then.
   */
  listen(): void {
    if (this.listens) return;
    this.listens = true;
    const { sequence } = this;
    this.verifying.resume();
    this.delivering.resume();
    setHandler(
      decideUpdate,
      (...given) =>
        new Promise((resolve) => {
          const decision = this.parse(...takeEarly(given).given) as Decision;
          sequence.add(() => this.take(decision, resolve), { lasts: true });
        }),
      {
        validator: (...given: unknown[]) => {
          const { given: said, isMeant } = takeEarly(given);
          this.refuse(this.parse(...said), isMeant);
        },
        description: 'Decides a request, and gives the verdict: {"request": "<run>/<position>", "value": …}',
      },
    );
  }

  /**
   * What can be refused leaves no trace in history. Nor does what comes while the worker is at a local activity: its
   * acceptance is a command at the moment when it arrives, and a replay may be past the activity by then. That takes
   * milliseconds, and our client tries again.
   * @throws ApplicationFailure of the outcome's type
   */
  private refuse(decision: Decision | string, isMeantEarly: boolean): void {
    if (typeof decision === 'string') throw ApplicationFailure.nonRetryable(decision, 'invalid');
    if (this.localWork.isUnderWay) throw busyFailure('decide again');
    const settling = this.isSigned() === true ? this.verifying : this.requests;
    const foreseen = settling.foresee(decision);
    const { outcome, message } = refuseUnseen(
      { ...foreseen, id: decision.request },
      decision,
      isMeantEarly || decision.token !== undefined,
    );
    const verdict: Verdict = { id: decision.request, outcome, message };
    if (refused.has(outcome)) throw ApplicationFailure.nonRetryable(message, outcome, verdict);
  }

  /**
   * Opens a request; `told` gets its answer, at once where it is decided already, and `moved` hears when something becomes of it
   * at another time than before.
   */
  open(request: HumanRequest, told: (answer: HumanAnswer) => void, moved: () => void): void {
    const answer = this.requests.open(request);
    if (answer === null) {
      this.waiters.set(request.id, told);
      this.movers.set(request.id, moved);
      this.delivering.advance();
    } else told(answer);
  }

  /** When something becomes of the request by itself, in ms since 1970; null: never. */
  nextTime(id: string): number | null {
    return this.requests.nextTime(id);
  }

  /** That time has come: others are asked, people are reminded, or the request's time is over, and its default is its answer. */
  pass(id: string): void {
    for (const { id: over, answer } of this.requests.pass(id)) this.tell(over, answer);
    this.delivering.advance();
  }

  /** The run was paused for so long, and the time of its requests stood still meanwhile. */
  postpone(ms: number): void {
    this.requests.postpone(ms);
    for (const moved of [...this.movers.values()]) moved();
    this.delivering.advance();
  }

  /** The answer stands in the log: the ledger need not keep it. */
  recorded(id: string): void {
    this.requests.forgetAnswer(id);
  }

  /** Nobody waits for the request any longer. */
  cancel(id: string): void {
    this.waiters.delete(id);
    this.movers.delete(id);
    this.requests.cancel(id);
    this.delivering.advance();
  }

  /**
   * Withdraws the requests of an execution before that this one hasn't asked for again: nobody waits for their answers.
   */
  withdrawUnasked(): void {
    for (const { id, message } of this.ledger.open)
      if (!this.waiters.has(id)) {
        log.warn('A request was withdrawn: the run no longer asks for it', { request: id, message });
        this.cancel(id);
      }
  }

  /** A run that takes no signed decisions reads what arrives as it always did. */
  private parse(...given: unknown[]): Decision | string {
    if (this.isSigned() !== false) return parseSignedDecision(...given);
    return this.holds('request-policy') ? parseDecision(...given) : parsePlainDecision(...given);
  }

  /** A decision that arrived has its turn; `told` gets the verdict, for a signed one when it is verified. */
  private take(decision: Decision, told: (verdict: Verdict) => void): void {
    if (this.isSigned() === true) this.verifying.take(decision, told);
    else if (decision.token === undefined) told(this.settle(decision));
    else
      log.warn('A signal is no decision and was ignored', { reason: 'decisions of this run are not signed' });
  }

  /** Settles a decision, wherever it came from. */
  settle(decision: KnownDecision): Verdict {
    const { verdict, answer } = this.requests.settle(decision);
    if (answer !== null) this.tell(decision.request, answer);
    this.delivering.advance();
    return verdict;
  }

  private tell(id: string, answer: HumanAnswer): void {
    const waiter = this.waiters.get(id);
    this.waiters.delete(id);
    this.movers.delete(id);
    waiter?.(answer);
  }
}
