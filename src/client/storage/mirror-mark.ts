import { isObject, type JsonValue } from '../../contract/json/json.js';

/** What a record says that is the copy of a run: of which, and how far the run had come, as its `RunVersion` does. */
// A type, not an interface: only these can be handed on as JSON objects.
export type MirrorMark = {
  /** Id of the namespace, as the server made it: names are given to several. */
  namespace: string;
  /** The Temporal execution. */
  execution: string;
  /** When that execution began to be worked on, in ms since 1970; the server's word is when it was started. */
  began: number;
  /** Events of its history up to its last workflow task. */
  length: number;
  /** Counts what changed within that task. */
  step: number;
  /** The server has said that the run is over. */
  over: boolean;
  /** Entries before the last are missing, as the run couldn't be asked for them. */
  partial?: true;
};

/** A mark as a record has it; null where it has none, as nobody but the mirror writes any. */
export function readMark(value: JsonValue | undefined): MirrorMark | null {
  if (value === undefined || !isObject(value)) return null;
  const { namespace, execution, began, length, step, over } = value;
  const isMark =
    [namespace, execution].every((each) => typeof each === 'string') &&
    [began, length, step].every((each) => typeof each === 'number') &&
    typeof over === 'boolean';
  return isMark ? (value as MirrorMark) : null;
}

/**
 * Whether what has one mark was told before what has the other. Executions follow each other by when they began, whether they
 * continue a run or use its id again. Nothing that an execution tells comes after its end, also what it told in a workflow task that the server
 * never took. What is whole of a task comes after what is not. Two that began at once have no order: somebody has reset a run. Within an execution its
 * beginning says nothing: as long as no workflow task was completed, each attempt at the first has one of its own.
 */
export function isBefore(one: MirrorMark | null, other: MirrorMark | null): boolean {
  if (one === null || other === null) return false;
  if (one.execution !== other.execution) return one.began < other.began;
  if (one.over !== other.over) return other.over;
  if (one.length !== other.length) return one.length < other.length;
  if (one.partial !== other.partial) return one.partial === true;
  return one.step < other.step;
}
