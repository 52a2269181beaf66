import type { Readable } from 'node:stream';
import { cancel, confirm, multiselect, select, text } from '@clack/prompts';
import { TactusError } from '../../contract/errors.js';
import type { HumanItem, HumanRequest, OptionValue } from '../../contract/people/human-request.js';
import { neededProblem, withNeed } from '../../contract/people/ledger/needed-answer.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { answerValue, type Answerable } from './answer-value.js';
import { plainText } from '../../contract/text/plain-text.js';
import { requestText } from './request-text.js';

/** What a person answered at the terminal. */
export type Answer = { value: JsonValue } | 'interrupted' | 'withdrawn';

const wantsReason: readonly JsonValue[] = ['reject', 'revise'];

/** Asks at the terminal, on stderr. `signal` withdraws the question; its reason, where it is a text, is shown. */
export async function askPerson(
  request: HumanRequest,
  signal: AbortSignal,
  input: Readable,
): Promise<Answer> {
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
