import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  type SearchAttributePair,
  type WorkflowIdReusePolicy,
} from '@temporalio/common';
import { tenantOf } from '../../contract/changes/hold.js';
import { pauseOf } from '../../contract/changes/pause.js';
import { forkedFrom, forkMemo } from '../../contract/changes/forked-from.js';
import { isTrial } from '../../contract/changes/trial.js';
import { TactusError } from '../../contract/errors.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { searchAttributeNames, workflowType } from '../../contract/names.js';
import {
  memoOf,
  nameOfStart,
  procedureName,
  type Memo,
  type ProcedureSource,
} from '../../contract/procedures/source.js';
import { assertLimits } from '../../contract/runs/limits.js';
import type { HoldsReader } from '../changes/holds.js';
import { hasPayloadStore } from '../payloads/has-payload-store.js';
import type { StorageBackend } from '../storage/storage-backend.js';
import type { CarriedStart } from './carried-start.js';
import { traceMemo, traceMemoOf } from '../traces/trace-of-run.js';
import { assertPriority, priorityOf } from './priority.js';
import {
  assertSameStart,
  startInputOf,
  startOfRun,
  type StartOptions,
  type StartsWith,
} from './start-input.js';

/** Where runs are started. */
interface StartPlace {
  client: Client;
  taskQueue: string;
}

/** With what is asked while one begins. */
interface ProcedurePlace extends StartPlace {
  startsWith: StartsWith;
  /** What workers mirror their runs to. */
  storage: StorageBackend | undefined;
  /** What is held: a run begins paused by it. */
  holds: HoldsReader;
}

/**
 * Starts a procedure, attaches to the run that has been started so before, or begins the next turn of a thread.
 * @returns the id of the run
 * @throws TactusError source_invalid, no_procedure, input_invalid, payload_too_large, usage; run_conflict where the id has another source,
 *   input or task, or its turn is under way
 */
export async function startProcedure(
  { client, taskQueue, startsWith, storage, holds }: ProcedurePlace,
  source: ProcedureSource,
  input: JsonValue,
  options: StartOptions,
): Promise<string> {
  // It runs Lua: whoever only reads and answers runs has no need of that.
  const { checkStart } = await import('../procedures/describe-source.js');
  const isStored = hasPayloadStore(client);
  const { isThread } = checkStart(source, input, { ...options, isStored });
  if (options.messageId !== undefined && !isThread)
    throw new TactusError('usage', 'Messages begin turns of graphs: the main part of this file is none');
  const runId = options.runId ?? newRunId(options.published?.name ?? procedureName(source));
  if (isTrial(runId))
    throw new TactusError(
      'usage',
      `An id that begins with "trial:" is that of a trial: choose another than ${runId}`,
    );
  const { timeout, priority } = options;
  if (priority !== undefined) assertPriority(priority);
  const name = nameOfStart({ source, ...defined({ published: options.published }) });
  const hold =
    options.paused === undefined && options.mock === undefined
      ? await holds.find(client, { procedure: [name], tenant: [tenantOf(priority)], queue: [taskQueue] })
      : null;
  const paused = hold === null ? options.paused : pauseOf(hold);
  const start = startInputOf(source, input, options, startsWith, paused);
  const summary = nameOfStart(start);
  const memo = { ...memoOf(source, options), ...traceMemo(options.trace) };
  const isCopied = isThread && options.runId !== undefined && (await hasCopy(storage, runId));
  try {
    await client.workflow.start(workflowType, {
      ...{ args: [start], workflowId: runId, taskQueue, memo, staticSummary: summary },
      workflowIdReusePolicy: options.followsClosed === true ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      ...defined({ workflowExecutionTimeout: timeout, priority }),
    });
    if (isCopied) warnOfLostThread(runId);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const turn = { start, summary, memo, taskQueue, ...defined({ timeout }) };
    const { beginTurn } = await import('../graphs/begin-turn.js');
    if (isThread && (await beginTurn(client, runId, turn, priority))) return runId;
    const started = await startOfRun(client, runId);
    if (started !== null) assertSameStart(runId, started, { ...options, source, input });
  }
  return runId;
}

/** An id for a run of a procedure. */
export function newRunId(procedure: string): string {
  return `${procedure}-${randomUUID().slice(0, 8)}`;
}

async function hasCopy(storage: StorageBackend | undefined, runId: string): Promise<boolean> {
  return storage !== undefined && (await storage.loadProcedureMetadata(runId)).execution_log.length > 0;
}

/** A copy has what a run gave, and not all that a turn goes on with. */
function warnOfLostThread(runId: string): void {
  const message = `The server has no turns of the thread ${runId} any more, so it begins anew. The storage has a copy of them. Name a longer retention of the namespace to keep threads`;
  process.emitWarning(message, { type: 'TactusWarning', code: 'TACTUS_THREAD_LOST' });
}

function reusePolicyOf(again: CarriedStart['again']): WorkflowIdReusePolicy {
  if (again === undefined) return 'REJECT_DUPLICATE';
  return again.afterAny === true ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY';
}

const forkKey = defineSearchAttributeKey(searchAttributeNames.forkedFrom, SearchAttributeType.KEYWORD);
/** Databases of servers keep so many characters of a keyword. */
const longestKeyword = 255;

/** What lists find a fork by. @param findsForks the namespace has the search attribute */
function forkMarks(
  { carry }: CarriedStart['start'],
  findsForks: boolean,
): { memo: Memo; found: SearchAttributePair[] } {
  const from = forkedFrom(carry.changes);
  if (from === undefined) return { memo: {}, found: [] };
  const isFound = findsForks && from.run_id.length <= longestKeyword;
  return { memo: { [forkMemo]: { ...from } }, found: isFound ? [{ key: forkKey, value: from.run_id }] : [] };
}

/**
 * Starts a run that goes on with a log which isn't its own, after the child runs that go on with it.
 * @throws TactusError run_conflict where the id is taken; input_invalid where a limit is one that no worker can keep
 */
export async function startCarried(
  place: StartPlace & { findsForks: boolean },
  { runId, start, packed, summary, timeout, again, parent, children = [] }: CarriedStart,
): Promise<void> {
  const { client, taskQueue, findsForks } = place;
  assertLimits(start.limits);
  for (const child of children) await startCarried(place, child);
  const { memo, found } = forkMarks(start, findsForks);
  const from = again === undefined ? forkedFrom(start.carry.changes)?.run_id : runId;
  const [priority, trace] =
    from === undefined ? [] : await Promise.all([priorityOf(client, from), traceMemoOf(client, from)]);
  try {
    await client.workflow.start(workflowType, {
      args: [start, packed],
      workflowId: runId,
      taskQueue,
      workflowIdReusePolicy: reusePolicyOf(again),
      ...defined({ workflowExecutionTimeout: timeout, priority }),
      staticSummary: summary,
      memo: {
        ...(start.source === undefined ? {} : memoOf(start.source, { ...start, parent })),
        ...trace,
        ...memo,
      },
      ...(found.length === 0 ? {} : { typedSearchAttributes: found }),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new TactusError('run_conflict', `There is a run ${runId} already: choose another id`, {
      run_id: runId,
    });
  }
}
