import type { CheckpointType, EffectRequest } from '../../contract/checkpoints/checkpoint.js';
import { effectDigest, effectVersion, type Effect } from '../../contract/effects/effects.js';
import type { Holds } from '../../contract/engine.js';
import type { LuaState } from '../vm/fengari.js';
import { callingLine } from '../vm/traceback.js';
import { currentFrame, nextPosition } from './task.js';

/** An effect as a primitive asks for it. */
export interface EffectAsk {
  type: CheckpointType;
  name: string;
  effect: Effect;
  /** What pages show in place of the name. */
  title?: string;
}

/** Longest name of a checkpoint: people read it in lists, and it is kept with every checkpoint. */
const maxLength = 100;

/** The name as the log has it: cut between two characters where it is long. */
export function checkpointName(name: string): string {
  if (name.length <= maxLength) return name;
  return `${name.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What is asked for, at the next position of the frame that this thread stands in. @param bytes of the effect as JSON */
export function requestOf(
  L: LuaState,
  { type, name, effect, title }: EffectAsk,
  bytes: number,
  holds: Holds,
): EffectRequest {
  const frame = currentFrame(L);
  return {
    position: nextPosition(frame),
    type,
    name: checkpointName(name),
    title: checkpointName(title ?? name),
    digest: effectDigest(effect, effectVersion(effect, holds)),
    source: callingLine(L),
    effect,
    bytes,
    group: frame.scope.group,
  };
}
