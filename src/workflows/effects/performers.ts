import type { Effect, EffectKind } from '../../contract/effects/effects.js';
import type { Holds } from '../../contract/engine.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import type { EffectPerformer, EffectState } from './effect-kind.js';
import { definitions } from './all.generated.js';
import type { Sequence } from '../sequence.js';

const performers = new Map<EffectKind, EffectPerformer<Effect>>(
  // eslint-disable-next-line no-restricted-syntax -- a performer is only given effects of its own kind
  definitions.map((each) => [each.kind, each as unknown as EffectPerformer<Effect>]),
);

/** What performs an effect. */
export function performerOf<E extends Effect>({ kind }: E): EffectPerformer<E> {
  // eslint-disable-next-line no-restricted-syntax -- a performer is only given effects of its own kind
  return performers.get(kind) as unknown as EffectPerformer<E>;
}

/** Makes what kinds of effects keep for a run, of what the execution before handed over. */
export function openStates(
  sequence: Sequence,
  handed: Record<string, JsonValue>,
  holds: Holds,
): Map<EffectKind, EffectState> {
  const states = new Map<EffectKind, EffectState>();
  for (const [kind, performer] of performers) {
    const state = performer.openState?.(sequence, getOwn(handed, kind) ?? null, holds);
    if (state !== undefined) states.set(kind, state);
  }
  return states;
}

/** What another execution is handed of it. */
export function handedOver(states: ReadonlyMap<EffectKind, EffectState>): Record<string, JsonValue> {
  const handed: Record<string, JsonValue> = {};
  for (const [kind, state] of states) {
    const kept = state.handOver();
    if (kept !== null) handed[kind] = kept;
  }
  return handed;
}
