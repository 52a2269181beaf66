import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  log,
  setHandler,
} from '@temporalio/workflow';
import type { Decision, Verdict } from '../../contract/people/decision.js';
import { changesOf } from '../../contract/engine.js';
import type { HumanAnswer, HumanRequest } from '../../contract/people/human-request.js';
import {
  expireRequests,
  findVerdict,
  forgetAnswer,
  openRequest,
  parsePlainDecision,
  cancelRequest,
  refuseUnseen,
  settleDecision,
  takeEarly,
  type Ledger,
} from '../../contract/people/ledger.js';
import { queryNames, signalNames, updateNames } from '../../contract/names.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';

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
  private listens = false;

  constructor(
    public ledger: Ledger,
    private readonly isPassed: (position: Position) => boolean,
    private readonly onChange: () => void,
    /** Whether the procedure is about to go on with something that it doesn't know yet. */
    private readonly hasNews: () => boolean,
  ) {}

  /**
   * Takes decisions from now on; the SDK keeps those that came before. To be called when the procedure has run for
   * the first time: a worker that takes a run over gets its start and a decision in one go, and what the procedure
   * asks at once must be open by then.
   */
  listen(): void {
    if (this.listens) return;
    this.listens = true;
    setHandler(decideSignal, (...given) => {
      const decision = parsePlainDecision(...given);
      if (typeof decision !== 'string') this.settle(decision);
      else log.warn('A signal is no decision and was ignored', { reason: decision });
    });
    // Whoever signals learns here what became of it, by the decision's id or the request's.
    setHandler(verdictQuery, (id) => findVerdict(this.ledger, id));
    setHandler(
      decideUpdate,
      (...given) => this.settleAtRest(parsePlainDecision(...takeEarly(given).given) as Decision),
      {
        validator: (...given: unknown[]) => {
          const { given: said, isMeant } = takeEarly(given);
          const decision = parsePlainDecision(...said);
          if (typeof decision === 'string') throw ApplicationFailure.nonRetryable(decision, 'invalid');
          const settled = settleDecision(this.ledger, decision, Date.now(), this.isPassed, changesOf(1));
          const verdict = refuseUnseen(settled.verdict, decision, isMeant || this.hasNews());
          if (refused.has(verdict.outcome))
            throw ApplicationFailure.nonRetryable(verdict.message, verdict.outcome, verdict);
        },
      },
    );
  }

  /** Opens a request; the answer, where it is decided already. */
  open(request: HumanRequest): HumanAnswer | null {
    const { ledger, answer } = openRequest(this.ledger, request, Date.now(), changesOf(1));
    this.ledger = ledger;
    this.onChange();
    return answer;
  }

  /** Answers have arrived that the procedure hasn't been given. */
  get hasAnswers(): boolean {
    return this.answers.size > 0;
  }

  hasAnswer(id: string): boolean {
    return this.answers.has(id);
  }

  /** The answer that has arrived, or the default of a request whose time is over. */
  take(id: string): HumanAnswer {
    // The timer has fired or the answer is there: a clock that is a little behind must not keep the request open.
    const { ledger, expired } = this.answers.has(id)
      ? { ledger: this.ledger, expired: [] }
      : expireRequests(this.ledger, Math.max(Date.now(), this.deadline(id) ?? 0));
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
    this.answers.delete(id);
    this.ledger = cancelRequest(this.ledger, id, Date.now());
    this.onChange();
  }

  /**
   * A worker that takes a run over may hear of one answer and of the decision on what is asked next in one go. Who
   * sends the second must not be told that it is early because the procedure has yet to go on with the first.
   */
  private async settleAtRest(decision: Decision): Promise<Verdict> {
    const verdict = this.settle(decision);
    if (verdict.outcome !== 'early' || !this.hasNews()) return verdict;
    await condition(() => !this.hasNews());
    return findVerdict(this.ledger, decision.id ?? decision.request) ?? verdict;
  }

  /** Settles a decision, wherever it came from. */
  settle(decision: Decision): Verdict {
    const { ledger, verdict, answer } = settleDecision(
      this.ledger,
      decision,
      Date.now(),
      this.isPassed,
      changesOf(1),
    );
    this.ledger = ledger;
    if (answer !== null) this.answers.set(decision.request, answer);
    this.onChange();
    return verdict;
  }
}

/**
 * Closed while the worker is at a local activity of the run, and for the pause that follows a long one. What arrives
 * then (a workflow task may be extended meanwhile) a replay may see after the activity's end, so no command may follow
 * from it before the gate is open again: by then both have seen the same.
 */
export class Gate {
  private closed = false;

  get isOpen(): boolean {
    return !this.closed;
  }

  close(): void {
    this.closed = true;
  }

  open(): void {
    this.closed = false;
  }

  /** To be awaited only where the gate is closed: a wait for nothing would change the order of commands, too. */
  opened(): Promise<void> {
    return condition(() => this.isOpen);
  }
}
