import type { RunError } from '../contract/errors.js';
import type { RunStatus } from '../contract/runs/status.js';
import type { ToldRun } from '../contract/runs/told-run.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import type { IndexedRequest, IndexedRun } from './run-index.js';
import type { SqlRow, SqlValue } from './sql-connection.js';

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
