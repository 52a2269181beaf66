import { cancel, confirm, multiselect, select, text } from '@clack/prompts';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { viewRun } from '../../client/index.js';
import { TactusError, type Screen } from '../command.js';
import type { HumanItem, HumanRequest, OptionValue } from '../../contract/people/human-request.js';
import { mayDecide } from '../../contract/people/ledger/check-decision.js';
import { neededProblem, withNeed } from '../../contract/people/ledger/needed-answer.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { answerValue, givenAnswer, type Answerable } from './answer-value.js';
import { accountName } from '../authority/signing-options.js';
import { Keyboard } from '../terminal/keyboard.js';
import { requestText } from './requests.js';
import type { Session } from '../session.js';
import { plainText } from '../../contract/text/plain-text.js';

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

/** What a person answered at the terminal. */
type Answer = { value: JsonValue } | 'interrupted' | 'withdrawn';

const wantsReason: readonly JsonValue[] = ['reject', 'revise'];

/** Asks at the terminal, on stderr. `signal` withdraws the question; its reason, where it is a text, is shown. */
async function askPerson(request: HumanRequest, signal: AbortSignal, input: Readable): Promise<Answer> {
  const output = process.stderr;
  const message = plainText(requestText(request, { how: false }));
  const answer = await ask(request, { message, signal, input, output });
  if (typeof answer !== 'symbol') return { value: answer };
  if (!signal.aborted) return 'interrupted';
  if (typeof signal.reason === 'string') cancel(signal.reason, { output });
  return 'withdrawn';
}

type Asking = { message: string; signal: AbortSignal; input: Readable; output: NodeJS.WriteStream };
type Question = Answerable & Pick<HumanRequest, 'options' | 'hints'>;

/** A prompt that has ended would still hear of a withdrawal, and draw once more. */
async function prompt<T>(asking: Asking, show: (asking: Asking) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const withdraw = (): void => own.abort();
  if (asking.signal.aborted) withdraw();
  asking.signal.addEventListener('abort', withdraw);
  try {
    return await show({ ...asking, signal: own.signal });
  } finally {
    asking.signal.removeEventListener('abort', withdraw);
  }
}

async function ask(request: Question, asking: Asking): Promise<JsonValue | symbol> {
  const { kind, form, options } = request;
  if (kind === 'approval') return prompt(asking, (each) => confirm({ ...each, initialValue: false }));
  if (form?.type === 'items') return askItems(form.items, asking);
  if (form?.type === 'select' && form.multiple) {
    const required = form.min > 0;
    return prompt(asking, (each) => multiselect({ ...each, options: choicesOf(request), required }));
  }
  if (options.length > 0 && kind !== 'review') return chooseOne(request, asking);
  if (kind === 'review') return askReview(request, asking);
  return askText(request, asking, kind === 'escalation' ? 'optional' : 'needed');
}

async function askReview(request: Question, asking: Asking): Promise<JsonValue | symbol> {
  const decision = await chooseOne(request, asking);
  if (typeof decision === 'symbol') return decision;
  if (!wantsReason.includes(decision)) return { decision };
  const feedback = await prompt(asking, (each) => text({ ...each, message: 'Why? (may be left empty)' }));
  if (typeof feedback === 'symbol') return feedback;
  return { decision, feedback: feedback ?? null };
}

/** One after the other; what may be left out is asked for as a text, and may be left empty. */
async function askItems(items: readonly HumanItem[], asking: Asking): Promise<JsonValue | symbol> {
  const answers: JsonObject = {};
  let heading = `${asking.message}\n`;
  for (const item of items) {
    const message = plainText(`${heading}${item.label}: ${item.message}`);
    const question = { ...asking, message };
    const answer = item.required
      ? await ask(withNeed(item), question)
      : await askText(item, { ...question, message: `${message}${optionsText(item)}` }, 'optional');
    if (typeof answer === 'symbol') return answer;
    if (item.required || answer !== '') setOwn(answers, item.id, answer);
    heading = '';
  }
  return answers;
}

function optionsText({ options, kind }: HumanItem): string {
  const shown = kind === 'approval' ? ' (y or n' : options.length > 0 ? ` (${options.join(', ')}` : ' (';
  return plainText(`${shown}${shown === ' (' ? '' : '; '}may be left empty)`);
}

/** What was typed is read as on the command line, and asked for again where it can't be read. */
async function askText(
  request: Question,
  asking: Asking,
  need: 'needed' | 'optional',
): Promise<JsonValue | symbol> {
  const validate = (given = ''): string | undefined => {
    if (given === '') return need === 'needed' ? 'An answer is needed' : undefined;
    try {
      return neededProblem(request, answerValue(request, given)) ?? undefined;
    } catch (error) {
      if (error instanceof TactusError) return plainText(error.message);
      throw error;
    }
  };
  const typed = await prompt(asking, (each) => text({ ...each, validate }));
  if (typeof typed === 'symbol') return typed;
  // An empty line is undefined with some versions of the terminal.
  const given = (typed as string | undefined) ?? '';
  return given === '' ? '' : answerValue(request, given);
}

function chooseOne(request: Question, asking: Asking): Promise<OptionValue | symbol> {
  return prompt(asking, (each) => select({ ...each, options: choicesOf(request) }));
}

type Choice = { value: string; label: string; hint?: string };

/** Numbers pass as well: the prompt hands back what it was given, and never looks into it. */
function choicesOf({ options, form }: Question): Choice[] {
  const choices =
    form?.type === 'select' ? form.choices : options.map((value) => ({ value, label: String(value) }));
  return choices.map(({ value, label, ...more }) => ({
    value: value as string,
    label: plainText(label),
    ...('description' in more && typeof more.description === 'string'
      ? { hint: plainText(more.description) }
      : {}),
  }));
}
