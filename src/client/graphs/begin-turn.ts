import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError, type Client } from '@temporalio/client';
import { newestEngine } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import { asJson, defined, jsonSize } from '../../contract/json/json.js';
import { turnType } from '../../contract/names.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import {
  newCarry,
  type RunStarted,
  type StartInput,
  type TurnStart,
} from '../../contract/runs/start-input.js';
import type { Pass } from '../../contract/runs/pass.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import { logOf } from '../changes/go-on.js';
import { priorityOf, type RunPriority } from '../runs/priority.js';
import { differenceOf, startOfRun } from '../runs/start-input.js';
import { replayedProgram, runReplayed } from '../runs/replayed-program.js';
import { TactusRun } from '../tactus-run.js';

/** So long a worker has to start a turn, in ms. */
const startMs = 60_000;

/** A turn that is to be begun. */
export interface Turn extends Omit<TurnStart, 'start' | 'runId'> {
  start: StartInput;
  taskQueue: string;
}

/**
 * Begins the next turn of a thread: its graph goes on with the values that the turn before has left. The same start again begins
 * none, and neither does a message that the thread has taken in.
 * @param given its priority; left out: that of the turn before
 * @returns false where the run is no thread that could go on; nothing is begun then
 * @throws TactusError run_conflict where a turn is under way, or another one came first; payload_too_large; no_worker
 */
export async function beginTurn(
  client: Client,
  runId: string,
  turn: Turn,
  given?: RunPriority,
): Promise<boolean> {
  const { start: begun, taskQueue, ...rest } = turn;
  const { source, input = {}, task, messageId } = begun;
  const first = await startOfRun(client, runId);
  if (first === null || source === undefined) return false;
  if (differenceOf(first, { source, input, task, messageId }) === null) return true;
  const { runId: execution, status } = await client.workflow.getHandle(runId).describe();
  const isOpen = status.name === 'RUNNING';
  if (isOpen && messageId === undefined) throw underWay(runId);
  const run = new TactusRun(client.workflow.getHandle(runId, execution), runId);
  const after = await turnAfter(run, execution);
  if (messageId !== undefined && after?.pass.thread?.messages?.includes(messageId) === true) return true;
  if (isOpen) throw underWay(runId);
  if (after === null) return false;
  const { startedAt, seed } = after.started;
  const { pass: before } = after;
  // A turn has labels of its own beside those that the thread has come to.
  const labels = { ...before.marks?.labels, ...begun.labels };
  const pass = { ...before, marks: { ...before.marks, labels } };
  const { usage } = await run.status();
  const carry = {
    ...newCarry(runId, randomUUID(), startedAt),
    ...{ engine: newestEngine, seed, usage, pass, mirrored: pass.checkpoints },
  };
  const args: TurnStart = { ...rest, runId, start: { ...begun, carry } };
  const priority = given ?? (await priorityOf(client, runId));
  await startTurn(client, args, { execution, taskQueue, ...defined({ priority }) });
  return true;
}

/** What a turn goes on with after an execution; null: the run has no thread. */
async function turnAfter(
  run: TactusRun,
  execution: string,
): Promise<{ started: RunStarted; pass: Pass } | null> {
  // One after the other: a worker loses questions that come to a run which has ended at once.
  const started = await run.started();
  const program = await replayedProgram(run.runId, started, { entries: await logOf(run) });
  if (program === null) return null;
  runReplayed(program);
  const pass = program.isThread ? program.nextTurn(execution) : null;
  return pass === null ? null : { started, pass };
}

async function startTurn(
  client: Client,
  args: TurnStart,
  { execution, taskQueue, priority }: { execution: string; taskQueue: string; priority?: RunPriority },
): Promise<void> {
  const { runId } = args;
  const bytes = jsonSize(asJson<TurnStart>(args));
  if (bytes > maxInlineBytes)
    throw new TactusError(
      'payload_too_large',
      `The start of a turn of ${runId} has ${bytes} bytes; at most ${maxInlineBytes} can be sent. Bound the channels of the graph: Graph.bounded`,
    );
  const workflowId = `${runId}/after/${execution}`;
  const isBegun = await client.workflow
    .execute<(turn: TurnStart) => Promise<boolean>>(turnType, {
      ...{ args: [args], workflowId, taskQueue },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowExecutionTimeout: startMs,
      // The turn has that of the workflow which starts it.
      ...defined({ priority }),
      staticSummary: `a turn of ${runId}`,
    })
    .catch((error: unknown) => {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      if (!(error instanceof WorkflowFailedError)) throw error;
      throw new TactusError(
        'no_worker',
        `No worker has started the turn of ${runId} within ${startMs / 1_000} seconds. Send it again. A worker with a workflow bundle of its own exports ${turnType} from tactus-temporal/workflow`,
        { run_id: runId },
      );
    });
  if (!isBegun)
    throw new TactusError(
      'run_conflict',
      `Another turn of ${runId} came first; nothing was begun. Send it again when that turn has ended`,
      { run_id: runId },
    );
}

function underWay(runId: string): TactusError {
  return new TactusError(
    'run_conflict',
    `A turn of ${runId} is under way; nothing was begun. Wait for its end, or answer what it asks: tactus-temporal resume ${lastArgument(runId)}`,
    { run_id: runId },
  );
}
