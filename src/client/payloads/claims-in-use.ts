import type { Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { claimEncoding } from '../../contract/payloads/claim.js';
import { eachLimit } from '../concurrency.js';
import { ifThere } from '../runs/run-errors.js';

export interface ClaimsInUse {
  /** Keys of payloads in a store that the server refers to. */
  keys: Set<string>;
  /** Executions that were read, open and closed. */
  executions: number;
  schedules: number;
}

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

const pageSize = 1_000;
const atOnce = 8;

/**
 * Finds which payloads of a store the server still refers to: in the histories of all executions that it keeps, in what is pending of open
 * ones, and in schedules. It reads each history completely.
 * @param onProgress called after each execution
 * @throws what the server fails with: an answer that leaves something out would be taken for "not in use"
 */
export async function claimsInUse(
  connection: Connection,
  namespaces: readonly string[],
  onProgress: (found: ClaimsInUse) => void = () => undefined,
): Promise<ClaimsInUse> {
  const { workflowService } = connection;
  const found: ClaimsInUse = { keys: new Set(), executions: 0, schedules: 0 };
  for (const namespace of namespaces) {
    for await (const { executions } of pages((page) =>
      workflowService.listWorkflowExecutions({ namespace, pageSize, ...page }),
    ))
      await eachLimit(executions, atOnce, async (execution) => {
        // The server deletes what is past its retention meanwhile.
        await readExecution(connection, namespace, execution, found.keys).catch(ifThere);
        found.executions++;
        onProgress(found);
      });
    for await (const { schedules } of pages((page) =>
      workflowService.listSchedules({ namespace, maximumPageSize: pageSize, ...page }),
    ))
      for (const { scheduleId = null } of schedules) {
        const asked = { namespace, scheduleId };
        noteClaims(await workflowService.describeSchedule(asked).catch(ifThere), found.keys);
        found.schedules++;
      }
  }
  return found;
}

/** The namespaces of a server, without its own. @throws where the server doesn't say */
export async function namespacesOf({ workflowService }: Connection): Promise<string[]> {
  const names: string[] = [];
  for await (const { namespaces } of pages((page) => workflowService.listNamespaces({ pageSize, ...page })))
    for (const { namespaceInfo } of namespaces) names.push(namespaceInfo?.name ?? '');
  return names.filter((name) => name !== '' && name !== 'temporal-system');
}

/** Answers of the server, one page after the other. */
async function* pages<T extends { nextPageToken: Uint8Array }>(
  ask: (page: { nextPageToken: Uint8Array }) => Promise<T>,
): AsyncGenerator<T> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await ask({ nextPageToken });
    yield page;
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
}

async function readExecution(
  { workflowService }: Connection,
  namespace: string,
  { execution = null, closeTime }: Execution,
  keys: Set<string>,
): Promise<void> {
  // A heartbeat of an activity that is under way is in no history.
  if (closeTime == null)
    noteClaims(await workflowService.describeWorkflowExecution({ namespace, execution }), keys);
  for await (const { history, rawHistory } of pages((page) =>
    workflowService.getWorkflowExecutionHistory({ namespace, execution, ...page }),
  )) {
    if (rawHistory.length > 0) throw new Error('the server sends histories that cannot be searched');
    noteClaims(history, keys);
  }
}

/** Notes the keys of all claims in an answer of the server, wherever they are. */
function noteClaims(answer: unknown, keys: Set<string>): void {
  if (typeof answer !== 'object' || answer === null || answer instanceof Uint8Array) return;
  const { metadata, data } = answer as { metadata?: { encoding?: unknown }; data?: unknown };
  const { encoding } = metadata ?? {};
  if (encoding instanceof Uint8Array && Buffer.from(encoding).toString() === claimEncoding)
    keys.add(Buffer.from(data instanceof Uint8Array ? data : []).toString());
  else for (const part of Object.values(answer)) noteClaims(part, keys);
}
