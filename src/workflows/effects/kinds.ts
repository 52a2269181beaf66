import type { Effect, EffectKind } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';
import { cancelChild, children } from './children.js';
import { defer } from './defer.js';
import { file } from './file.js';
import { http } from './http.js';
import { human } from './human.js';
import { modelCall } from './model-call.js';
import { predict } from './predict.js';
import { procedure, spawn } from './procedure.js';
import { sleep } from './sleep.js';

const kinds: { [K in EffectKind]: EffectKindOf<Extract<Effect, { kind: K }>> } = {
  model_call: modelCall,
  predict,
  http,
  human,
  sleep,
  file,
  procedure,
  spawn,
  children,
  cancel_child: cancelChild,
  defer,
};

/** What performs an effect. */
export function kindOf<E extends Effect>({ kind }: E): EffectKindOf<E> {
  return kinds[kind] as unknown as EffectKindOf<E>;
}
