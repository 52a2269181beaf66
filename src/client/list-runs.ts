import type { Client } from '@temporalio/client';
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

/** Runs, newest first. The server's list may lag a moment behind. `next`: where the next page begins, null at the end. */
export async function listRuns(
  client: Client,
  filter: RunFilter,
): Promise<{ runs: ListedRun[]; next: string | null }> {
  const runs: ListedRun[] = [];
  let token =
    filter.after === undefined ? new Uint8Array() : new Uint8Array(Buffer.from(filter.after, 'base64url'));
  // A status is compared here: the server knows only that which a run last told, not how it ended without it.
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: queryOf(filter),
      pageSize: filter.limit - runs.length,
      nextPageToken: token,
    });
    for (const info of page.executions ?? []) {
      const run = toRun(client, info);
      if (filter.status === undefined || run.status === filter.status) runs.push(run);
    }
    token = new Uint8Array(page.nextPageToken ?? []);
  } while (token.length > 0 && runs.length < filter.limit);
  return { runs, next: token.length === 0 ? null : Buffer.from(token).toString('base64url') };
}

function queryOf({ procedure, prefix, isOpen = false }: RunFilter): string {
  const terms = [`WorkflowType = ${quote(workflowType)}`];
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
