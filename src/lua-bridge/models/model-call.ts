import { TactusError, type ErrorCode } from '../../contract/errors.js';
import {
  providerOfModel,
  sumCallUsage,
  type CallUsage,
  type Message,
  type ModelCall,
  type ModelCallResult,
  type ProviderCall,
  type Source,
} from '../../contract/models/model-call.js';
import { runnerOf } from '../../contract/models/provider-tool.js';
import { afford, callNeed, isEffect, type IsRecorded } from '../budgets/afford.js';
import { assertInTime } from '../budgets/deadline.js';
import { leftOf } from '../budgets/run-budgets.js';
import { currentFrame, type Bridge, type LuaState, type Step } from '../kernel/index.js';
import { triesOf } from '../../contract/retries/retry-policy.js';
import { digestOf } from '../../contract/effects/digest.js';
import { defined, isDeeper, type JsonValue } from '../../contract/json/json.js';
import { checkpointed } from '../checkpoints/checkpointed.js';
import { defaultLimits } from '../../contract/runs/limits.js';

/** What another model may do better. What is wrong with the question itself, or ends the run, is as wrong for it. */
const worthAnother: readonly ErrorCode[] = [
  'missing_key',
  'missing_package',
  'model_call_failed',
  'unknown_model',
];

/** Attempts at a model that others stand in for, where nobody says how many. */
const attemptsBeforeNext = 3;

/** Time of an attempt in the background, where nobody says how long: who is asked so thinks for long. */
const backgroundTimeoutMs = 3_600_000;

interface Question {
  /** Of the checkpoints. */
  name: string;
  /** What pages show in place of the name. */
  title?: string;
  call: Omit<ModelCall, 'model'>;
}

/**
 * Asks the first of the models that answers. Each call is a checkpoint, the failed ones too.
 * @param models null: the worker's default
 * @throws TactusError of the last of them; budget_exhausted
 */
export function* callModel(
  bridge: Bridge,
  L: LuaState,
  { name, title = name, call }: Question,
  models: readonly (string | null)[],
): Generator<Step, ModelCallResult, unknown> {
  const settings = settingsOf(bridge, call.settings);
  for (const [index, model] of models.entries()) {
    const isLast = index === models.length - 1;
    const patient = isLast ? settings : impatient(bridge, settings);
    const asked = {
      ...ofProvider(call, model),
      model,
      settings: together(bridge, L, withinTime(bridge, L, patient)),
    };
    const effect = { type: 'model_call', name, effect: { kind: 'model_call', call: asked }, title } as const;
    yield* affordCall(bridge, L, asked, isEffect(bridge, effect));
    try {
      return (yield { effect }) as ModelCallResult;
    } catch (error) {
      if (isLast || !(error instanceof TactusError) || !worthAnother.includes(error.code)) throw error;
      const next = models[index + 1] ?? 'the default model';
      const message = `${name}: ${error.message}; ${next} is asked instead`;
      bridge.show({ kind: 'log', level: 'warning', message, context: { model, code: error.code } });
    }
  }
  throw new TactusError('internal', `${name} has no model`);
}

/** A model is given the tools that its own provider runs, and none of others. */
function ofProvider(
  { providerTools = [], ...call }: Question['call'],
  model: string | null,
): Question['call'] {
  const provider = providerOfModel(model);
  const own = providerTools.filter(({ source }) => provider === null || runnerOf(source) === provider);
  return own.length === 0 ? call : { ...call, providerTools: own };
}

function* affordCall(
  bridge: Bridge,
  L: LuaState,
  call: ModelCall,
  isRecorded: IsRecorded,
): Generator<Step, void, unknown> {
  assertInTime(bridge, L, 'provider request');
  const { budgets } = currentFrame(L).scope;
  if (budgets.length > 0) yield* afford(bridge, L, callNeed(call, budgets), isRecorded);
}

/** One attempt takes no longer than budgets have time. */
function withinTime(bridge: Bridge, L: LuaState, settings: ModelCall['settings']): ModelCall['settings'] {
  const { timeMs } = leftOf(bridge, L);
  if (timeMs === undefined) return settings;
  const timeoutMs =
    settings.timeoutMs ?? bridge.run.settings.requestTimeoutMs ?? bridge.limits.modelTimeoutMs;
  return { ...settings, timeoutMs: Math.max(1_000, Math.min(timeoutMs, timeMs)) };
}

/** A batch may take a day: where a budget has less time than that, models are asked at once. */
function together(bridge: Bridge, L: LuaState, settings: ModelCall['settings']): ModelCall['settings'] {
  if (!currentFrame(L).scope.isBatched || leftOf(bridge, L).timeMs !== undefined) return settings;
  const { isBackground: _, ...batched } = settings;
  return { ...batched, isBatched: true };
}

