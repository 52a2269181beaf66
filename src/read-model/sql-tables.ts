import type { RunError } from '../contract/errors.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import type { RunStatus, ToldRun } from '../contract/runs/run-view.js';
import type { IndexedRequest, IndexedRun } from './run-index.js';
import { ensureTables, type SqlConnection, type SqlRow, type SqlValue } from './sql-connection.js';

/** Counted up with every change of the tables. */
const schemaVersion = 1;

const tables = ['tactus_runs', 'tactus_requests', 'tactus_feeders', 'tactus_index'];

/**
 * Makes the tables, where they aren't there. Older ones are made anew: what they held is made again from the runs.
 * @throws TactusError usage where a newer version of this package has made them
 */
export function ensureSchema(connection: SqlConnection): Promise<void> {
  const { text, integer } = connection.dialect;
  return ensureTables(connection, {
    what: 'The index',
    version: schemaVersion,
    about: 'tactus_index',
    statements: statements(text, integer),
    replaced: tables,
  });
}

function statements(text: string, integer: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS tactus_runs (
      run_id ${text} PRIMARY KEY, procedure ${text} NOT NULL, status ${text} NOT NULL, started_at ${text} NOT NULL,
      closed_at ${text}, execution ${text} NOT NULL, version ${text} NOT NULL, length ${integer} NOT NULL,
      is_final ${integer} NOT NULL, error TEXT, about TEXT)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_newest ON tactus_runs (started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_status ON tactus_runs (status, started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_procedure ON tactus_runs (procedure, started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_open ON tactus_runs (is_final, version)`,
    `CREATE TABLE IF NOT EXISTS tactus_requests (
      run_id ${text} NOT NULL, id ${text} NOT NULL, procedure ${text} NOT NULL, kind ${text} NOT NULL,
      created_at ${text} NOT NULL, deadline ${text}, place ${text} NOT NULL, approvers TEXT NOT NULL, requester ${text},
      words TEXT NOT NULL, request TEXT NOT NULL,
      PRIMARY KEY (run_id, id))`,
    `CREATE INDEX IF NOT EXISTS tactus_requests_oldest ON tactus_requests (created_at, run_id, place)`,
    `CREATE INDEX IF NOT EXISTS tactus_requests_deadline ON tactus_requests (deadline)`,
    `CREATE TABLE IF NOT EXISTS tactus_feeders (
      id ${text} PRIMARY KEY, host ${text} NOT NULL, pid ${integer} NOT NULL, seen_at ${integer} NOT NULL)`,
  ];
}

/** What of a run no list is sorted or filtered by. */
type About = Pick<ToldRun, 'waits' | 'children' | 'checkpoints' | 'usage'>;

export function aboutText({ waits, children, checkpoints, usage }: ToldRun): string {
  return JSON.stringify({ waits, children, checkpoints, usage } satisfies About);
}

export function toIndexedRun(row: SqlRow): IndexedRun {
  const isFinal = Number(row['is_final']) === 1;
  const about = parsed<About>(row['about']);
  return {
    run_id: textOf(row['run_id']),
    procedure: textOf(row['procedure']),
    status: textOf(row['status']) as RunStatus,
    started_at: textOf(row['started_at']),
    closed_at: row['closed_at'] === null ? null : textOf(row['closed_at']),
    execution: textOf(row['execution']),
    error: parsed<RunError>(row['error']),
    isFinal,
    length: Number(row['length']),
    ...about,
    ...(isFinal && about !== null ? { waits: [], children: [] } : {}),
  };
}

export function toIndexedRequest(row: SqlRow): IndexedRequest {
  const request = JSON.parse(textOf(row['request'])) as HumanRequest;
  return { ...request, procedure: textOf(row['procedure']) };
}

function parsed<T>(value: SqlValue | undefined): T | null {
  return value === null || value === undefined ? null : (JSON.parse(textOf(value)) as T);
}

function textOf(value: SqlValue | undefined): string {
  return String(value ?? '');
}
