import type { Client } from '@temporalio/client';
import { TactusError } from '../contract/errors.js';
import { searchAttributeNames, workflowType } from '../contract/names.js';
import { runStatuses, type RunStatus } from '../contract/status.js';
import { toIso } from './to-iso.js';
import { endOf } from './view-run.js';

export interface RunFilter {
  status?: string | undefined;
  procedure?: string | undefined;
  /** How the id begins. */
  prefix?: string | undefined;
  isOpen?: boolean;
  limit: number;
  /** `next` of the page before. */
  after?: string | undefined;
}

/** A run as the server's list has it, without asking a worker. */
export interface ListedRun {
  run_id: string;
  /** Empty where the namespace doesn't have our search attributes. */
  procedure: string;
  status: RunStatus;
  started_at: string;
  closed_at: string | null;
}

/**
 * Runs, the newest start first. The server's list may lag a moment behind. `next`: where the next page begins, null at the
 * end.
 * @throws TactusError usage where `after` is no `next`
 */
export async function listRuns(
  client: Client,
  filter: RunFilter,
): Promise<{ runs: ListedRun[]; next: string | null }> {
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const runs: ListedRun[] = [];
  for await (const run of newestFirst(client, filter, after)) {
    if (after?.ids.includes(run.run_id) === true) continue;
    // A status is compared here: the server knows only that which a run last told, not how it ended without it.
    if (filter.status !== undefined && run.status !== filter.status) continue;
    if (runs.length === filter.limit) return { runs, next: placeAfter(runs, after) };
    runs.push(run);
  }
  return { runs, next: null };
}

const hourMs = 3_600_000;
const longAgoMs = 20 * 365 * 24 * hourMs;
const pageSize = 1_000;

/** The server gives open runs first and can't be told otherwise: they are asked for by ever longer stretches of time. */
async function* newestFirst(
  client: Client,
  filter: RunFilter,
  after: Place | null,
): AsyncGenerator<ListedRun> {
  const newest = after === null ? Date.now() + hourMs : Date.parse(after.at) + 1;
  for (let to = newest, ms = 2 * hourMs; newest - to < longAgoMs; to -= ms, ms *= 12) {
    const terms = `StartTime >= '${isoOf(to - ms)}' AND StartTime < '${isoOf(to)}'`;
    const found: ListedRun[] = [];
    let nextPageToken = new Uint8Array();
    do {
      const page = await client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        query: `${queryOf(filter)} AND ${terms}`,
        ...{ pageSize, nextPageToken },
      });
      found.push(...(page.executions ?? []).map((info) => toRun(client, info)));
      nextPageToken = new Uint8Array(page.nextPageToken ?? []);
    } while (nextPageToken.length > 0);
    yield* found.sort((a, b) => (a.started_at < b.started_at ? 1 : a.started_at > b.started_at ? -1 : 0));
  }
}

function isoOf(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString();
}

/** Where a page ended: when its last run began, and which of that time it had. */
interface Place {
  at: string;
  ids: string[];
}

function placeAfter(runs: readonly ListedRun[], before: Place | null): string {
  const at = runs.at(-1)?.started_at ?? '';
  const ids = runs.filter(({ started_at }) => started_at === at).map(({ run_id }) => run_id);
  const place: Place = { at, ids: before?.at === at ? [...before.ids, ...ids] : ids };
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readPlace(token: string): Place {
  try {
    const place = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Place>;
    if (!Number.isNaN(Date.parse(place.at ?? '')) && Array.isArray(place.ids)) return place as Place;
  } catch {
    // Said below.
  }
  throw new TactusError('usage', `${token} is no place in a list: take the \`next\` of the page before`);
}

function queryOf({ procedure, prefix, isOpen = false }: RunFilter): string {
  // Of a run of several executions, the last one.
  const terms = [`WorkflowType = ${quote(workflowType)}`, `ExecutionStatus != 'ContinuedAsNew'`];
  if (procedure !== undefined) terms.push(`${searchAttributeNames.procedure} = ${quote(procedure)}`);
  if (prefix !== undefined) terms.push(`WorkflowId STARTS_WITH ${quote(prefix)}`);
  if (isOpen) terms.push(`ExecutionStatus = 'Running'`);
  return terms.join(' AND ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

type Info = NonNullable<
  Awaited<ReturnType<Client['workflowService']['listWorkflowExecutions']>>['executions']
>[number];

/** The server's numbers of the ways a workflow can stand. */
const statusNames = [
  '',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'CONTINUED_AS_NEW',
  'TIMED_OUT',
];

function toRun(client: Client, info: Info): ListedRun {
  const told = attributeOf(client, info, searchAttributeNames.status);
  const end = endOf(statusNames[info.status ?? 0] ?? '');
  return {
    run_id: info.execution?.workflowId ?? '',
    procedure: attributeOf(client, info, searchAttributeNames.procedure),
    status: end ?? runStatuses.find((status) => status === told) ?? 'running',
    started_at: toIso(info.startTime) ?? '',
    closed_at: toIso(info.closeTime),
  };
}

function attributeOf(client: Client, info: Info, name: string): string {
  const payload = info.searchAttributes?.indexedFields?.[name];
  if (payload === undefined) return '';
  const value: unknown = client.options.loadedDataConverter.payloadConverter.fromPayload(payload);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : '';
}