/** What this run's engine knows of them, with what configuration says where their author doesn't. */
function settingsOf(bridge: Bridge, settings: ModelCall['settings']): ModelCall['settings'] {
  const { idleTimeoutMs, requestTimeoutMs } = bridge.run.settings;
  const isLong = settings.isBackground === true && requestTimeoutMs === undefined;
  if (bridge.holds('call-options'))
    return {
      ...defined({ idleTimeoutMs }),
      ...(isLong ? { timeoutMs: backgroundTimeoutMs } : {}),
      ...settings,
    };
  if (bridge.holds('model-options')) return settings;
  const { modelType: _, ...known } = settings;
  return known;
}

/** A model that others stand in for isn't waited for as long as the only one. */
function impatient(bridge: Bridge, settings: ModelCall['settings']): ModelCall['settings'] {
  if (settings.retry !== undefined || bridge.run.settings.retries !== undefined) return settings;
  return { ...settings, retry: { attempts: attemptsBeforeNext } };
}

/**
 * Asks for an answer that follows a schema. A model is told what is wrong with one that doesn't, and asked again, as often as
 * its retries say of answers; what it was told stays out of the conversation.
 * @param read throws where the answer is of no use
 * @throws TactusError model_call_failed, budget_exhausted
 */
export function* callModelWithRepairs(
  bridge: Bridge,
  L: LuaState,
  { call, ...question }: Question,
  models: readonly (string | null)[],
  read: (answer: ModelCallResult) => unknown,
): Generator<Step, ModelCallResult, unknown> {
  if (call.outputSchema === null || call.isLenient === true || !bridge.holds('repairs'))
    return yield* callModel(bridge, L, { call, ...question }, models);
  const { limits, run } = bridge;
  const tries = triesOf(limits, run.settings, call.settings.retry).answers;
  let { messages } = call;
  let usage: CallUsage | null = null;
  // What the first answer was made of isn't looked up again for the one that is mended.
  const providerCalls: ProviderCall[] = [];
  const sources: Source[] = [];
  for (let asked = 1; ; asked++) {
    const mended = { ...call, messages, isMended: true } as const;
    const answer: ModelCallResult = yield* callModel(bridge, L, { ...question, call: mended }, models);
    usage = sumCallUsage(usage, answer.usage);
    providerCalls.push(...(answer.providerCalls ?? []));
    sources.push(...(answer.sources ?? []));
    const mistake =
      answer.mistake === undefined ? mistakeIn(answer, read) : `${answer.model} ${answer.mistake}`;
    if (mistake === null) return { ...answer, usage, ...lookedUp(providerCalls, sources) };
    if (asked >= tries) throw uselessAnswer(question.name, mistake, asked - 1);
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

function uselessAnswer(name: string, mistake: string, told: number): TactusError {
  const times = told === 0 ? '' : `, after it was told so ${told === 1 ? 'once' : `${told} times`}`;
  return new TactusError('model_call_failed', `${name}: ${mistake}${times}`);
}

interface PredictionQuestion extends Question {
  /** What it is asked of, as the log keeps it. */
  input: JsonValue;
  models: readonly (string | null)[];
  /** The prediction; throws where the answer is of no use. */
  read: (answer: ModelCallResult) => JsonValue;
}

/**
 * A language model's prediction: a checkpoint, with the call of the model in it.
 * @throws TactusError model_call_failed, budget_exhausted
 */
export function askForPrediction(
  bridge: Bridge,
  L: LuaState,
  { input, models, read, ...question }: PredictionQuestion,
): Generator<Step, JsonValue, unknown> {
  const spec = { type: 'model_predict', name: question.name, input, digest: digestOf(input) } as const;
  return checkpointed(bridge, L, spec, function* () {
    return read(yield* callModelWithRepairs(bridge, L, question, models, read));
  });
}

/**
 * The value of an answer that had to be JSON.
 * @throws TactusError model_call_failed where it is none, or nested too deep to be kept
 */
export function parseAnswer({ text, finishReason }: ModelCallResult): JsonValue {
  const value = parsed(text);
  if (value === undefined)
    throw new TactusError(
      'model_call_failed',
      `the model's answer is no JSON (it ended by ${finishReason}): ${text.slice(0, 120)}`,
    );
  if (isDeeper(value, defaultLimits.depth))
    throw new TactusError(
      'model_call_failed',
      `the model's answer is nested too deep: ${text.slice(0, 120)}`,
    );
  return value;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
