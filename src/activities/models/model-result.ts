import {
  InvalidToolInputError,
  type ContentPart,
  type FinishReason as SdkReason,
  type LanguageModelUsage,
  type TypedToolCall,
  type TypedToolResult,
  type ToolSet,
} from 'ai';
import { defined, exactText, isObject, type JsonValue } from '../../contract/json/json.js';
import {
  isPrice,
  jsonAnswer,
  pricesVariable,
  withoutFence,
  type CallUsage,
  type FinishReason,
  type ModelCall,
  type ModelCallResult,
  type Price,
  type ProviderCall,
  type Source,
  type ToolCall,
} from '../../contract/models/model-call.js';
import { Fault } from '../retries/failures.js';
import type { OutputSchema } from './output-schema.js';
import { withoutReasoning } from './provider-options.js';
import type { Environment } from '../../contract/environment.js';

/** How an answer ended; `failed` and `broken_off`: it is none. */
type AnswerEnd = FinishReason | 'failed' | 'broken_off';

const ends = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'failed',
  interrupted: 'broken_off',
} as const satisfies Partial<Record<SdkReason, AnswerEnd>>;

/** Words in which providers say it, for which the AI SDK has no reason of its own; the first that fits counts. */
const otherWords: readonly (readonly [RegExp, AnswerEnd])[] = [
  [/malformed|error|abort|cancel|unexpected_tool/i, 'failed'],
  [/length|max_?(output_)?tokens|context_window|token_limit/i, 'length'],
  [/filter|safety|refus|guardrail|block|recitation|prohibited|spii|moderat/i, 'content_filter'],
];

/**
 * How an answer ended, by the AI SDK's reason, and by the provider's own word where the SDK knows none. A call of a tool must
 * not be made of an answer that was broken off, whatever the word for that is.
 */
export function answerEnd(reason: SdkReason, raw: string | undefined): AnswerEnd {
  if (reason in ends) return ends[reason as keyof typeof ends];
  const [, end] = otherWords.find(([word]) => raw !== undefined && word.test(raw)) ?? [];
  return end ?? 'other';
}

/** What of the AI SDK's result matters here. */
export interface Answer {
  text: string;
  toolCalls: readonly TypedToolCall<ToolSet>[];
  /** All of it, in its order. */
  content: readonly ContentPart<ToolSet>[];
  /** Of the provider's own tools. */
  toolResults: readonly TypedToolResult<ToolSet>[];
  finishReason: SdkReason;
  /** In the provider's own word. */
  rawFinishReason: string | undefined;
  usage: LanguageModelUsage;
  /** What the provider's own tools found. */
  sources: readonly { sourceType: string; url?: string; title?: string }[];
  /** The model's name as the provider gave it in its answer. */
  model: string;
  /** Where it only had to choose: how sure it is of each, from 0 to 1. */
  confidences?: Readonly<Record<string, number>>;
}

/**
 * The answer as the run records it.
 * @throws Fault where the answer is cut off, or isn't what the output schema asks for
 */
export function modelResult(
  answer: Answer,
  provider: string,
  schema: OutputSchema | null,
  { isLenient, isMended }: Pick<ModelCall, 'isLenient' | 'isMended'>,
  usage: CallUsage,
): ModelCallResult {
  const end = answerEnd(answer.finishReason, answer.rawFinishReason);
  if (end === 'broken_off') throw paidFor('broke off its answer');
  if (end === 'failed') throw paidFor('failed while it answered');
  // Its own tools have been at work for so long that it wants to be asked once more.
  if (answer.rawFinishReason === 'pause_turn')
    throw new Fault(
      'paused its answer, after as many calls of its own tools as it makes in one go: allow fewer of them in their args, or ask for less at once',
      { retryable: false, isAnswer: true },
    );
  const providerCalls = answer.toolCalls.filter(({ providerExecuted }) => providerExecuted === true);
  const toolCalls = answer.toolCalls
    .filter(({ providerExecuted }) => providerExecuted !== true)
    .map(toolCall);
  const { text, hasThought } = withoutReasoning(answer.text);
  const isSilent = text.trim() === '' && toolCalls.length === 0;
  const finishReason = reasonOf(end, toolCalls.length > 0);
  if (isSilent && end === 'tool_calls' && providerCalls.length === 0)
    throw paidFor('ended its answer to call a tool, and called none');
  if (isSilent && hasThought && end === 'stop') throw paidFor('thought, and answered nothing');
  if (finishReason === 'length' && isSilent)
    throw new Fault('used up its limit of tokens before it said anything: raise max_tokens', {
      ...{ retryable: false, isAnswer: true },
    });
  const isAnswer = toolCalls.length === 0 && finishReason !== 'content_filter';
  const json = schema === null && isAnswer ? jsonAnswer(text) : null;
  const isJson = json !== null;
  const read: Structured =
    schema === null || !isAnswer ? { text: wordsOf(text, json) } : structured(text, finishReason, schema);
  if (read.fault !== undefined && isLenient !== true && (isMended !== true || !read.fault.isAnswer))
    throw read.fault;
  return {
    text: read.text,
    ...(read.fault === undefined || isMended !== true ? {} : { mistake: read.fault.message }),
    ...(isJson ? { isJson } : {}),
    toolCalls,
    finishReason,
    usage,
    model: `${provider}/${answer.model}`,
    ...defined({ confidences: answer.confidences }),
    ...(providerCalls.length === 0
      ? {}
      : { providerCalls: providerCalls.map((each) => providerCall(each, answer.toolResults)) }),
    ...sourcesOf(answer),
  };
}

