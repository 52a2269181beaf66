import { comparePositions, type Position } from '../../contract/checkpoints/checkpoint.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { ProcedureSource } from '../../contract/procedures/source.js';
import { fork } from '../../log/pack.js';
import type { RunRecord } from './run-record.js';

/** A run that begins now. */
export function newRecord(
  source: ProcedureSource,
  input: JsonObject,
  forkedFrom: RunRecord['forkedFrom'] = null,
): RunRecord {
  const seed = crypto.randomUUID();
  const runId = `${forkedFrom === null ? 'run' : 'fork'}-${seed.slice(0, 4)}`;
  return {
    runId,
    source,
    input,
    seed,
    startedAt: Date.now(),
    log: [],
    ends: {},
    modelCalls: 0,
    lines: {},
    forkedFrom,
  };
}

/**
 * A run that begins with the log of another one, up to a position. That position, and what comes after it, is performed anew.
 * @returns null where the log has no such position
 * @throws TactusError usage where the log before it is known by a snapshot alone
 */
export function forkRecord(record: RunRecord, at: Position): RunRecord | null {
  const log = fork(record.log, at);
  if (log === null) return null;
  const { source, input, seed, startedAt } = record;
  const known = Object.entries(record.lines).filter(([position]) => comparePositions(position, at) < 0);
  const lines = Object.fromEntries(known);
  return { ...newRecord(source, input, { runId: record.runId, at }), seed, startedAt, log, lines };
}
