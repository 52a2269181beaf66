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

/** Kinds that run in a worker: a run that continues as new waits until they have ended. */
export function isActivity(kind: EffectKind): boolean {
  return kind === 'model_call' || kind === 'predict' || kind === 'file';
}

/** What takes milliseconds and runs in the worker that has the workflow, as a local activity. */
export function isLocal(effect: Effect): boolean {
  return effect.kind === 'file' || (effect.kind === 'predict' && effect.prediction.backend.type === 'mock');
}

/** Performs one effect with Temporal. */
export async function perform(
  context: EffectContext,
  { position, name, effect }: EffectRequest,
): Promise<JsonValue> {
  switch (effect.kind) {
    case 'model_call':
      return (await performModelCall(context, position, effect.call)) as unknown as JsonValue;
    case 'predict':
      return (await performPrediction(context, position, effect.prediction)) as unknown as JsonValue;
    case 'human':
      return (await performHuman(context, position, effect.ask)) as unknown as JsonValue;
    case 'sleep':
      return performSleep(context, position, effect.ms, name);
    case 'file':
      return performFile(context, position, effect);
    case 'procedure':
      return performProcedure(context, position, effect.file, effect.input);
  }
}
