import { getOwn, isDeeper, isObject, type JsonObject, type JsonValue } from '../json/json.js';
import { isCallsUsed, type CallsUsed } from '../budgets/budget.js';
import type { ProviderTool } from './provider-tool.js';
import type { RetryPolicy } from '../retries/retry-policy.js';
import { defaultLimits } from '../runs/limits.js';

/** One message of a conversation with a language model. */
export type Message =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[]; thoughts?: Thoughts }
  | { role: 'tool'; toolCallId: string; name: string; content: string };

/** What a model thought for an answer. It goes back to that model with the conversation, and to nobody else. */
export interface Thoughts {
  /** The model, and the API that it was asked by, as whoever asks it says. */
  by: string;
  /** In the order in which they stood. */
  parts: ThoughtPart[];
}

/** A thought, so many characters of the words, or the call of this number; `meta` is what the provider wants back with it. */
export type ThoughtPart = ({ thought: string } | { said: number } | { call: number }) & { meta?: JsonObject };

/** A call that the model asks for. `arguments` is what it wrote, parsed; `invalid` holds text that isn't JSON. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: JsonValue;
  invalid?: string;
}

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: JsonObject;
}

/** One request to a language model: the input of the `modelCall` activity. Holds no secret. */
export interface ModelCall {
  agent: string;
  /** `openai/gpt-5-mini`, `anthropic/…`, `local/…`; null: the worker's default. */
  model: string | null;
  system: string | null;
  messages: Message[];
  tools: ToolSpec[];
  /** Those that the provider runs itself. Left out: none. */
  providerTools?: ProviderTool[];
  /** JSON Schema that the answer must follow. */
  outputSchema: JsonObject | null;
  /** Whoever asks takes an answer that doesn't follow the schema as well, as its text. Left out: no. */
  isLenient?: true;
  /** Whoever asks mends an answer that doesn't follow the schema: it comes with its `mistake`. Left out: it is tried again. */
  isMended?: true;
  /** Whoever asks keeps what the model thinks, and gives it back with the conversation. Left out: no. */
  keepsThoughts?: true;
  /** It is part of an agent's turn: who says something to the agent may break it off. Left out: no. */
  isInTurn?: true;
  settings: {
    temperature?: number;
    maxTokens?: number;
    /** Time that one attempt may take, in ms. */
    timeoutMs?: number;
    /** Time for which the model may send nothing, in ms; left out: as long as the attempt may take. */
    idleTimeoutMs?: number;
    retry?: RetryPolicy;
    /** `{tool}`: this one must be called. */
    toolChoice?: 'auto' | 'required' | 'none' | { tool: string };
    /** From 0 to 1. */
    topP?: number;
    seed?: number;
    /** Texts at which the model stops. */
    stop?: string[];
    /** As the provider names them: `low`, `medium`, `high`. */
    reasoningEffort?: string;
    verbosity?: string;
    /** Which of OpenAI's APIs is meant; left out: Chat Completions, where there is a choice. */
    modelType?: 'responses';
    /** The provider makes the answer in the background, and keeps it until it is fetched. Left out: no. */
    isBackground?: true;
    /** Asked together with others, by the provider's interface for batches. Left out: at once. */
    isBatched?: true;
  };
}

/** What a model was paid for. */
export interface CallUsage {
  /** Tokens as the provider counted them; 0 where it didn't say. */
  input_tokens: number;
  output_tokens: number;
  /** US dollars; left out where the model's price isn't known. */
  input_usd?: number;
  output_usd?: number;
}

/** Why a model stopped. With `length` and `content_filter`, its calls of tools may not be whole. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

export interface ModelCallResult {
  text: string;
  /** The text is an object or a list of JSON, though no schema asked for it. Older versions recorded none. */
  isJson?: true;
  /** Why the answer isn't what the schema asks for, where whoever asks mends it. */
  mistake?: string;
  toolCalls: ToolCall[];
  /** What it thought, where whoever asks keeps that. */
  thoughts?: Thoughts;
  finishReason: FinishReason;
  /** Of this answer, and of those before it that couldn't be used. */
  usage: CallUsage;
  /** The model that answered, as `provider/model`. */
  model: string;
  /** Where it only had to choose among labels, and says so: how sure it is of each, from 0 to 1. */
  confidences?: Readonly<Record<string, number>>;
  /** What the provider ran for this answer, which has its results in it. Left out: nothing. */
  providerCalls?: ProviderCall[];
  /** Pages that those found, where the provider says so. */
  sources?: Source[];
  /** Tools that the worker's own policy kept from the provider, and why. */
  withheld?: { name: string; reason: string }[];
}

/** One call of a tool that the provider runs itself. */
export interface ProviderCall {
  name: string;
  arguments: JsonValue;
}

/** A page that a provider's own tool found. */
export interface Source {
  url: string;
  title?: string;
}

/** A turn's result, and a prediction, hold the answer one level down. */
const deepest = defaultLimits.depth - 1;

/**
 * The object or list that a model's answer is, bare or in a fence of Markdown; null where it is none, or nested too deep
 * to be a value of Lua. A number or a truth value alone is none: whoever asked for words gets them as such.
 */
