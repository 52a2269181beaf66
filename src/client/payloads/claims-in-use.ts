import type { Connection } from '@temporalio/client';
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

interface Execution {
  workflowId: string;
  runId: string;
  isOpen: boolean;
}

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
  const found: ClaimsInUse = { keys: new Set(), executions: 0, schedules: 0 };
  for (const namespace of namespaces) {
    for await (const page of executions(connection, namespace))
      await eachLimit(page, atOnce, async (execution) => {
        // The server deletes what is past its retention meanwhile.
        await readExecution(connection, namespace, execution, found.keys).catch(ifThere);
        found.executions++;
        onProgress(found);
      });
    for await (const id of schedules(connection, namespace)) {
      const asked = { namespace, scheduleId: id };
      noteClaims(await connection.workflowService.describeSchedule(asked).catch(ifThere), found.keys);
      found.schedules++;
    }
  }
  return found;
}

/** The namespaces of a server, without its own. @throws where the server doesn't say */
export async function namespacesOf({ workflowService }: Connection): Promise<string[]> {
  const names: string[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.listNamespaces({ pageSize, nextPageToken });
    for (const { namespaceInfo } of page.namespaces) names.push(namespaceInfo?.name ?? '');
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
  return names.filter((name) => name !== '' && name !== 'temporal-system');
}

async function* executions({ workflowService }: Connection, namespace: string): AsyncGenerator<Execution[]> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.listWorkflowExecutions({ namespace, pageSize, nextPageToken });
    yield page.executions.map(({ execution, closeTime }) => ({
      workflowId: execution?.workflowId ?? '',
      runId: execution?.runId ?? '',
      isOpen: closeTime == null,
    }));
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

async function* schedules({ workflowService }: Connection, namespace: string): AsyncGenerator<string> {
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.listSchedules({ namespace, maximumPageSize: pageSize, nextPageToken });
    for (const { scheduleId } of page.schedules) yield scheduleId ?? '';
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
}

async function readExecution(
  { workflowService }: Connection,
  namespace: string,
  { workflowId, runId, isOpen }: Execution,
  keys: Set<string>,
): Promise<void> {
  const execution = { workflowId, runId };
  // A heartbeat of an activity that is under way is in no history.
  if (isOpen) noteClaims(await workflowService.describeWorkflowExecution({ namespace, execution }), keys);
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.getWorkflowExecutionHistory({ namespace, execution, nextPageToken });
    if (page.rawHistory.length > 0) throw new Error('the server sends histories that cannot be searched');
    noteClaims(page.history, keys);
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
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
