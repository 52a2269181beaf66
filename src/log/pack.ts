import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import type { Trial } from '../contract/changes/trial.js';
import type { CarriedAnswers } from '../contract/runs/carried-answers.js';
import { isWithin, type Checkpoint, type Position } from '../contract/checkpoints/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import { NewerVersionError } from '../contract/engine.js';
import { cutMessage } from '../contract/text/plain-text.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../contract/json/json.js';

/** What is kept of what was asked, in bytes: of all of it, and of one of its fields. */
const longest = { input: 2_000, field: 500 } as const;

/**
 * A log as another execution needs it. Results stay whole, and the checkpoints below a closed frame stay as well: its body
 * runs again, for what it does to the state, and asks for them. What was asked is compared by its digest; it itself is for
 * people alone, and cut where it is long.
 */
function compact(log: readonly Checkpoint[]): Checkpoint[] {
  return log.map((checkpoint) =>
    jsonSize(checkpoint.input) <= longest.input
      ? checkpoint
      : { ...checkpoint, input: cutInput(checkpoint.input) },
  );
}

function cutInput(input: JsonValue): JsonValue {
  if (!isObject(input)) return cutField(input);
  const cut: JsonObject = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, cutField(value)]),
  );
  return jsonSize(cut) <= longest.input ? cut : noteOf(input);
}

function cutField(value: JsonValue): JsonValue {
  if (jsonSize(value) <= longest.field) return value;
  return typeof value === 'string' ? cutMessage(value, longest.field) : noteOf(value);
}

function noteOf(value: JsonValue): JsonObject {
  return { note: `${jsonSize(value)} bytes, left out when the run continued as new` };
}

/**
 * Of the form in which a log travels. The first is the list of its checkpoints alone: 0.1.0 takes nothing else. The third
 * may have answers beside them, and checkpoints that are recorded as a whole; the fourth snapshots; the fifth is of a run that tries a
 * source. A log is of the first of them that has a place for all that it holds.
 */
const versions = { plain: 2, withAnswers: 3, withSnapshots: 4, newest: 5 } as const;

/** What a run is started with that goes on with what is recorded. */
export interface CarriedLog {
  entries: Checkpoint[];
  /** Recorded elsewhere, and answers to what comes after the entries. */
  answers?: CarriedAnswers;
  /** The run tries a source with what another one was answered. */
  trial?: Trial;
}

interface PackedLog extends CarriedLog {
  version: number;
}

/** Compressed JSON, about a tenth of its size. `mtime` is fixed, so equal values pack equally. */
export function packJson(value: unknown): Uint8Array {
  return gzipSync(strToU8(JSON.stringify(value)), { level: 6, mtime: 0 });
}

/** A log as runs of engine 1 hand it over. */
export function packLog(log: readonly Checkpoint[]): Uint8Array {
  return packJson(log);
}

/** A log as it is handed to another execution, with what is left of the answers that it was started with. */
export function packCarried(
  log: readonly Checkpoint[],
  answers: CarriedAnswers | null = null,
  trial: Trial | null = null,
): Uint8Array {
  const packed: PackedLog = {
    version: trial === null ? versionOf(log, answers) : versions.newest,
    entries: compact(log),
    ...(answers === null ? {} : { answers }),
    ...(trial === null ? {} : { trial }),
  };
  return packJson(packed);
}

function versionOf(log: readonly Checkpoint[], answers: CarriedAnswers | null): number {
  if (log.some(({ snapshot }) => snapshot !== undefined)) return versions.withSnapshots;
  return answers === null && !log.some(({ whole }) => whole === true) ? versions.plain : versions.withAnswers;
}

/**
 * Reads the checkpoints of a log of any version.
 * @throws TactusError usage where it is anything else: only a run gives a log to itself; NewerVersionError
 */
export function unpackLog(packed: unknown): Checkpoint[] {
  return unpackCarried(packed).entries;
}

/** Reads all that a run is handed. Throws as `unpackLog` does. */
export function unpackCarried(packed: unknown): CarriedLog {
  const read = readPacked(packed);
  if (Array.isArray(read)) return { entries: read };
  if (read.version > versions.newest)
    throw new NewerVersionError('The carried log', read.version, versions.newest);
  return read;
}

function readPacked(packed: unknown): Checkpoint[] | PackedLog {
  try {
    // Not by `instanceof`: what the SDK hands in was made outside of the workflow's realm.
    if (!ArrayBuffer.isView(packed)) throw new TypeError('it is no data');
    const read = JSON.parse(strFromU8(gunzipSync(packed as Uint8Array))) as Checkpoint[] | PackedLog | null;
    if (Array.isArray(read) || typeof read?.version === 'number') return read;
    throw new TypeError('it is no list of checkpoints');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('usage', `The workflow takes one argument; its second is no packed log: ${reason}`);
  }
}

/**
 * The beginning of a log, for a run that goes another way from a checkpoint on. Whatever is asked for builds on what had
 * ended before, so a log that is cut anywhere is the log of a run. Gives null where the log has no such checkpoint.
 * @param set what the checkpoint has come to instead; left out: it, and all that is part of it, is asked for anew
 * @throws TactusError usage where what was recorded before it is known by a snapshot alone
 */
export function fork(log: readonly Checkpoint[], at: Position, set?: JsonValue): Checkpoint[] | null {
  const end = log.findIndex(({ position }) => position === at);
  const recorded = log[end];
  if (recorded === undefined) return null;
  const { snapshot } = recorded;
  if (set === undefined && snapshot !== undefined && snapshot.frame !== at)
    throw new TactusError(
      'usage',
      `The log of this execution begins at the snapshot after ${at}: what ${snapshot.frame} did before it can't be done anew from here. Choose a later position`,
    );
  // Its body runs again, and asks for what is part of it: that stays.
  if (set !== undefined) return [...log.slice(0, end), { ...recorded, outcome: { ok: true, value: set } }];
  return log.slice(
    0,
    log.findIndex(({ position }) => isWithin(position, at)),
  );
}
