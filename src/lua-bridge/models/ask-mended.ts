import { TactusError } from '../../contract/errors.js';
import type {
  CallUsage,
  Message,
  ModelCallResult,
  ProviderCall,
  Source,
} from '../../contract/models/model-call.js';
import { triesOf } from '../../contract/retries/tries.js';
import { sumCallUsage } from '../../contract/models/usage.js';
import type { Bridge } from '../kernel/bridge.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';
import { askModels, type Question } from './ask-models.js';

/**
 * Asks for an answer that follows a schema. A model is told what is wrong with one that doesn't, and asked again, as often as
 * its retries say of answers; what it was told stays out of the conversation.
 * @param read throws where the answer is of no use
 * @throws TactusError model_call_failed, budget_exhausted
 */
export function* askMended(
  bridge: Bridge,
  L: LuaState,
  { call, ...question }: Question,
  models: readonly (string | null)[],
  read: (answer: ModelCallResult) => unknown,
): Generator<Step, ModelCallResult, unknown> {
  if (call.outputSchema === null || call.isLenient === true || !bridge.holds('repairs'))
    return yield* askModels(bridge, L, { call, ...question }, models);
  const { limits, run } = bridge;
  const tries = triesOf(limits, run.settings, call.settings.retry).answers;
  let { messages } = call;
  let usage: CallUsage | null = null;
  // What the first answer was made of isn't looked up again for the one that is mended.
  const providerCalls: ProviderCall[] = [];
  const sources: Source[] = [];
  for (let asked = 1; ; asked++) {
    const mended = { ...call, messages, isMended: true } as const;
    const answer: ModelCallResult = yield* askModels(bridge, L, { ...question, call: mended }, models);
    usage = sumCallUsage(usage, answer.usage);
    providerCalls.push(...(answer.providerCalls ?? []));
    sources.push(...(answer.sources ?? []));
    const mistake =
      answer.mistake === undefined ? mistakeIn(answer, read) : `${answer.model} ${answer.mistake}`;
    if (mistake === null) return { ...answer, usage, ...lookedUp(providerCalls, sources) };
    if (asked >= tries) throw useless(question.name, mistake, asked - 1);
    messages = [...messages, ...correction(answer.text, mistake)];
  }
}

function lookedUp(
  providerCalls: ProviderCall[],
  sources: Source[],
): Pick<ModelCallResult, 'providerCalls' | 'sources'> {
  return {
    ...(providerCalls.length === 0 ? {} : { providerCalls }),
    ...(sources.length === 0 ? {} : { sources }),
  };
}

/** What the run finds wrong beyond what the worker does: it knows more of types than JSON Schema. */
function mistakeIn(answer: ModelCallResult, read: (answer: ModelCallResult) => unknown): string | null {
  if (answer.toolCalls.length > 0 || answer.finishReason === 'content_filter') return null;
  try {
    read(answer);
    return null;
  } catch (error) {
    // What was cut off at its limit of tokens would be so again.
    if (!(error instanceof TactusError) || answer.finishReason === 'length') throw error;
    return error.message;
  }
}

function correction(text: string, mistake: string): Message[] {
  return [
    // Providers refuse an empty message.
    { role: 'assistant', content: text.trim() === '' ? '(nothing)' : text },
    {
      role: 'user',
      content: `That answer can't be used: ${mistake}. Answer again, with JSON that follows the schema and nothing else.`,
    },
  ];
}

function useless(name: string, mistake: string, told: number): TactusError {
  const times = told === 0 ? '' : `, after it was told so ${told === 1 ? 'once' : `${told} times`}`;
  return new TactusError('model_call_failed', `${name}: ${mistake}${times}`);
}
