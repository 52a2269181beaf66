import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import { forkMemo, readForkedFrom, type ForkedFrom } from '../../contract/changes/forked-from.js';
import { searchAttributeNames, workflowType } from '../../contract/names.js';
import { TactusError, type RunError } from '../../contract/errors.js';
import { defined } from '../../contract/json/json.js';
import { isPublishedAs, type PublishedAs } from '../../contract/procedures/published.js';
import { labelItems } from '../../contract/runs/labels.js';
import { marksMemo, readMarks, type EndMarks } from '../../contract/runs/marks.js';
import { runStatuses, type RunStatus } from '../../contract/runs/run-view.js';
import type { RunCountFilter } from '../../read-model/run-index.js';
import { toIso, withOwnDeadline } from '../server/server-calls.js';
import { endOf } from '../runs/view-run.js';
import { TactusRun } from '../tactus-run.js';

/** A run as the server's list has it, without asking a worker. */
export interface ListedRun extends EndMarks {
  run_id: string;
  /** Empty where the namespace doesn't have our search attributes. */
  procedure: string;
  status: RunStatus;
  started_at: string;
  closed_at: string | null;
  /** The version that it was started with, where its procedure is published. */
  published?: PublishedAs;
  /** The run that it was forked from, and where; left out of one that is no fork. */
  forked_from?: ForkedFrom;
}

/** The same with the id of its last execution. */
export type ServerRow = ListedRun & { execution: string };

const pageSize = 1_000;
/** The server's list may lag behind by so much, in ms. */
export const listLagMs = 30_000;

/** Of a run of several executions, the last one. */
const runTerms: readonly string[] = [
  `WorkflowType = ${quote(workflowType)}`,
  `ExecutionStatus != 'ContinuedAsNew'`,
];

/** Pages of the server's list of runs, in its own order, with the ids of their executions. It may lag a moment behind. */
export async function* serverPages(client: Client, terms: readonly string[]): AsyncGenerator<ServerRow[]> {
  let nextPageToken = new Uint8Array();
  do {
    const asked = {
      ...{ namespace: client.options.namespace, query: queryOf(terms) },
      ...{ pageSize, nextPageToken },
    };
    const page = await withOwnDeadline(client, () => client.workflowService.listWorkflowExecutions(asked));
    yield await Promise.all((page.executions ?? []).map((info) => toRun(client, info)));
    nextPageToken = new Uint8Array(page.nextPageToken ?? []);
  } while (nextPageToken.length > 0);
}

/** The time from which on the list is read by whoever has read it up to a time of the server's, in ms since 1970; as a value of a term. */
export function listedSince(since: number): string {
  return `'${new Date(Math.max(0, since - listLagMs)).toISOString()}'`;
}

/** The latest beginning or end in a page, in ms since 1970. */
export function latestOf(page: readonly ServerRow[]): number {
  return Math.max(0, ...page.map(({ started_at, closed_at }) => Date.parse(closed_at ?? started_at)));
}

/** How many runs the server's list has. */
export async function countRuns(client: Client, terms: readonly string[]): Promise<number> {
  const { namespace } = client.options;
  const query = queryOf(terms);
  const { count } = await withOwnDeadline(client, () =>
    client.workflowService.countWorkflowExecutions({ namespace, query }),
  );
  return Number(count ?? 0);
}

/** The same, by how they stand, as a text to compare with another: what began and what ended changes it. */
export async function countedByStatus(client: Client, terms: readonly string[]): Promise<string> {
  const counts = await countByExecutionStatus(client, terms);
  return counts
    .map(([name, count]) => `${name} ${count}`)
    .sort()
    .join('; ');
}

/** How many runs stand so, by what the server calls it, in capitals: `RUNNING`, `TIMED_OUT` … */
export async function countByExecutionStatus(
  client: Client,
  terms: readonly string[],
): Promise<[status: string, count: number][]> {
  const { namespace } = client.options;
  const query = `${queryOf(terms)} GROUP BY ExecutionStatus`;
  const { groups } = await withOwnDeadline(client, () =>
    client.workflowService.countWorkflowExecutions({ namespace, query }),
  );
  const { payloadConverter } = client.options.loadedDataConverter;
  return (groups ?? []).map(({ groupValues, count }) => [
    (groupValues ?? []).map((value) => capitals(String(payloadConverter.fromPayload(value)))).join(),
    Number(count ?? 0),
  ]);
}

/** Of the server's two ways to write a status, the one that descriptions have: `TimedOut` is `TIMED_OUT`. */
function capitals(name: string): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return words === 'CANCELED' ? 'CANCELLED' : words;
}

