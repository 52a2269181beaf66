import type { LocalAnswer } from '../../activities/local-answer.js';
import type { Effect, EffectRequest, EffectKind } from '../../contract/effects.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { EffectContext } from './context.js';
import { performFile } from './file.js';
import { performHuman } from './human.js';
import { performModelCall } from './model-call.js';
import { performPrediction } from './predict.js';
import { performProcedure } from './procedure.js';
import { performSleep } from './sleep.js';

/** The code that an effect's failure has when it brings none of ours. */
export const failureCodes: Record<EffectKind, ErrorCode> = {
  model_call: 'model_call_failed',
  predict: 'predict_failed',
  human: 'human_request_invalid',
  sleep: 'internal',
  file: 'file_failed',
  procedure: 'child_failed',
};

/**
 * What takes milliseconds and runs in the worker that has the workflow, as a local activity. A run has one of them at a
 * time and looks at nothing else meanwhile: the SDK may tell of a local activity's end together with events that come
 * after it, and before them when the run is replayed.
 */
export function isLocal(effect: Effect): boolean {
  return effect.kind === 'file' || (effect.kind === 'predict' && effect.prediction.backend.type === 'mock');
}

/** What runs in any worker: a run that continues as new waits until it has ended. */
export function isRemoteActivity(effect: Effect): boolean {
  return !isLocal(effect) && (effect.kind === 'model_call' || effect.kind === 'predict');
}

/** Performs one effect with Temporal. */
export async function perform(
  context: EffectContext,
  { position, name, effect }: EffectRequest,
): Promise<LocalAnswer<JsonValue>> {
  switch (effect.kind) {
    case 'file':
      return performFile(context, position, effect);
    case 'predict':
      return performPrediction(context, position, effect.prediction);
    case 'model_call':
      return answerOf(await performModelCall(context, position, effect.call));
    case 'human':
      return answerOf(await performHuman(context, position, effect.ask));
    case 'sleep':
      return answerOf(await performSleep(context, position, effect.ms, name));
    case 'procedure':
      return answerOf(await performProcedure(context, position, effect.file, effect.input));
  }
}

/** An answer that came with an event: the time of its workflow task is the same whenever it is replayed. */
function answerOf(value: unknown): LocalAnswer<JsonValue> {
  return { value: value as JsonValue, at: Date.now() };
}
