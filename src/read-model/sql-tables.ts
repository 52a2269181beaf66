import { defined } from '../contract/json/json.js';
import type { RunError } from '../contract/errors.js';
import type { HumanRequest } from '../contract/people/human-request.js';
import { labelItems } from '../contract/runs/labels.js';
import type { Marks } from '../contract/runs/marks.js';
import { versionText, type RunStatus, type ToldRun } from '../contract/runs/run-view.js';
import { namesText, wordsText } from './request-filter.js';
import type { IndexChange, IndexedRequest, IndexedRun, KeptAnswers, ServerRun } from './run-index.js';
import { ensureTables, type SqlConnection, type SqlRow, type SqlValue } from './sql-connection.js';

/** Counted up with every change of the tables. */
const schemaVersion = 4;

/** Those that have rows of runs, by `run_id`. */
export const runTables = ['tactus_requests', 'tactus_answers', 'tactus_runs'];
const tables = [...runTables, 'tactus_feeders', 'tactus_index'];

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
      is_final ${integer} NOT NULL, error TEXT, about TEXT, marks TEXT NOT NULL, labels TEXT NOT NULL,
      forked_from ${text})`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_forks ON tactus_runs (forked_from)`,
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
    `CREATE TABLE IF NOT EXISTS tactus_answers (
      run_id ${text} PRIMARY KEY, execution ${text} NOT NULL, version ${text} NOT NULL, packed TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS tactus_feeders (
      id ${text} PRIMARY KEY, host ${text} NOT NULL, pid ${integer} NOT NULL, seen_at ${integer} NOT NULL)`,
  ];
}

/** How far a run has come, by which no list is sorted or filtered. */
type About = Pick<ToldRun, 'waits' | 'children' | 'checkpoints' | 'usage'>;

function aboutText({ waits, children, checkpoints, usage }: ToldRun): string {
  return JSON.stringify({ waits, children, checkpoints, usage } satisfies About);
}

/** What stays true of a run, whatever becomes of it. */
type Lasting = Pick<ServerRun, 'published' | 'forked_from' | 'decisions' | keyof Marks>;

/** Of the columns `marks`, `labels` and `forked_from`. */
function lastingValues(run: Lasting): [marks: string, labels: string, forkedFrom: string | null] {
  const { published, forked_from, labels, variants, scores, decisions } = run;
  const lasting: Lasting = defined({ published, forked_from, labels, variants, scores, decisions });
  return [JSON.stringify(lasting), namesText(labelItems(labels ?? {})), forked_from?.run_id ?? null];
}

/** What was told of it, or listed, is known better than nothing. */
const keepMarks = `marks = CASE WHEN excluded.marks = '{}' THEN tactus_runs.marks ELSE excluded.marks END,
       labels = CASE WHEN excluded.marks = '{}' THEN tactus_runs.labels ELSE excluded.labels END,
       forked_from = COALESCE(excluded.forked_from, tactus_runs.forked_from)`;

export function toIndexedRun(row: SqlRow): IndexedRun {
  const isFinal = Number(row['is_final']) === 1;
  const about = parsedJson<About>(row['about']);
  return {
    run_id: sqlText(row['run_id']),
    procedure: sqlText(row['procedure']),
    status: sqlText(row['status']) as RunStatus,
    started_at: sqlText(row['started_at']),
    closed_at: row['closed_at'] === null ? null : sqlText(row['closed_at']),
    execution: sqlText(row['execution']),
    error: parsedJson<RunError>(row['error']),
    isFinal,
    length: Number(row['length']),
    ...about,
    ...parsedJson<Lasting>(row['marks']),
    ...(isFinal && about !== null ? { waits: [], children: [] } : {}),
  };
}

export function toIndexedRequest(row: SqlRow): IndexedRequest {
  const request = JSON.parse(sqlText(row['request'])) as HumanRequest;
  return { ...request, procedure: sqlText(row['procedure']) };
}

function parsedJson<T>(value: SqlValue | undefined): T | null {
  return value === null || value === undefined ? null : (JSON.parse(sqlText(value)) as T);
}

function sqlText(value: SqlValue | undefined): string {
  return String(value ?? '');
}

type Within = Pick<SqlConnection, 'query'>;

const columns =
  'run_id, procedure, status, started_at, closed_at, execution, version, length, is_final, error, about, marks, labels, forked_from';