/** What a server gives its database as it stands. Other characters it writes as MySQL does, which others then don't find. */
const plainBeginning = /^[^"\\\p{Cc}]*/u;

/** Whether the server's list can be asked for what begins so; else it is asked for more. */
export function isPlain(prefix = ''): boolean {
  return plainBeginning.exec(prefix)?.[0] === prefix;
}

/** Pages of the runs that a filter names, but for its status, in the server's own order. */
export async function* filteredPages(
  client: Client,
  filter: RunCountFilter,
  terms: readonly string[] = [],
): AsyncGenerator<ServerRow[]> {
  const { prefix = '' } = filter;
  for await (const page of serverPages(client, [...filterTerms(filter), ...terms]))
    yield page.filter(({ run_id }) => run_id.startsWith(prefix));
}

/** What a filter says in the server's words, but for the status: it knows only that which a run last told. */
export function filterTerms(filter: RunCountFilter): string[] {
  const { procedure, prefix, isOpen = false, since, until, labels = {}, forkedFrom } = filter;
  const terms = labelItems(labels).map((item) => `${searchAttributeNames.labels} = ${quote(item)}`);
  if (forkedFrom !== undefined) terms.push(`${searchAttributeNames.forkedFrom} = ${quote(forkedFrom)}`);
  if (procedure !== undefined) terms.push(`${searchAttributeNames.procedure} = ${quote(procedure)}`);
  const beginning = plainBeginning.exec(prefix ?? '')?.[0] ?? '';
  if (beginning !== '') terms.push(`WorkflowId STARTS_WITH ${quote(beginning)}`);
  if (since !== undefined) terms.push(`StartTime >= ${quote(since)}`);
  if (until !== undefined) terms.push(`StartTime < ${quote(until)}`);
  if (isOpen) terms.push(`ExecutionStatus = 'Running'`);
  return terms;
}

function queryOf(terms: readonly string[]): string {
  return [...runTerms, ...terms].join(' AND ');
}

export function quote(text: string): string {
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

async function toRun(client: Client, info: Info): Promise<ServerRow> {
  const told = attributeOf(client, info, searchAttributeNames.status);
  const end = endOf(statusNames[info.status ?? 0] ?? '');
  return {
    run_id: info.execution?.workflowId ?? '',
    execution: info.execution?.runId ?? '',
    procedure: attributeOf(client, info, searchAttributeNames.procedure),
    status: end ?? runStatuses.find((status) => status === told) ?? 'running',
    started_at: toIso(info.startTime) ?? '',
    closed_at: toIso(info.closeTime),
    ...defined({
      published: await publishedOf(client, info),
      forked_from: readForkedFrom(await memoValue(client, info, forkMemo)),
    }),
    ...readMarks(await memoValue(client, info, marksMemo)),
  };
}

async function publishedOf(client: Client, info: Info): Promise<PublishedAs | undefined> {
  const known = await memoValue(client, info, 'published');
  return isPublishedAs(known) ? known : undefined;
}

/** What the memo has, which is encoded where payloads are: it is read where there is something to be read. */
async function memoValue(client: Client, { memo }: Info, key: string): Promise<unknown> {
  const payload = memo?.fields?.[key];
  if (payload == null) return undefined;
  const { loadedDataConverter } = client.options;
  // Who has no key for it is shown the run all the same.
  return decodeFromPayloadsAtIndex(loadedDataConverter, 0, [payload]).catch(() => undefined);
}

function attributeOf(client: Client, info: Info, name: string): string {
  const payload = info.searchAttributes?.indexedFields?.[name];
  if (payload === undefined) return '';
  const value: unknown = client.options.loadedDataConverter.payloadConverter.fromPayload(payload);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : '';
}

/** A run as the server describes it; null where there is none. No worker is asked. */
export async function serverRun(client: Client, runId: string): Promise<ServerRow | null> {
  try {
    const found = await withOwnDeadline(client, () => client.workflow.getHandle(runId).describe());
    return {
      run_id: runId,
      execution: found.runId,
      procedure: '',
      status: endOf(found.status.name) ?? 'running',
      started_at: found.startTime.toISOString(),
      closed_at: found.closeTime?.toISOString() ?? null,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The same with what it ended with, where it has ended. */
export async function serverRunWithEnd(
  client: Client,
  runId: string,
): Promise<(ServerRow & { error: RunError | null }) | null> {
  const run = await serverRun(client, runId);
  return run === null ? null : { ...run, error: await endErrorOf(client, run) };
}

/** What a run ended with, without asking a worker; null where it goes on, or has completed. */
export async function endErrorOf(
  client: Client,
  { run_id, status, closed_at }: ListedRun,
): Promise<RunError | null> {
  if (status === 'completed' || closed_at === null) return null;
  try {
    await withOwnDeadline(client, () => new TactusRun(client.workflow.getHandle(run_id), run_id).result());
  } catch (error) {
    if (error instanceof TactusError) return error.toRunError();
  }
  return null;
}

type Page = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse;

/** What came after the last task is seldom more. */
const pageEvents = 20;

/**
 * Whether a run has told all that there is of it: no workflow task of its last execution was completed since. What it told in one that was
 * never completed is more. No worker is asked.
 */
export async function isUpToDate(
  client: Client,
  { run_id: workflowId, execution: runId }: Pick<ServerRow, 'run_id' | 'execution'>,
  told: { execution: string; length: number } | null | undefined,
): Promise<boolean> {
  if (told === null || told === undefined || told.length === 0 || told.execution !== runId) return false;
  return told.length === (await lastTaskOf(client, { workflowId, runId }));
}

/** Events of an execution's history up to its last workflow task that was completed; 0 where none was. No worker is asked. */
async function lastTaskOf(client: Client, execution: { workflowId: string; runId: string }): Promise<number> {
  let nextPageToken: Uint8Array | null = null;
  do {
    const asked = {
      ...{ namespace: client.options.namespace, execution },
      ...{ maximumPageSize: pageEvents, nextPageToken },
    };
    const page: Page = await withOwnDeadline(client, () =>
      client.workflowService.getWorkflowExecutionHistoryReverse(asked),
    );
    for (const { workflowTaskCompletedEventAttributes: completed } of page.history?.events ?? [])
      if (completed != null) return Number(completed.startedEventId ?? 0);
    nextPageToken = page.nextPageToken ?? null;
  } while (nextPageToken !== null && nextPageToken.length > 0);
  return 0;
}
