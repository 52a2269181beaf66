import type { JsonObject } from '../json/json.js';

/** How the thread waits. */
export interface InterruptOptions {
  /** Time to answer, such as `3d`; left out: for ever. Then the node gets `default`. */
  timeout?: string;
  /** Left out: a `TimeoutCommand`. */
  default?: JsonObject[string];
  /** Who may resume it; left out: anyone. */
  approvers?: string[];
}

/** What a node gets as its `resumePayload` when nobody has resumed the thread in time. */
export interface TimeoutCommand {
  type: 'TimeoutCommand';
  reason: string;
}

/** Whether a node is resumed because the time was over. */
export function isTimeoutCommand(payload: unknown): payload is TimeoutCommand {
  return (payload as Partial<TimeoutCommand> | null | undefined)?.type === 'TimeoutCommand';
}

/**
 * Thrown by a node that can't go on before somebody has said something: the thread waits. When it is resumed, the node runs again from its
 * beginning, with `resumePayload`. Nodes beside it don't.
 */
export class GraphInterrupt extends Error {
  override readonly name = 'GraphInterrupt';

  constructor(
    /** What people read. */
    readonly reason: string,
    /** What is shown with it. */
    readonly payload?: unknown,
    readonly options: InterruptOptions = {},
  ) {
    super(`Graph execution interrupted: ${reason}`);
  }
}
