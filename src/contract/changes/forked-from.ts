import type { Position } from '../checkpoints/checkpoint.js';
import { isObject, type JsonValue } from '../json/json.js';
import type { ChangeRecord } from './run-change.js';

/** The run whose log a fork begins with, and the checkpoint from which it goes its own way. */
export interface ForkedFrom {
  run_id: string;
  at: Position;
}

/** Key of the memo of a fork, which is read without a worker. */
export const forkMemo = 'forked_from';

/** Where a run comes from, by its changes; undefined: it is no fork. Of a fork of a fork, the one that it was made from. */
export function forkedFrom(changes: readonly ChangeRecord[] | undefined): ForkedFrom | undefined {
  const fork = changes?.findLast(({ kind }) => kind === 'fork');
  return fork?.run === undefined || fork.position === undefined
    ? undefined
    : { run_id: fork.run, at: fork.position };
}

/** Reads the memo; undefined where it has nothing of the kind. */
export function readForkedFrom(given: unknown): ForkedFrom | undefined {
  if (!isObject(given as JsonValue)) return undefined;
  const { run_id, at } = given as Record<string, unknown>;
  return typeof run_id === 'string' && typeof at === 'string' ? { run_id, at } : undefined;
}

/** `forked from release-7 at 2`. */
export function forkText({ run_id, at }: ForkedFrom): string {
  return `forked from ${run_id} at ${at}`;
}
