import { Context } from '@temporalio/activity';
import type { LookAtRunsInput } from '../../contract/activities.js';
import type { JsonObject } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import type { FoundVersion } from '../../contract/procedures/source.js';
import type { RunLook } from '../../contract/runs/child-run.js';
import type { HoldFinder } from '../changes/held-calls.js';
import type { ChangeProver } from '../changes/prove-change.js';
import { assertResultFits, atEdge } from '../retries/failures.js';

/**
 * Looks at one run. `brief`: how it ended is not asked for, unless it ended without a word.
 * @throws TactusError child_failed where it is no run of a procedure
 */
type RunReader = (id: string, brief: boolean) => Promise<RunLook>;

/**
 * Looks, once, how runs stand that are no children of the one that asks.
 * @throws ApplicationFailure of type child_failed where one of them is no run of a procedure
 */
export async function lookAtRuns(
  read: RunReader,
  { ids, brief = false }: LookAtRunsInput,
): Promise<RunLook[]> {
  return atEdge({ code: 'child_failed', subject: `Runs ${ids.join(', ')}`, secrets: () => [] }, async () => {
    const looks: RunLook[] = [];
    for (const id of ids) looks.push(await read(id, brief));
    return assertResultFits(looks, `What ${ids.join(', ')} gave`);
  });
}

/**
 * Messages of an open model call, from its run.
 * @throws where no worker answers for the run
 */
export type ConversationReader = (
  call: { runId: string; executionId: string; position: string },
  count: number,
) => Promise<Message[]>;

/** What activities ask of the server, with their worker's connection. */
export interface ServerAccess {
  readRun: RunReader;
  readConversation: ConversationReader;
  /**
   * The version of a published procedure that a run begins with; null: nothing is published under the name.
   * @throws TactusError source_not_found where its source is gone; the server's error where it can't be asked
   */
  findPublished(name: string, runId: string): Promise<FoundVersion | null>;
  findHold: HoldFinder;
  proveChange: ChangeProver;
  /** Resolves when the server has the details of a heartbeat of the activity: heartbeats in the ordinary way wait for seconds. */
  recordDetails(details: JsonObject): Promise<void>;
  /** Whether the execution that asked for the activity is still open. */
  isRunOpen(): Promise<boolean>;
  /** Whether another worker polls the task queue of the activity for activities. */
  hasOtherWorkers(): Promise<boolean>;
}

/**
 * Whether nobody wants any more what the activity was at, once it was cancelled: a worker that shuts down, and an attempt
 * that is over, leave it to the next one.
 */
export async function isUnwanted(server: ServerAccess): Promise<boolean> {
  const { cancelRequested = false, notFound = false } = Context.current().cancellationDetails ?? {};
  return cancelRequested || (notFound && !(await server.isRunOpen().catch(() => true)));
}
