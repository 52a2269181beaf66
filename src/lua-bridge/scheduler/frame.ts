import { TactusError } from '../../contract/errors.js';
import { childPosition, type Position } from '../../contract/checkpoints/position.js';
import type { Scope } from './scope.js';
import type { LuaState } from '../vm/fengari.js';

/** A place in the run that counts checkpoints: the run itself, a step, an agent's turn, a branch. */
export interface Frame {
  position: Position;
  /** Index of the next checkpoint in it. */
  next: number;
  /** The frame that was open in the same thread before. */
  below: Frame | null;
  scope: Scope;
}

export function newFrame(position: Position, scope: Scope): Frame {
  return { position, next: 0, below: null, scope };
}

/** Where the next checkpoint will be. */
export function upcomingPosition(frame: Frame): Position {
  return childPosition(frame.position, frame.next);
}

export function nextPosition(frame: Frame): Position {
  return childPosition(frame.position, frame.next++);
}

/**
 * The frame that code in this thread stands in. A coroutine of the author's stands in the frame that it opened
 * itself, else in that of whoever resumed it.
 */
export function currentFrame(thread: LuaState): Frame {
  for (let L: LuaState | null = thread; L !== null; L = L.resumer)
    if (L.frame !== null) return L.frame as Frame;
  throw new Error('a thread runs outside of every task');
}

/** @throws TactusError lua_error where frames stand in each other without end: a step or branch that opens itself */
export function checkNesting({ position }: Frame, limit: number): void {
  if (position.split('.').length > limit)
    throw new TactusError(
      'lua_error',
      `steps, branches and calls are nested over ${limit} deep; is this recursion endless?`,
    );
}

export function openFrame(thread: LuaState, frame: Frame): void {
  frame.below = thread.frame as Frame | null;
  thread.frame = frame;
}

export function closeFrame(thread: LuaState, frame: Frame): void {
  thread.frame = frame.below;
}
