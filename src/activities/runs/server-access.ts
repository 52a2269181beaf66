import { Context } from '@temporalio/activity';
import type { JsonObject } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import type { RunReader } from './look-at-runs.js';

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
