import type { Fault } from '../retries/failures.js';

/**
 * Thrown by a tool that has done nothing, and would do nothing if it were called again in the same way: its message is for
 * the model, or whoever called. Nothing is tried again, and a `once` call is settled by it.
 */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** Thrown where a tool has taken a call, and goes on with it by itself; it is asked for the end by this id. */
export class TaskStarted extends Error {
  override readonly name = 'TaskStarted';
  constructor(readonly task: string) {
    super('the tool goes on by itself');
  }
}

/** Thrown where a tool can't go on before people have answered; nothing is done yet. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  constructor(
    /** By the names that the tool gives them. */
    readonly requests: Readonly<Record<string, unknown>>,
    /** What the tool wants back with the answers. */
    readonly state: string | null,
    /** By which an agent knows what it was at. */
    readonly task: string | null = null,
  ) {
    super('the tool asks people before it goes on');
  }
}

/** Thrown where a call was refused for now, and nothing was done: it may be made again. */
export class NotDone extends Error {
  override readonly name = 'NotDone';

  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}
