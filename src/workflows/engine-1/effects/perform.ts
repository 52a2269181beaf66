import type { EffectRequest } from '../../../contract/effects/effect-request.js';
import type { Effect } from '../../../contract/effects/effects.js';
import type { EffectContext } from './context.js';
import { performCancelChild, performChildren } from './children.js';
import { performDefer } from './defer.js';
import { performHttp } from './http.js';
import { performHuman } from './human.js';
import { performModelCall } from './model-call.js';
import { performPrediction } from './predict.js';
import { performProcedure, performSpawn } from './procedure.js';
import { isLocal } from './perform-locally.js';
import { performSleep } from './sleep.js';

/** The kinds that engine 1 knows: what came later, runs of it can't ask for. */
type EffectOfEngine1 = Extract<
  Effect,
  {
    kind:
      | 'model_call'
      | 'predict'
      | 'http'
      | 'human'
      | 'sleep'
      | 'file'
      | 'procedure'
      | 'spawn'
      | 'children'
      | 'cancel_child'
      | 'defer';
  }
>;

/** What runs in any worker: a run that continues as new waits until it has ended. */
export function isRemoteActivity(effect: Effect): boolean {
  return !isLocal(effect) && ['model_call', 'predict', 'http'].includes(effect.kind);
}

/** Performs an effect that takes its time with Temporal: local activities are none. */
export function perform(context: EffectContext, request: EffectRequest): Promise<unknown> {
  const { position, name } = request;
  const effect = request.effect as EffectOfEngine1;
  switch (effect.kind) {
    case 'predict': {
      const { backend } = effect.prediction;
      if (backend.type === 'http')
        return performPrediction(context, position, effect.prediction, backend.timeoutMs);
      throw new TypeError('a mock prediction is a local activity');
    }
    case 'model_call':
      return performModelCall(context, position, effect.call);
    case 'http':
      return performHttp(context, position, name, effect.request);
    case 'human':
      return performHuman(context, position, effect.ask);
    case 'sleep':
      return performSleep(context, position, effect.ms, name);
    case 'procedure':
      return performProcedure(context, position, effect.file, effect.input);
    case 'spawn':
      return performSpawn(context, position, effect.file, effect.input);
    case 'children':
      return performChildren(context, position, effect);
    case 'cancel_child':
      return performCancelChild(context, effect.id);
    case 'defer':
      return performDefer(context, effect.resumeAt, `${name}: ${effect.reason}`);
    case 'file':
      throw new TypeError('a file is read and written by a local activity');
  }
}