export function jsonAnswer(text: string): JsonObject | JsonValue[] | null {
  try {
    const value = JSON.parse(withoutFence(text)) as JsonValue;
    return typeof value !== 'object' || isDeeper(value, deepest) ? null : value;
  } catch {
    return null;
  }
}

/** What stands in a fence of Markdown, where the text is nothing else. */
export function withoutFence(text: string): string {
  return /^\s*```[^\n]*\n([^]*?)```\s*$/.exec(text)?.[1] ?? text;
}

/** Tokens and money that a run has used; the `usage` of the command line's JSON. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** null where a model without a known price was called. */
  cost_usd: number | null;
}

/** What a run has used, as it tells the run that started it. */
export interface RunUsage extends Usage {
  /** Left out: an older version tells nothing of it. */
  calls?: CallsUsed;
}

/** What models were paid for an effect that was given up, or a run that was cancelled. */
export interface Spent {
  /** Of the effect, or of the run that was started. */
  position: string;
  usage: RunUsage;
  /** What is asked for at the position is asked once more, and this was paid before. */
  again?: true;
}

export const nothingUsed: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

/** Of two parts of a run, or of a run and one that it has started. */
export function sumUsage(one: Usage, other: Usage): Usage {
  const isKnown = one.cost_usd !== null && other.cost_usd !== null;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cost_usd: isKnown ? exact((one.cost_usd ?? 0) + (other.cost_usd ?? 0)) : null,
  };
}

/** Of two answers, of which there may be no first; what they cost is known where it is of both. */
export function sumCallUsage(one: CallUsage | null, other: CallUsage): CallUsage {
  if (one === null) return other;
  const isPriced = one.input_usd !== undefined && other.input_usd !== undefined;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    ...(isPriced
      ? {
          input_usd: (one.input_usd ?? 0) + (other.input_usd ?? 0),
          output_usd: (one.output_usd ?? 0) + (other.output_usd ?? 0),
        }
      : {}),
  };
}

/** US dollars of one call of a model, `provider/model`; null where they aren't known. */
export function callCost(
  { input_usd: input, output_usd: output = 0 }: CallUsage,
  model: string,
): number | null {
  // Results of before there were prices have none; the local model is free.
  return input === undefined ? (model.startsWith('local/') ? 0 : null) : input + output;
}

/** An amount without what binary fractions add. */
export function exact(dollars: number): number {
  return Math.round(dollars * 1e10) / 1e10;
}

/** Whether what a run was told is a usage. */
export function isUsage(given: unknown): given is RunUsage {
  const { input_tokens, output_tokens, cost_usd, calls } = (given ?? {}) as Record<string, unknown>;
  return (
    typeof input_tokens === 'number' &&
    typeof output_tokens === 'number' &&
    (cost_usd === null || typeof cost_usd === 'number') &&
    (calls === undefined || isCallsUsed(calls))
  );
}

/** Less than this is no amount to read: `$0.0001`. */
const leastShown = 0.0001;

/** What a run has used, for people: `1234 tokens`, `$0.02` where its cost is known and isn't nothing; empty where it asked no model. */
export function usageTexts({ input_tokens, output_tokens, cost_usd }: Usage): string[] {
  const tokens = input_tokens + output_tokens;
  if (tokens === 0) return [];
  const cost = cost_usd ?? 0;
  if (cost === 0) return [`${tokens} tokens`];
  const dollars = cost < leastShown ? `less than $${leastShown}` : `$${Number(cost.toFixed(4))}`;
  return [`${tokens} tokens`, dollars];
}

/** Prices of one's own, as JSON: `{"openai/my-model": {"input": 0.5, "output": 2}}`. */
export const pricesVariable = 'TACTUS_TEMPORAL_PRICES';

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
}

export function isPrice(value: JsonValue | undefined): value is JsonObject & Price {
  if (!isObject(value ?? null)) return false;
  const { input, output } = value as Record<string, unknown>;
  return isAmount(input) && isAmount(output);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

/** Other names that providers go by elsewhere. */
const providerAliases: Readonly<Record<string, string>> = {
  gemini: 'google',
  'amazon-bedrock': 'bedrock',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
};

const impliedProviders: readonly [RegExp, string][] = [
  [/^(ft:)?(gpt-|chatgpt-|o[134]\b)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/** The name of a provider, by any of its names. */
export function providerName(name: string): string {
  return getOwn(providerAliases, name) ?? name;
}

/** The provider that a well-known model's name stands for; null: none. */
export function impliedProvider(model: string): string | null {
  return impliedProviders.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/** Whose model it is by its name, `openai/gpt-5-mini` or `gpt-5-mini`; null: only a worker knows. */
export function providerOfModel(model: string | null): string | null {
  if (model === null) return null;
  const [, prefix] = /^([^/]+)\//.exec(model) ?? [];
  return prefix === undefined ? impliedProvider(model) : providerName(prefix);
}

/** The provider that a model's name has or implies: `openai` of `openai/gpt-5-mini` and of `gpt-5-mini`; null: the name tells none. */
export function providerOf(model: string): string | null {
  return /^([^/:]+)[/:]/.exec(model)?.[1] ?? impliedProvider(model);
}
