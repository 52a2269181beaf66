import { Context, getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { hostname } from 'node:os';
import {
  type ActivityDeps,
  createActivities,
  createModelHost,
  type ModelHost,
  type ServerAccess,
  type ToolHost,
  toolHosts,
} from '../activities/index.js';
import { assertLinks } from '../contract/people/channels/channel.js';
import type { TactusActivities } from '../contract/activities.js';
import { hasCode, TactusError } from '../contract/errors.js';
import { queryNames } from '../contract/names.js';
import { checkEgressPolicy } from '../egress/egress-fetch.js';
import {
  attributesOfRuns,
  describeRun,
  parentOf,
  endOf,
  hasLiveWorker,
  HoldsReader,
  knownSearchAttributes,
  proveWaiting,
  PublishedSources,
  queryRun,
  TactusClient,
} from '../client/index.js';
import type { Outcome } from '../contract/checkpoints/checkpoint.js';
import type { Message } from '../contract/models/model-call.js';
import type { RunLook } from '../contract/runs/child-run.js';
import type { KnownAttributes } from '../contract/runs/start-input.js';
import type { ConversationPage } from '../contract/runs/run-view.js';

/**
 * The activities of one worker, which ask the server by the worker's own connection.
 * @throws TactusError config_invalid where its channels have links, and it has no key for them, or its egress policy has a rule that is none
 */
export function workerActivities(
  deps: ActivityDeps,
  hosts: readonly ToolHost[] = toolHosts(deps),
  models: ModelHost = createModelHost(),
): TactusActivities {
  assertLinks(deps, deps.links !== undefined);
  checkEgressPolicy(deps.egressPolicy);
  const sources = new PublishedSources();
  const findPublished: ServerAccess['findPublished'] = (name, runId) =>
    sources.find(getClient(), name, runId);
  const holds = new HoldsReader();
  const findHold: ServerAccess['findHold'] = (subjects, released) =>
    holds.find(getClient(), subjects, released);
  return createActivities(deps, { ...serverAccess, findPublished, findHold }, hosts, models);
}

/** What activities ask of the server, with the connection of the worker that runs them. */
const serverAccess: Omit<ServerAccess, 'findPublished' | 'findHold'> = {
  readRun: (id, brief) => lookAtRun(new TactusClient(getClient()), id, brief),
  readConversation: (call, count) => readConversation(getClient(), call, count),
  proveChange: ({ runId, executionId }) =>
    proveWaiting(new TactusClient(getClient()).attach(runId).inExecution(executionId)),
  recordDetails: async (details) => {
    const { taskToken, activityId, namespace, isLocal, workflowExecution } = Context.current().info;
    const ids = workflowExecution === undefined ? {} : { workflowId: workflowExecution.workflowId };
    await getClient().activity.heartbeat(taskToken, details, {
      serializationContext: { type: 'activity', namespace, activityId, isLocal, ...ids },
    });
  },
  isRunOpen: async () => {
    const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
    const { status } = await getClient().workflow.getHandle(workflowId, runId).describe();
    return status.name === 'RUNNING';
  },
  hasOtherWorkers: () => {
    const client = getClient();
    return hasLiveWorker(client, Context.current().info.taskQueue, {
      kind: 'activities',
      besides: client.options.identity ?? `${process.pid}@${hostname()}`,
    });
  },
};

/**
 * How a run stands, and what it ended with. `brief`: how it ended is not asked for, unless it ended without a word.
 * @throws TactusError child_failed where it is no run of a procedure
 */
async function lookAtRun(tactus: TactusClient, id: string, brief: boolean): Promise<RunLook> {
  return brief ? briefLook(tactus, id) : { id, outcome: await outcomeOf(tactus, id) };
}

async function outcomeOf(tactus: TactusClient, id: string): Promise<Outcome | null> {
  const run = tactus.attach(id);
  try {
    const { status } = await describeRun(run);
    if (endOf(status.name) === null) return null;
    return { ok: true, value: await run.result() };
  } catch (error) {
    if (!(error instanceof TactusError)) throw error;
    if (error.code === 'run_not_found') throw new TactusError('child_failed', error.message);
    return { ok: false, code: error.code, message: error.message };
  }
}

/** What closes by itself has reported how; who asks waits for the report. */
async function briefLook(tactus: TactusClient, id: string): Promise<RunLook> {
  try {
    const description = await describeRun(tactus.attach(id));
    const { status, raw } = description;
    const end = endOf(status.name);
    const parent = parentOf(description);
    const firstExecution = raw.workflowExecutionInfo?.firstRunId;
    return {
      id,
      outcome: null,
      isClosed: end !== null,
      isGone: end === 'terminated' || end === 'timed_out',
      ...(parent === null ? {} : { parent }),
      ...(firstExecution == null ? {} : { firstExecution }),
    };
  } catch (error) {
    if (!hasCode(error, 'run_not_found')) throw error;
    return { id, outcome: null, isClosed: true, isGone: true };
  }
}

/** A model call of one execution of a run. */
interface OpenCall {
  runId: string;
  executionId: string;
  position: string;
}

/**
 * The first messages of a model call that is open.
 * @throws Error where it isn't, or no worker answers for the run
 */
async function readConversation(
  client: Client,
  { runId, executionId, position }: OpenCall,
  count: number,
): Promise<Message[]> {
  const handle = client.workflow.getHandle(runId, executionId);
  const messages: Message[] = [];
  for (let from: number | null = 0; from !== null && messages.length < count;) {
    const page: ConversationPage | null = await queryRun(handle, queryNames.conversation, position, from);
    if (page === null) throw new Error(`no model call is open at ${position}`);
    messages.push(...page.messages);
    from = page.next;
  }
  return messages.slice(0, count);
}

/** Which search attributes the namespace of a worker has. Where nobody gave a connection, nobody can be asked. */
export function knowsAttributes({
  connection,
  namespace = 'default',
}: WorkerOptions): () => Promise<KnownAttributes> {
  if (connection === undefined) return () => Promise.resolve<KnownAttributes>(false);
  const known = knownSearchAttributes(connection, namespace);
  return async () => attributesOfRuns(await known());
}
