import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { LocalModelFiles } from '../../activity-deps.js';
import { createQueue, Fault, untilAborted } from '../../retries/failures.js';
import { mapSchema } from '../output-schema.js';
import { choiceField, chooseLocally } from './choose-locally.js';
import {
  contextSize,
  loadLlama,
  type ChatItem,
  type LlamaChat,
  type LlamaFunctions,
  type LoadedLlama,
} from './llama.js';

/** The local model of one worker: loaded at its first use and kept, and asked one thing at a time. */
export interface LocalRuntime {
  generate(request: LocalRequest): Promise<LocalAnswer>;
}

export function createLocalRuntime(files: LocalModelFiles): LocalRuntime {
  const queue = createQueue();
  let loading: Promise<LoadedLlama> | null = null;

  /** Goes on where its first user gives up; a failure is forgotten, so that the next one tries again. */
  const load = (): Promise<LoadedLlama> => {
    loading ??= loadLlama(files).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };

  return {
    generate: (request) =>
      queue(async () => generateLocally(await untilAborted(load(), request.signal), request), request.signal),
  };
}

/** Without an end of its own a small model writes on until its tokens are used up, and half a JSON is worth nothing. */
const longestString = 300;
const longestArray = 10;
/** A range as small as this becomes a list of numbers, since grammars know no bounds. */
const widestRange = 100;

/** The schema in the subset that becomes a grammar of the local model, at least as narrow where that can be said. */
export function grammarSchema(schema: JsonObject): JsonObject {
  return mapSchema(schema, (inner) => narrow(onlyMember(asOneOf(inner))));
}

function asOneOf(schema: JsonObject): JsonObject {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...rest, oneOf: anyOf };
  if (!Array.isArray(type)) return schema;
  return { oneOf: type.map((one) => narrow({ ...rest, type: one })) };
}

/** `allOf` with one member, as schema generators write references, is that member. */
function onlyMember(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const member = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  return isObject(member) ? { ...member, ...rest } : schema;
}

function narrow(schema: JsonObject): JsonObject {
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return schema;
  const { type } = schema;
  if (type === 'string') return { ...schema, ...bounds(schema, 'Length', longestString) };
  if (type === 'array') return { ...schema, ...bounds(schema, 'Items', longestArray) };
  if (type === 'integer') return range(schema);
  // A grammar takes an object without named members for the empty one.
  return type === 'object' && schema['properties'] === undefined
    ? { ...schema, additionalProperties: true }
    : schema;
}

function bounds(schema: JsonObject, what: 'Length' | 'Items', longest: number): JsonObject {
  const least = Math.min(asNumber(schema[`min${what}`]) ?? 0, longest);
  const most = Math.min(asNumber(schema[`max${what}`]) ?? longest, longest);
  return { [`min${what}`]: least, [`max${what}`]: Math.max(least, most) };
}

function range(schema: JsonObject): JsonObject {
  const minimum = asNumber(schema['minimum']);
  const maximum = asNumber(schema['maximum']);
  if (minimum === undefined || maximum === undefined) return schema;
  const first = Math.ceil(minimum);
  const size = Math.floor(maximum) - first + 1;
  return size < 1 || size > widestRange
    ? schema
    : { enum: Array.from({ length: size }, (_, i) => first + i) };
}

function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** In tokens. Small models rarely have more to say, and each takes some 15 ms. */
const defaultAnswer = 512;
/** Room for an answer that is worth asking for, in tokens. */
const leastAnswer = 32;

export interface LocalRequest {
  history: ChatItem[];
  /** What the model may call; null where there is nothing. */
  functions: LlamaFunctions | null;
  /** Whether it must call one of them. */
  mustCall: boolean;
  /** What its text must follow. */
  schema: JsonObject | null;
  /** In tokens; null for the default. */
  maxTokens: number | null;
  /** 0 always takes the likeliest word. */
  temperature: number;
  seed: number;
  /** Leaves out what is less likely; null: nothing. */
  topP: number | null;
  /** Texts at which it stops. */
  stop: readonly string[];
  signal: AbortSignal;
  onText: ((text: string) => void) | null;
}

