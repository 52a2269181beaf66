import type { LocalAnswer } from '../../contract/activities.js';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Effect, EffectKind, WaitKind } from '../../contract/effects/effects.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { RunContext } from '../context.js';
import type { EffectState, OpenEffect } from './open-effect.js';
import type { Sequence } from '../sequence.js';

/** How Temporal performs one kind of effect; what it is, its file of the same name in `contract` says. */
export interface EffectPerformer<E extends Effect> {
  /** Begins it; it is answered now, or when something had its turn. */
  perform(context: RunContext, opened: OpenEffect, effect: E): void;
  /** Performs it in the worker that has the workflow, where that is quick; else left out or null. */
  performLocally?(
    context: RunContext,
    opened: OpenEffect,
    effect: E,
  ): (() => Promise<LocalAnswer<Outcome>>) | null;
  /** It changes something outside, whatever the effects before it have read of it. Left out: it does not. */
  changes?(effect: E): boolean;
  /** Bytes that beginning it puts into a workflow task, where they aren't those of what was asked. */
  bytes?(context: RunContext, effect: E): number | null;
  /** Nobody waits for it any longer. */
  givenUp?(context: RunContext, position: string): void;
  /** The procedure has its answer: what another execution would have to know of it is dropped. */
  told?(context: RunContext, position: string, effect: E, outcome: Outcome): void;
  /** The kind of the wait, where it isn't that of the definition. */
  wait?(effect: E): WaitKind;
  /** What the status says of the wait beside that. */
  shown?(context: RunContext, position: string, effect: E): Pick<Wait, 'runs' | 'resume_at'>;
  /**
   * Makes what the kind keeps for the run beside its open effects, of what was handed over; left out: nothing. Signals
   * that it takes it must take from now on, to have them in the order of history.
   */
  openState?(sequence: Sequence, handed: JsonValue | null): EffectState;
}

type EffectOf<K extends EffectKind> = Extract<Effect, { kind: K }>;

export function performing<const K extends EffectKind>(
  kind: K,
  performer: EffectPerformer<EffectOf<K>>,
): EffectPerformer<EffectOf<K>> & { readonly kind: K } {
  return { ...performer, kind };
}