/** OpenAI tells what it searched for with what it found. */
function providerCall(call: TypedToolCall<ToolSet>, results: Answer['toolResults']): ProviderCall {
  const output: unknown = results.find(({ toolCallId }) => toolCallId === call.toolCallId)?.output;
  const { action } = (output ?? {}) as { action?: unknown };
  return { name: call.toolName, arguments: (action ?? call.input ?? null) as JsonValue };
}

/** Each page once, with the title that it has in one place or another. */
function sourcesOf({ sources }: Answer): Pick<ModelCallResult, 'sources'> {
  const pages = new Map<string, Source>();
  for (const { url, title } of sources)
    if (url !== undefined && (title !== undefined || !pages.has(url)))
      pages.set(url, { url, ...defined({ title }) });
  return pages.size === 0 ? {} : { sources: [...pages.values()] };
}

function paidFor(message: string): Fault {
  return new Fault(message, { retryable: true, isAnswer: true });
}

/** Of an answer that calls tools, a reason of its own says that the calls may not be whole. */
function reasonOf(end: FinishReason, callsTools: boolean): FinishReason {
  if (end === 'length' || end === 'content_filter') return end;
  if (callsTools) return 'tool_calls';
  // Without any tool call there is nothing to go on with.
  return end === 'tool_calls' ? 'stop' : end;
}

/** The answer as JSON text that follows the schema; as it is where it doesn't, with what is wrong. */
interface Structured {
  text: string;
  fault?: Fault;
}

function structured(text: string, finishReason: FinishReason, schema: OutputSchema): Structured {
  try {
    return { text: schema.read(text) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (finishReason !== 'length') return { text, fault: error };
    const cut = 'was cut off at its limit of tokens before its JSON was complete';
    return { text, fault: new Fault(cut, { retryable: false }) };
  }
}

/** Arguments that aren't JSON are kept as text: the model can be told, and mend them. */
function toolCall(call: TypedToolCall<ToolSet>): ToolCall {
  const { toolCallId: id, toolName: name } = call;
  const input: unknown = call.input;
  if (call.invalid !== true) return { id, name, arguments: (input ?? null) as JsonValue };
  // A tool that doesn't exist is for the run to refuse; its arguments may well be right.
  if (InvalidToolInputError.isInstance(call.error))
    return { id, name, arguments: null, invalid: call.error.toolInput };
  return typeof input === 'string'
    ? { id, name, arguments: null, invalid: input }
    : { id, name, arguments: (input ?? null) as JsonValue };
}

/** The model's own, unless they are JSON with integers that whoever reads it would round. */
function wordsOf(text: string, json: JsonValue): string {
  if (json === null) return text;
  const bare = withoutFence(text);
  const exact = exactText(bare);
  return exact === bare ? text : exact;
}

/** Tokens of an answer; 0 where the provider didn't say. */
export function tokensOf({ usage }: Answer): Tokens {
  return {
    input_tokens: count(usage.inputTokens),
    output_tokens: count(usage.outputTokens),
    cached_tokens: count(usage.inputTokenDetails?.cacheReadTokens),
  };
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}

const million = 1_000_000;

/** Tokens of an answer, as its provider counted them. */
interface Tokens {
  input_tokens: number;
  output_tokens: number;
  /** Of the input: those that the provider had kept from before, which cost less. */
  cached_tokens: number;
}

/**
 * What an answer costs: by prices of one's own for any of the model's names, else by the list of the package
 * `@pydantic/genai-prices`. Nothing is added where neither knows it.
 * @param names `provider/model`: as the answer has it, and as it was asked for
 */
export async function withPrice(
  tokens: Tokens,
  names: readonly string[],
  env: Environment,
): Promise<CallUsage> {
  const { cached_tokens, ...usage } = tokens;
  if (names.some((name) => name.startsWith('local/'))) return { ...usage, input_usd: 0, output_usd: 0 };
  // A provider that counts nothing leaves open what it costs.
  if (usage.input_tokens === 0) return usage;
  const own = ownPrices(env);
  for (const name of names) {
    const price = own[name];
    if (price === undefined) continue;
    const { input, output } = price;
    return {
      ...usage,
      input_usd: (usage.input_tokens * input) / million,
      output_usd: (usage.output_tokens * output) / million,
    };
  }
  // Some hundred KB of prices, for whoever has asked a model.
  const { calcPrice } = await import('@pydantic/genai-prices');
  for (const name of names) {
    const [providerId = '', ...rest] = name.split('/');
    const counted = { ...usage, cache_read_tokens: Math.min(cached_tokens, usage.input_tokens) };
    const price = calcPrice(counted, rest.join('/'), { providerId });
    if (price !== null) return { ...usage, input_usd: price.input_price, output_usd: price.output_price };
  }
  return usage;
}

/** The prices of one's own; what is no price is left out. */
function ownPrices(env: Environment): Record<string, Price> {
  const text = env[pricesVariable] ?? '';
  if (text === '') return {};
  const given = parsedPrices(text);
  const entries = Object.entries(isObject(given) ? given : {});
  return Object.fromEntries(entries.flatMap(([model, price]) => (isPrice(price) ? [[model, price]] : [])));
}

function parsedPrices(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null; // configuration says what is wrong with it before it gets here
  }
}
