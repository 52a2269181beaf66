import type { Effect, EffectKind } from '../../contract/effects/effects.js';
import { getOwn, type JsonValue } from '../../contract/json/json.js';
import type { EffectPerformer } from './effect-kind.js';
import { definitions } from './all.generated.js';
import type { Keeper } from './keeper.js';
import type { Sequence } from '../sequence.js';

const performers = new Map<EffectKind, EffectPerformer<Effect>>(
  definitions.map((each) => [each.kind, each as unknown as EffectPerformer<Effect>]),
);

/** What performs an effect. */
export function performerOf<E extends Effect>({ kind }: E): EffectPerformer<E> {
  return performers.get(kind) as unknown as EffectPerformer<E>;
}

/** Makes what kinds of effects keep for a run, of what the execution before handed over. */
export function keepersOf(sequence: Sequence, handed: Record<string, JsonValue>): Map<EffectKind, Keeper> {
  const keepers = new Map<EffectKind, Keeper>();
  for (const [kind, performer] of performers) {
    const keeper = performer.keeper?.(sequence, getOwn(handed, kind) ?? null);
    if (keeper !== undefined) keepers.set(kind, keeper);
  }
  return keepers;
}

/** What another execution is handed of it. */
export function handedOver(keepers: ReadonlyMap<EffectKind, Keeper>): Record<string, JsonValue> {
  const handed: Record<string, JsonValue> = {};
  for (const [kind, keeper] of keepers) {
    const kept = keeper.handOver();
    if (kept !== null) handed[kind] = kept;
  }
  return handed;
}
