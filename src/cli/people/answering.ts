import { setTimeout as wait } from 'node:timers/promises';
import { viewRun } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import type { JsonValue } from '../../contract/json/json.js';
import { givenAnswer } from './answer-value.js';
import { askPerson, type Answer } from './ask-person.js';
import { accountName } from '../authority/signing-options.js';
import { Keyboard } from '../terminal/keyboard.js';
import { requestText } from './request-text.js';
import type { Screen } from '../terminal/screen.js';
import type { Session } from '../session.js';

export interface AnsweringOptions {
  session: Session;
  screen: Screen;
  /** Answers to requests, in the order of their creation. */
  answers: readonly string[];
  /** Who decides; left out: the account at this machine. */
  as?: string | undefined;
  /** Ends the following; the run goes on. */
  signal: AbortSignal;
  /** Ctrl-C while a person is asked. */
  interrupt: () => void;
  /** Neither lines and steps are shown nor a person is asked. */
  isQuiet?: boolean;
}

/** How often a request is looked at while its person is asked. */
const watchMs = 1_000;

/** Answers requests: first with what was given beforehand, then by asking the person at the terminal. */
export class Answering {
  private readonly settled = new Set<string>();
  private readonly answers: string[];
  private isTold = false;
  private keyboard: Keyboard | null = null;

  constructor(private readonly options: AnsweringOptions) {
    this.answers = [...options.answers];
  }

  /** Nobody is asked any longer. */
  close(): void {
    this.keyboard?.close();
  }

  /** The request whose turn it is: where people are asked here, one that whoever sits here may decide goes first. */
  next(requests: readonly HumanRequest[]): HumanRequest | undefined {
    const open = requests.filter(({ id }) => !this.settled.has(id));
    const isAsked = this.answers.length === 0 && this.options.screen.isInteractive;
    return (isAsked ? open.find((request) => this.mayDecide(request)) : undefined) ?? open[0];
  }

  /** Whether the run would take a decision of whoever sits here. */
  mayDecide(request: HumanRequest): boolean {
    return mayDecide(request, { by: this.options.as ?? accountName() }) === null;
  }

  async answer(request: HumanRequest): Promise<'answered' | 'unanswered' | 'interrupted'> {
    const { screen, isQuiet = false } = this.options;
    const given = this.answers.shift();
    if (given !== undefined) {
      screen.note(
        `${requestText(request, { how: false })}\n${screen.paint.dim(`  answered by --respond: ${given}`)}`,
      );
      const value = this.read(request, given);
      return value === undefined ? 'unanswered' : this.decide(request, value);
    }
    if (isQuiet || !screen.isInteractive || !this.mayDecide(request)) return 'unanswered';
    if (this.options.answers.length > 0 && !this.isTold) screen.note('The answers of --respond are used up.');
    this.isTold = true;
    const answer = await this.ask(request);
    if (answer === 'interrupted') return 'interrupted';
    return answer === 'withdrawn' ? 'answered' : this.decide(request, answer.value);
  }

  /** undefined where the request can't be answered so: it stays open, for somebody else or for a `resume`. */
  private read(request: HumanRequest, given: string): JsonValue | undefined {
    try {
      return givenAnswer(request, given);
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      this.options.screen.warn(error.message);
      return undefined;
    }
  }

  private async decide(request: HumanRequest, value: JsonValue): Promise<'answered' | 'unanswered'> {
    const { session, screen, as = accountName() } = this.options;
    const decision = { request: request.id, value, by: as, digest: request.digest };
    const { outcome, message } = await session.decide(request.run_id, decision);
    const isOver = outcome !== 'invalid' && outcome !== 'not_allowed';
    if (isOver) this.settled.add(request.id);
    if (outcome !== 'accepted') screen.warn(`${request.id}: ${outcome}: ${message}`);
    return isOver ? 'answered' : 'unanswered';
  }

  private async ask(request: HumanRequest): Promise<Answer> {
    this.keyboard ??= new Keyboard(this.options.interrupt);
    const over = new AbortController();
    const withdrawn = this.withdrawal(request, over.signal);
    const signal = AbortSignal.any([withdrawn, this.options.signal]);
    try {
      return await this.keyboard.during((input) => askPerson(request, signal, input));
    } finally {
      over.abort();
    }
  }

  /** Fires when the request is no longer open, unless its asking is over before. */
  private withdrawal(request: HumanRequest, over: AbortSignal): AbortSignal {
    const run = this.options.session.tactus.attach(request.run_id);
    const withdrawn = new AbortController();
    const watch = async (): Promise<void> => {
      while (!withdrawn.signal.aborted) {
        const isOver = await wait(watchMs, false, { signal: over }).catch(() => true);
        if (isOver) return;
        // Where it can't be looked at, whoever follows the run looks next, and says what is wrong.
        const view = await viewRun(run).catch(() => null);
        if (view === null) withdrawn.abort(null);
        else if (!view.pending.some(({ id }) => id === request.id)) withdrawn.abort('Answered elsewhere');
      }
    };
    void watch();
    return withdrawn.signal;
  }
}
