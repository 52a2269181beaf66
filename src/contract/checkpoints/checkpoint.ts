import type { Effect, EffectType } from '../effects/effects.js';
import { isErrorCode, type ErrorCode } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { RunUsage, Spent } from '../models/model-call.js';
import type { Snapshot } from './snapshot.js';

/** What groups other checkpoints, or is recorded without asking for anything. */
export const frameTypes = [
  'agent_turn',
  'compaction',
  'tool_call',
  'procedure_call',
  'explicit_checkpoint',
  'step',
  'parallel',
  /** A change of the session's plan. */
  'plan',
  'graph',
  'super_step',
  'graph_node',
  /** A round of a durable loop. */
  'round',
  /** Which variant of an experiment the run has. */
  'experiment',
  /** How good the procedure finds itself. */
  'score',
] as const;

/** What a checkpoint was made by; the `type` of `log --json`. */
export type CheckpointType = (typeof frameTypes)[number] | EffectType;

export interface SourceLine {
  file: string;
  line: number;
}

/** How an effect or a frame ended. */
export type Outcome = (
  | { ok: true; value: JsonValue }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      /** Of another run: people were asked there what becomes of it, and gave up. */
      givenUp?: true;
    }
) & {
  /** What models were paid for it, where the value doesn't say: of what failed, and of other runs. */
  usage?: RunUsage;
  /** What has become known by then of what was used for others, for which nobody waits any more. */
  spent?: Spent[];
};

/** What a saga takes back where it fails; what is done at the end of a part in any case; what people are asked who say what becomes of a failure. */
export type FollowUp = 'compensation' | 'deferred' | 'question';

/** One performed effect or closed frame, with its recorded result. The carried log is a list of these. */
export interface Checkpoint {
  position: Position;
  type: CheckpointType;
  /** Reads well and is stable: `research.agent_1`, `charge`, the request's message. */
  name: string;
  /** Digest of what was asked; a replay that asks for something else is refused. Empty for frames. */
  digest: string;
  outcome: Outcome;
  /** When it ended, in ms since 1970: the procedure's clock after it. */
  at: number;
  durationMs: number;
  source: SourceLine | null;
  /** What was asked, for people; cut where it is long. */
  input: JsonValue;
  /** It was done, or asked, when the part around it was over; left out of anything else. */
  followUp?: FollowUp;
  /** A frame of which nothing but its end is recorded: its body isn't run again. */
  whole?: true;
  /** What the procedure had come to by then: it stands for what was recorded in the snapshot's frame before. */
  snapshot?: Snapshot;
}

/** Whether something that came from outside is an outcome: its value, or its code and message, are there. */
export function isOutcome(given: unknown): given is Outcome {
  if (typeof given !== 'object' || given === null) return false;
  const { ok, value, code, message } = given as Record<string, unknown>;
  if (ok === true) return value !== undefined;
  return ok === false && typeof code === 'string' && isErrorCode(code) && typeof message === 'string';
}

/** An effect that Lua waits for, at its position. */
export interface EffectRequest {
  position: Position;
  type: CheckpointType;
  name: string;
  /** What pages call it: the name, or more than that. Nothing compares it. */
  title: string;
  digest: string;
  source: SourceLine | null;
  effect: Effect;
  /** Size of the effect as JSON. */
  bytes: number;
  group: EffectGroup | null;
}

/** The step, turn or call that an effect is part of. */
export interface EffectGroup {
  position: Position;
  name: string;
}

/** Where a checkpoint stands in its run: `3`, or `4.0.2` inside step 4, branch 0. */
export type Position = string;

export function childPosition(parent: Position, index: number): Position {
  return parent === '' ? String(index) : `${parent}.${index}`;
}

/** The frame that a position stands in: `4.0` of `4.0.2`, nothing of `4`. */
export function outerPosition(position: Position): Position {
  return position.slice(0, Math.max(0, position.lastIndexOf('.')));
}

/** Its index there: 2 of `4.0.2`. */
export function ownIndex(position: Position): number {
  return Number(position.slice(position.lastIndexOf('.') + 1));
}

/** Orders positions as people read them: `4` before `4.0` before `4.0.2` before `4.10` before `5`. */
export function comparePositions(a: Position, b: Position): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Where it is at the top level: 4 of `4.0.2`. */
export function topIndex(position: Position): number {
  return Number.parseInt(position);
}

/** Whether a position is another one, or inside of it. */
export function isWithin(position: Position, outer: Position): boolean {
  return position === outer || position.startsWith(`${outer}.`);
}
