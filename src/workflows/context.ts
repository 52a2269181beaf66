import type { EffectKind } from '../contract/effects/effects.js';
import type { Limits } from '../contract/runs/limits.js';
import type { Position } from '../contract/checkpoints/position.js';
import type { Usage } from '../contract/models/model-call.js';
import type { Conversations } from './models/conversations.js';
import type { ChildWorkflows } from './runs/child-workflows.js';
import type { EffectState } from './effects/open-effect.js';
import type { SourcedStart } from './procedures/find-source.js';
import type { Inbox } from './inbox.js';
import type { LocalWork } from './effects/local-work.js';
import type { Sequence } from './sequence.js';
import type { JsonValue } from '../contract/json/json.js';

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
