import { ApplicationFailure, defineQuery, defineSignal, defineUpdate, log, setHandler } from '@temporalio/workflow';
import type { Decision, Verdict } from '../contract/decision.js';
import type { HumanAnswer, HumanRequest } from '../contract/human-request.js';
import { expireRequests, findVerdict, forgetAnswer, openRequest, parseDecision, cancelRequest, settleDecision, type Ledger } from '../contract/ledger.js';
import { queryNames, signalNames, updateNames } from '../contract/names.js';
import type { Position } from '../contract/position.js';

const decideSignal = defineSignal<unknown[]>(signalNames.decide);
const verdictQuery = defineQuery<Verdict | null, [string]>(queryNames.verdict);
const decideUpdate = defineUpdate<Verdict, unknown[]>(updateNames.decide);

/** Outcomes that leave no trace: an Update that gets one is rejected before it is written to history. */
const refused: ReadonlySet<string> = new Set(['late', 'not_allowed', 'invalid', 'unknown']);

/**
 * The human requests of a run, and the decisions that arrive for them. Handlers settle at once and never wait: an
 * Update that waited would take one of the ten places that the server gives a run.
 */
export class Inbox {
  private readonly answers = new Map<string, HumanAnswer>();

  constructor(
    public ledger: Ledger,
    private readonly isPassed: (position: Position) => boolean,
    private readonly onChange: () => void,
  ) {
    setHandler(decideSignal, (...given) => {
      const decision = parseDecision(...given);
      if (typeof decision !== 'string') this.settle(decision);
      else log.warn('A signal is no decision and was ignored', { reason: decision });
    });
    // Whoever signals learns here what became of it, by the decision's id or the request's.
    setHandler(verdictQuery, (id) => findVerdict(this.ledger, id));
    setHandler(decideUpdate, (...given) => this.settle(parseDecision(...given) as Decision), {
      validator: (...given) => {
        const decision = parseDecision(...given);
        if (typeof decision === 'string') throw ApplicationFailure.nonRetryable(decision, 'invalid');
        const { verdict } = settleDecision(this.ledger, decision, Date.now(), this.isPassed);
        if (refused.has(verdict.outcome)) throw ApplicationFailure.nonRetryable(verdict.message, verdict.outcome, verdict);
      },
    });
  }

  /** Opens a request; the answer, where it is decided already. */
  open(request: HumanRequest): HumanAnswer | null {
    const { ledger, answer } = openRequest(this.ledger, request, Date.now());
    this.ledger = ledger;
    this.onChange();
    return answer;
  }

  hasAnswer(id: string): boolean {
    return this.answers.has(id);
  }

  /** The answer that has arrived, or the default of a request whose time is over. */
  take(id: string): HumanAnswer {
    // The timer has fired or the answer is there: a clock that is a little behind must not keep the request open.
    const { ledger, expired } = this.answers.has(id) ? { ledger: this.ledger, expired: [] } : expireRequests(this.ledger, Math.max(Date.now(), this.deadline(id) ?? 0));
    this.ledger = ledger;
    for (const { id: over, answer } of expired) this.answers.set(over, answer);
    const answer = this.answers.get(id);
    if (answer === undefined) throw new Error(`no answer for ${id}`);
    this.answers.delete(id);
    this.onChange();
    return answer;
  }

  /** When the request's time is over, in ms since 1970; null: never. */
  deadline(id: string): number | null {
    const open = this.ledger.open.find((request) => request.id === id);
    return open?.deadline === undefined || open.deadline === null ? null : Date.parse(open.deadline);
  }

  /** The answer stands in the log: the ledger need not keep it. */
  recorded(id: string): void {
    this.ledger = forgetAnswer(this.ledger, id);
  }

  /** Nobody waits for the request any longer. */
  cancel(id: string): void {
    this.ledger = cancelRequest(this.ledger, id, Date.now());
    this.onChange();
  }

  private settle(decision: Decision): Verdict {
    const { ledger, verdict, answer } = settleDecision(this.ledger, decision, Date.now(), this.isPassed);
    this.ledger = ledger;
    if (answer !== null) this.answers.set(decision.request, answer);
    this.onChange();
    return verdict;
  }
}
