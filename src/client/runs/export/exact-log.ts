import { gunzipSync } from 'node:zlib';
import type { Checkpoint } from '../../../contract/checkpoints/checkpoint.js';
import type { CarriedAnswers } from '../../../contract/runs/carried-answers.js';
import type { HandedWork } from '../../../contract/runs/handed-work.js';
import { isObject, type JsonObject } from '../../../contract/json/json.js';
import type { RunStarted } from '../../../contract/runs/run-started.js';
import { packJson } from '../../../log/pack.js';

/** All that a run goes on by: what it was started with, and its log as it is. */
export interface ExactLog {
  started: RunStarted;
  entries: Checkpoint[];
  /** Recorded elsewhere, and not asked for yet. */
  answers?: CarriedAnswers;
  /** What people have done for the run, and no checkpoint has; left out by versions that didn't export it. */
  work?: HandedWork;
}

/** Of what stands in the record. */
const version = 1;
const key = 'tactus_temporal';

/**
 * The log as part of a record of Tactus's, which has a field that nothing there reads: `lua_state`. Its own log holds integers
 * and the top level alone, and no digests, of which no run could go on safely.
 */
export function toLuaState(exact: ExactLog): JsonObject {
  return { [key]: { version, log: Buffer.from(packJson(exact)).toString('base64') } };
}

/** The log that is in a record, null where there is none; a text is the reason why it can't be read. */
export function exactLogIn(luaState: JsonObject): ExactLog | null | string {
  const kept = luaState[key];
  if (kept === undefined) return null;
  if (!isObject(kept) || typeof kept['version'] !== 'number' || typeof kept['log'] !== 'string')
    return `its lua_state.${key} has no version and log`;
  if (kept['version'] > version)
    return `its lua_state.${key} has version ${kept['version']}, and none after ${version} is known: a newer version of tactus-temporal wrote it`;
  try {
    return JSON.parse(gunzipSync(Buffer.from(kept['log'], 'base64')).toString()) as ExactLog;
  } catch (error) {
    return `its lua_state.${key} is damaged (${error instanceof Error ? error.message : ''})`;
  }
}