const insert = `INSERT INTO tactus_runs (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Takes one change over, within a transaction; leaves the run as it is where that is newer. */
export async function writeChange(within: Within, change: IndexChange): Promise<void> {
  switch (change.kind) {
    case 'told':
      return change.run.pending === null
        ? writeRow(within, change.run)
        : writeWhole(within, change.run, change.run.pending);
    case 'answered':
      return writeAnswers(within, change.run);
    case 'listed':
      return writeListed(within, change.run);
    case 'closed':
      return writeClosed(within, change.run);
  }
}

async function writeWhole(within: Within, run: ToldRun, pending: readonly HumanRequest[]): Promise<void> {
  const rows = await within.query(
    `${insert} ON CONFLICT (run_id) DO UPDATE SET procedure = excluded.procedure, status = excluded.status,
       started_at = excluded.started_at, closed_at = excluded.closed_at, execution = excluded.execution,
       version = excluded.version, length = excluded.length, error = excluded.error, about = excluded.about,
       marks = excluded.marks, labels = excluded.labels, forked_from = excluded.forked_from
     WHERE tactus_runs.is_final = 0 AND (tactus_runs.version < excluded.version
       OR (tactus_runs.version = '' AND excluded.version = '')) RETURNING run_id`,
    [run.run_id, run.procedure, ...toldValues(run, versionOf(run))],
  );
  if (rows.length > 0) await replaceRequests(within, run, pending);
  else await writeLastWord(within, run);
}

/**
 * What it asks is what the index has. Where that isn't known, as the index has lost what the run told before, nothing
 * is sure until the run is asked.
 */
async function writeRow(within: Within, run: ToldRun): Promise<void> {
  const version = versionOf(run);
  const [, startedAt, closedAt, execution, , length, , error, about, marks, labels, fork] = toldValues(
    run,
    version,
  );
  const rows = await within.query(
    `UPDATE tactus_runs SET status = ?, started_at = ?, closed_at = ?, execution = ?, version = ?, length = ?, error = ?,
       about = ?, marks = ?, labels = ?, forked_from = ? WHERE run_id = ? AND is_final = 0 AND version <> '' AND version < ? RETURNING run_id`,
    [
      ...[run.status, startedAt, closedAt, execution, version, length, error, about, marks, labels, fork],
      ...[run.run_id, version],
    ].map((value) => value ?? null),
  );
  if (rows.length > 0) return;
  await within.query(`${insert} ON CONFLICT (run_id) DO NOTHING`, [
    run.run_id,
    run.procedure,
    ...toldValues(run, ''),
  ]);
  await writeLastWord(within, run);
}

/** The server's word on its end may come before what the run told with it. */
async function writeLastWord(within: Within, run: ToldRun): Promise<void> {
  await within.query(
    `UPDATE tactus_runs SET about = ?, marks = ?, labels = ?, forked_from = ?
     WHERE run_id = ? AND is_final = 1 AND about IS NULL AND status = ?`,
    [aboutText(run), ...lastingValues(run), run.run_id, run.status],
  );
}

function versionOf({ version }: ToldRun): string {
  return version === null ? '' : versionText(version);
}

/** The columns from `status` on. */
function toldValues(run: ToldRun, version: string): (string | number | null)[] {
  const { execution = '', length = 0 } = run.version ?? {};
  return [
    ...[run.status, run.started_at, run.closed_at, execution, version, version === '' ? 0 : length, 0],
    ...[run.error === null ? null : JSON.stringify(run.error), aboutText(run), ...lastingValues(run)],
  ];
}

async function writeAnswers(
  within: Within,
  { run_id: runId, execution, version, packed }: KeptAnswers,
): Promise<void> {
  await within.query(
    `INSERT INTO tactus_answers (run_id, execution, version, packed) VALUES (?, ?, ?, ?)
     ON CONFLICT (run_id) DO UPDATE SET execution = excluded.execution, version = excluded.version, packed = excluded.packed
     WHERE tactus_answers.version <= excluded.version`,
    [runId, execution, version, packed],
  );
}

async function writeListed(within: Within, run: ServerRun): Promise<void> {
  await within.query(`${insert} ON CONFLICT (run_id) DO NOTHING`, serverValues(run, 0, null));
}

/** The server says so. What the run told of itself stays where it had told of this end; else it may have come further. */
async function writeClosed(
  within: Within,
  run: Extract<IndexChange, { kind: 'closed' }>['run'],
): Promise<void> {
  const error = run.error === null ? null : JSON.stringify(run.error);
  await within.query(
    `${insert} ON CONFLICT (run_id) DO UPDATE SET is_final = 1, status = excluded.status, closed_at = excluded.closed_at,
       execution = excluded.execution, error = COALESCE(excluded.error, tactus_runs.error),
       about = CASE WHEN tactus_runs.status = excluded.status THEN tactus_runs.about END,
       ${keepMarks}
     WHERE tactus_runs.is_final = 0`,
    serverValues(run, 1, error),
  );
  await within.query('DELETE FROM tactus_requests WHERE run_id = ?', [run.run_id]);
}

function serverValues(run: ServerRun, isFinal: number, error: string | null): (string | number | null)[] {
  return [
    ...[run.run_id, run.procedure, run.status, run.started_at, run.closed_at, run.execution],
    ...['', 0, isFinal, error, null, ...lastingValues(run)],
  ];
}

/**
 * Those that are as they were aren't written again: a run may ask hundreds at once, and have them answered one by one. An open
 * one changes by votes, by who is asked next, and when it is handed on: its digest is then the same.
 */
async function replaceRequests(
  within: Within,
  run: ToldRun,
  pending: readonly HumanRequest[],
): Promise<void> {
  const rows = await within.query('SELECT id, request FROM tactus_requests WHERE run_id = ?', [run.run_id]);
  const known = new Map(rows.map((row) => [String(row['id']), String(row['request'])]));
  const kept = new Set<string>();
  for (const request of pending) if (known.get(request.id) === JSON.stringify(request)) kept.add(request.id);
  for (const id of known.keys())
    if (!kept.has(id))
      await within.query('DELETE FROM tactus_requests WHERE run_id = ? AND id = ?', [run.run_id, id]);
  for (const request of pending) if (!kept.has(request.id)) await addRequest(within, run, request);
}

async function addRequest(within: Within, run: ToldRun, request: HumanRequest): Promise<void> {
  const { id, kind, created_at: createdAt, deadline, position, approvers, requester = null } = request;
  await within.query(
    `INSERT INTO tactus_requests (run_id, id, procedure, kind, created_at, deadline, place, approvers, requester, words, request)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[run.run_id, id, run.procedure, kind, createdAt, deadline, sortable(position)],
      ...[namesText(approvers), requester, wordsText(request.message), JSON.stringify(request)],
    ],
  );
}

/** A position as a text that sorts as positions do. */
function sortable(position: string): string {
  return position
    .split('.')
    .map((part) => part.padStart(8, '0'))
    .join('.');
}
