import type { CheckpointType, SourceLine } from '../checkpoints/checkpoint.js';
import type { Effect } from './effects.js';
import type { Position } from '../checkpoints/position.js';

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
