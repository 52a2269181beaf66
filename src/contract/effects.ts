import type { CheckpointType, SourceLine } from './checkpoint.js';
import type { HttpRequest } from './http-request.js';
import type { HumanAsk } from './human-request.js';
import type { JsonValue } from './json.js';
import type { ModelCall } from './model-call.js';
import type { Position } from './position.js';
import type { Prediction } from './prediction.js';

/** What Lua asks of the outside. Each kind has one performer in `workflows/effects/`. */
export type Effect =
  | { kind: 'model_call'; call: ModelCall }
  | { kind: 'predict'; prediction: Prediction }
  | { kind: 'http'; request: HttpRequest }
  | { kind: 'human'; ask: HumanAsk }
  | { kind: 'sleep'; ms: number }
  | FileEffect
  | { kind: 'procedure'; file: string; input: JsonValue }
  | { kind: 'spawn'; file: string; input: JsonValue }
  | { kind: 'children'; ids: string[]; until: ChildrenUntil; timeoutMs: number | null }
  | { kind: 'cancel_child'; id: string }
  | { kind: 'defer'; key: string; resumeAt: string; reason: string };

/** One operation on a file of the worker. */
export interface FileEffect {
  kind: 'file';
  operation: 'read' | 'write' | 'exists' | 'size';
  path: string;
  content?: string;
  /** Where the path begins, as the run was told of its procedure's folder; left out: where all files are. */
  folder?: string;
}

/** How long child runs are waited for: not at all, until one of them has ended, or until all have. */
export type ChildrenUntil = 'now' | 'any' | 'all';

export type EffectKind = Effect['kind'];

/** An effect that Lua waits for, at its position. */
export interface EffectRequest {
  position: Position;
  type: CheckpointType;
  name: string;
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
