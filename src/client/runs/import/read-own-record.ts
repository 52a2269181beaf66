import { TactusError } from '../../../contract/errors.js';
import { canonicalJson } from '../../../contract/json/json.js';
import type { RunStarted } from '../../../contract/runs/run-started.js';
import { exactLogIn, type ExactLog } from '../export/exact-log.js';
import { toProcedureMetadata } from '../../storage/to-procedure-metadata.js';
import { oldestCarried } from '../carried-start.js';
import type { ReferenceRecord } from './reference-record.js';

/**
 * The log that a record has besides the one of the reference: `export` has put it there. null: it has none.
 * @throws TactusError file_failed where it can't be read, or where somebody has gone on with the record since
 */
export function readOwnRecord(record: ReferenceRecord, place: string): ExactLog | null {
  const exact = exactLogIn(record.luaState);
  if (exact === null) return null;
  const wrong = (problem: string): TactusError =>
    new TactusError('file_failed', `${place} can't be imported: ${problem}`, { place });
  if (typeof exact === 'string') throw wrong(exact);
  const { execution_log: shown } = toProcedureMetadata({
    ...{ runId: record.procedureId, status: 'running', state: {}, waitingOn: null, mark: null },
    log: exact.entries,
  });
  if (canonicalJson(shown) !== canonicalJson(record.log))
    throw wrong('its execution_log was changed since it was exported, and no longer fits what goes with it');
  return exact;
}

/** What a run is started with that goes on with it: neither its parent nor its namespace need to be there. */
export function startedAnew({ started }: ExactLog): RunStarted {
  const { parent: _, searchAttributes: __, ...start } = started.start;
  return { ...started, start, engine: Math.max(started.engine, oldestCarried) };
}
