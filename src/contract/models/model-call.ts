import { isDeeper, type JsonObject, type JsonValue } from '../json/json.js';
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
