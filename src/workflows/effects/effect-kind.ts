import type { LocalAnswer } from '../../contract/activities.js';
import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { Position } from '../../contract/checkpoints/position.js';
import type { Effect, EffectKind, WaitKind } from '../../contract/effects/effects.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { Limits } from '../../contract/runs/limits.js';
import type { EffectState, OpenEffect } from './open-effect.js';
import type { Conversations, LocalWork, SourcedStart } from './local-work.js';
import type { Sequence } from '../sequence.js';
import type { Inbox } from '../inbox.js';
import type { Usage } from '../../contract/models/model-call.js';
import type { ChildWorkflows } from '../runs/child-workflows.js';

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

/** What one execution of a run shares with those who perform its effects. */
export interface RunContext {
  readonly engine: number;
  readonly runId: string;
  readonly firstExecutionId: string;
  readonly start: SourcedStart;
  readonly limits: Limits;
  readonly sequence: Sequence;
  readonly localWork: LocalWork;
  readonly inbox: Inbox;
  readonly children: ChildWorkflows;
  /** When what the procedure was told last came, in ms since 1970: a replay has the same, other than `Date.now()`. */
  readonly clock: { now: number };
  readonly now: () => number;
  /** Other runs are looked at from time to time. */
  readonly watches: { underWay: number; isParentWatched: boolean };
  usage: Usage;
  /** Counts what was used for an effect that was given up, or by a run that was cancelled. */
  countLate: (position: Position, usage: Usage) => void;
  readonly conversations: Conversations;
  /** What kinds of effects keep for the run; see `EffectPerformer`. */
  readonly kept: Map<EffectKind, EffectState>;
}

/** The same at every attempt of an effect, and for no other one. */
export function idempotencyKey(
  { runId, firstExecutionId }: { runId: string; firstExecutionId: string },
  position: string,
): string {
  return `${runId}/${firstExecutionId}/${position}`;
}

/** What the workflow that runs a procedure is given, and gives: the start, and the packed log of the execution before. */
export type TactusWorkflow = (given: unknown, packed?: unknown) => Promise<JsonValue>;
