import type { Checkpoint, Position } from '../../contract/checkpoints/checkpoint.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { isDraft, type Draft } from '../procedures/share-link.js';
import { isSource, type ProcedureSource } from '../../contract/procedures/source.js';

/** A run as the browser keeps it. Its log is all that it needs to continue: nothing of Lua is stored. */
export interface RunRecord {
  runId: string;
  source: ProcedureSource;
  input: JsonObject;
  seed: string;
  /** In ms since 1970. */
  startedAt: number;
  /** Recorded results, in the order in which they ended. */
  log: Checkpoint[];
  /** When each open timer ends, in ms since 1970, by its position. */
  ends: Record<Position, number>;
  /** How often the scripted model was called for this run. */
  modelCalls: number;
  /** Which line of the script answers each call of the model, by its position: a call that is made again gets the same. */
  lines: Record<Position, number>;
  /** The run and the position that this one was forked from; null: none. */
  forkedFrom: { runId: string; at: Position } | null;
}

/** Where a record is kept: `localStorage`. */
export type RunStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const key = 'tactus-playground-run';
const draftKey = 'tactus-playground-draft';

/** Keeps a record. A browser without room for it says so by `onTrouble`, and the run continues. */
export function keepRecord(
  storage: RunStorage,
  record: RunRecord,
  onTrouble: (problem: string) => void,
): void {
  try {
    storage.setItem(key, JSON.stringify(record));
  } catch (error) {
    onTrouble(
      `This run can't be kept: ${error instanceof Error ? error.message : String(error)}. It is lost when you leave the page.`,
    );
  }
}

/** @returns null where nothing is kept, or what is kept is no record */
export function readRecord(storage: RunStorage): RunRecord | null {
  return readKept(storage, key, isRecord);
}

/** Keeps what the person edits. Whoever has no room for it only loses it when they leave the page. */
export function keepDraft(storage: RunStorage, draft: Draft): void {
  try {
    storage.setItem(draftKey, JSON.stringify(draft));
  } catch {
    // The record says so already where there is a run.
  }
}

export function readDraft(storage: RunStorage): Draft | null {
  return readKept(storage, draftKey, isDraft);
}

function readKept<T>(storage: RunStorage, name: string, is: (given: unknown) => given is T): T | null {
  try {
    const given = JSON.parse(storage.getItem(name) ?? 'null') as unknown;
    return is(given) ? given : null;
  } catch {
    return null;
  }
}

export function dropRecord(storage: RunStorage): void {
  storage.removeItem(key);
}

function isRecord(given: unknown): given is RunRecord {
  if (!isObject(given as JsonValue)) return false;
  const { runId, source, input, seed, startedAt, log, ends, lines, modelCalls } = given as Record<
    string,
    unknown
  >;
  return (
    [runId, seed].every((each) => typeof each === 'string') &&
    [startedAt, modelCalls].every((each) => typeof each === 'number') &&
    isSource(source) &&
    isObject(input as JsonValue) &&
    isObject(ends as JsonValue) &&
    isObject(lines as JsonValue) &&
    Array.isArray(log)
  );
}
