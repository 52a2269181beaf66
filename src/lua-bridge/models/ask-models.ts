import { TactusError, type ErrorCode } from '../../contract/errors.js';
import type { ModelCall, ModelCallResult } from '../../contract/models/model-call.js';
import { providerOfModel } from '../../contract/models/provider-of-model.js';
import { runnerOf } from '../../contract/models/provider-tool.js';
import { afford } from '../budgets/afford.js';
import { isEffect, type IsRecorded } from '../budgets/is-recorded.js';
import { callNeed } from '../budgets/call-need.js';
import { leftOf } from '../budgets/run-budgets.js';
import type { Bridge } from '../kernel/bridge.js';
import { currentFrame } from '../scheduler/frame.js';
import type { Step } from '../scheduler/native.js';
import type { LuaState } from '../vm/fengari.js';

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

export interface Question {
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
export function* askModels(
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
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
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
