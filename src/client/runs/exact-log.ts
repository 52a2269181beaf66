import { QueryNotRegisteredError } from '@temporalio/client';
import { gunzipSync } from 'node:zlib';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { CarriedAnswers } from '../../contract/runs/carried-answers.js';
import { defined, isObject, type JsonObject } from '../../contract/json/json.js';
import type { HandedWork, RunStarted } from '../../contract/runs/start-input.js';
import { packJson, unpackCarried, type CarriedLog } from '../../log/pack.js';
import { TactusError } from '../../contract/errors.js';
import { queryNames } from '../../contract/names.js';
import type { TactusRun } from '../tactus-run.js';
import { queryRun } from './messages.js';
import { toRunFailure } from './run-errors.js';

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

/**
 * All that a run goes on by, however large its log is.
 * @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large where what it was started with is
 *   too large for an answer
 */
export async function readExactLog(run: TactusRun): Promise<ExactLog> {
  const started = await readShownStart(run);
  const work = await readHanded(run);
  return { started, ...(await readCheckpoints(run)), ...(work === null ? {} : { work }) };
}

/** What a run was started with. @throws TactusError usage where its content isn't shown; run_not_found; payload_too_large */
export async function readShownStart(run: TactusRun): Promise<RunStarted> {
  const started = await run.started();
  if (started.start.settings?.showContent === false)
    throw new TactusError(
      'usage',
      `${run.runId} was started with show_content: false; its inputs and answers can't be read`,
    );
  return started;
}

/** Its checkpoints as they are, and answers that were recorded elsewhere and that it hasn't asked for. */
export async function readCheckpoints(run: TactusRun): Promise<CarriedLog> {
  const entries: Checkpoint[] = [];
  for (;;) {
    const page = unpackCarried(await run.checkpointsPage(entries.length));
    for (const entry of page.entries) entries.push(entry);
    const { answers } = page;
    if (page.entries.length === 0) return { entries, ...defined({ answers }) };
  }
}

/**
 * Reads what people have done for a run, and no checkpoint has; null where its worker is of a version that doesn't tell.
 * @throws TactusError run_not_found; payload_too_large
 */
export async function readHanded({ handle, runId }: TactusRun): Promise<HandedWork | null> {
  let packed: Uint8Array;
  try {
    packed = await queryRun<Uint8Array>(handle, queryNames.handed);
  } catch (error) {
    if (isUnknown(error)) return null;
    throw toRunFailure(error, runId);
  }
  if (packed.length === 0)
    throw new TactusError(
      'payload_too_large',
      `The requests, votes and events of ${runId} are too large to be read from the run`,
    );
  return JSON.parse(gunzipSync(packed).toString()) as HandedWork;
}

/** The SDK gives every question that failed in the worker this name. */
function isUnknown(error: unknown): boolean {
  return error instanceof QueryNotRegisteredError && error.message.includes('did not register a handler');
}