export interface LocalAnswer {
  text: string;
  /** Where it only had to choose: how sure it is of each, from 0 to 1. */
  confidences: Readonly<Record<string, number>> | null;
  /** With the arguments as JSON text. */
  calls: { name: string; arguments: string }[];
  isCutOff: boolean;
  inputTokens: number;
  outputTokens: number;
}

/** One answer of the local model. The model must not be asked anything else meanwhile. */
async function generateLocally(loaded: LoadedLlama, request: LocalRequest): Promise<LocalAnswer> {
  const before = loaded.sequence.tokenMeter.getState();
  const written = (await chosen(loaded, request)) ?? (await answerOf(loaded, request));
  const { usedInputTokens, usedOutputTokens } = loaded.sequence.tokenMeter.diff(before);
  return { ...written, inputTokens: usedInputTokens, outputTokens: usedOutputTokens };
}

type Written = Pick<LocalAnswer, 'text' | 'calls' | 'isCutOff' | 'confidences'>;

/** null where there is more to say than which of a few texts it is. */
async function chosen(loaded: LoadedLlama, request: LocalRequest): Promise<Written | null> {
  const field = request.schema === null || request.functions !== null ? null : choiceField(request.schema);
  if (field === null) return null;
  return { ...(await chooseLocally(loaded, request, field)), calls: [], isCutOff: false };
}

/**
 * The library binds an answer either to functions or to a grammar. Where both are wanted, what turns out to be no call
 * is written a second time, bound by the grammar.
 */
async function answerOf(loaded: LoadedLlama, request: LocalRequest): Promise<Written> {
  if (request.functions === null) return write(loaded, loaded.chat, request);
  const isText = request.schema === null;
  const chat = request.mustCall ? loaded.callingChat : loaded.chat;
  const written = await write(loaded, chat, {
    ...request,
    schema: null,
    onText: isText ? request.onText : null,
  });
  if (isText || written.calls.length > 0) return written;
  return write(loaded, loaded.chat, { ...request, functions: null });
}

async function write(loaded: LoadedLlama, chat: LlamaChat, request: LocalRequest): Promise<Written> {
  const { history, functions, schema, temperature, seed, topP, stop, signal, onText } = request;
  const grammar =
    schema === null ? null : await loaded.llama.createGrammarForJsonSchema(grammarSchema(schema));
  // Nothing of another run's conversation stays behind.
  await loaded.sequence.clearHistory();
  const { response, functionCalls, metadata } = await chat.generateResponse(history, {
    signal,
    temperature,
    seed,
    maxTokens: Math.min(request.maxTokens ?? defaultAnswer, roomFor(loaded, request)),
    ...(topP === null ? {} : { topP }),
    ...(stop.length === 0 ? {} : { customStopTriggers: stop }),
    ...(onText === null ? {} : { onTextChunk: onText }),
    ...(grammar === null ? {} : { grammar }),
    ...(functions === null ? {} : { functions, documentFunctionParams: true }),
  });
  const calls = (functionCalls ?? []).map((call) => ({
    name: call.functionName,
    arguments: JSON.stringify(call.params ?? {}),
  }));
  return { text: response, calls, isCutOff: metadata.stopReason === 'maxTokens', confidences: null };
}

/** The library would drop the oldest messages without a word; a run is told. */
function roomFor(loaded: LoadedLlama, { history, functions }: LocalRequest): number {
  const { contextText } = loaded.chatWrapper.generateContextState({
    chatHistory: history,
    ...(functions === null ? {} : { availableFunctions: functions, documentFunctionParams: true }),
  });
  const tokens = contextText.tokenize(loaded.model.tokenizer).length;
  const room = contextSize - tokens;
  if (room >= leastAnswer) return room;
  throw new Fault(
    `takes conversations of up to ${contextSize - leastAnswer} tokens; this one has ${tokens}`,
    { retryable: false },
  );
}
