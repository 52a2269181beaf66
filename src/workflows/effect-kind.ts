import type { LocalAnswer } from '../activities/local-answer.js';
import type { Outcome } from '../contract/checkpoint.js';
import type { Effect } from '../contract/effects.js';
import type { Wait } from '../contract/status.js';
import type { RunContext } from './context.js';
import type { OpenEffect, Traits } from './open-effect.js';

/** All that this room knows of one kind of effect. */
export interface EffectKindOf<E extends Effect> extends Traits {
  /** A worker is at it until it has ended: another execution can't take over meanwhile. */
  readonly isRemote: boolean;
  /** Begins it; it is answered now, or when something had its turn. */
  perform(context: RunContext, opened: OpenEffect, effect: E): void;
  /** Performs it in the worker that has the workflow, where that is quick; else left out or null. */
  performLocally?(
    context: RunContext,
    opened: OpenEffect,
    effect: E,
  ): (() => Promise<LocalAnswer<Outcome>>) | null;
  /** Bytes that beginning it puts into a workflow task, where they are more than what was asked. */
  bytes?(context: RunContext, effect: E): number;
  /** Nobody waits for it any longer. */
  givenUp?(context: RunContext, position: string): void;
  /** The procedure has its answer: what another execution would have to know of it is dropped. */
  told?(context: RunContext, position: string, effect: E, outcome: Outcome): void;
  /** What the status says of the wait beside its kind. */
  shown?(context: RunContext, position: string, effect: E): Partial<Wait>;
}
