import { Context, getClient } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import type { ReplayWorkerOptions } from '@temporalio/worker';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withHeartbeat } from '../../activities/index.js';
import { ifThere, quote, stuckAmong } from '../../client/index.js';
import { mostGateProblems, type GateActivities, type GateReport } from '../../contract/deployments/gate.js';
import type { ErrorCode } from '../../contract/errors.js';
import { gateType } from '../../contract/names.js';
import { replayHistories, type KnownHistory } from '../runs/replay-archive.js';

/** Of a list that runs are chosen from. */
const mostListed = 10_000;
const pageSize = 1_000;
/** Files of a folder of archives. */
const mostArchives = 1_000;

export interface GateOptions {
  /** Folder of files that `archive` wrote, which are replayed besides; null: none. */
  archives: string | null;
  /** How this worker replays: its code and its data converter. */
  replayOptions: () => Promise<ReplayWorkerOptions>;
}

/**
 * What the gate asks of a worker: whether the histories of its task queue lead the same way with its build.
 *
 * Histories are replayed in a thread, so that the worker goes on to serve its runs. They are read one after the other: no
 * two are in memory.
 */
export function gateActivities({ archives, replayOptions }: GateOptions): GateActivities {
  return {
    replayRuns: ({ runs, taskQueue }) =>
      withHeartbeat(async () => {
        const client = getClient();
        const executions = [
          ...(await listed(client, `${ofQueue(taskQueue)} AND ExecutionStatus = 'Running'`, runs)),
          ...(await listed(client, `${ofQueue(taskQueue)} AND ExecutionStatus != 'Running'`, runs)),
        ];
        const all = chain(fetched(client, executions), kept(archives));
        // As an object of its own: the type of the options leaves out that a replay may be in a thread.
        const options = { ...(await replayOptions()), debugMode: false };
        return report(client, replayHistories(options, all));
      }),
  };
}

interface Execution {
  workflowId: string;
  runId: string;
}

function ofQueue(taskQueue: string): string {
  return `TaskQueue = ${quote(taskQueue)} AND WorkflowType != ${quote(gateType)}`;
}

/** So many of a list, spread over all of it: a list has the newest first, and those that began with older versions last. */
async function listed(client: Client, query: string, count: number): Promise<Execution[]> {
  if (count === 0) return [];
  const found: Execution[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      ...{ namespace: client.options.namespace, query, pageSize, nextPageToken },
    });
    for (const { execution } of page.executions ?? [])
      found.push({ workflowId: execution?.workflowId ?? '', runId: execution?.runId ?? '' });
    nextPageToken = page.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0 && found.length < mostListed);
  if (found.length <= count) return found;
  return Array.from(
    { length: count },
    (_, index) => found[Math.floor((index * found.length) / count)],
  ).filter((each) => each !== undefined);
}

async function* fetched(client: Client, executions: readonly Execution[]): AsyncGenerator<KnownHistory> {
  for (const { workflowId, runId } of executions) {
    Context.current().cancellationSignal.throwIfAborted();
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory().catch(ifThere);
    // Else it was deleted since it was listed.
    if (history !== null) yield { workflowId, execution: runId, history };
  }
}

/** @throws ApplicationFailure config_invalid where the folder can't be read, or has what is no archive */
async function* kept(folder: string | null): AsyncGenerator<KnownHistory> {
  if (folder === null) return;
  const { historiesOfArchive } = await import('../../client/runs/index.js');
  const code: ErrorCode = 'config_invalid';
  const refuse = (problem: string): ApplicationFailure =>
    ApplicationFailure.nonRetryable(`worker.gate_archives: ${problem}`, code);
  const names = await readdir(folder).catch((error: Error) => {
    throw refuse(`${folder} can't be read (${error.message})`);
  });
  if (names.length > mostArchives) throw refuse(`${folder} has more than ${mostArchives} files`);
  for (const name of names.sort()) {
    Context.current().cancellationSignal.throwIfAborted();
    const { run_id: workflowId, histories } = await readFile(join(folder, name))
      .then((packed) => historiesOfArchive(packed, name))
      .catch((error: Error) => {
        throw refuse(error.message);
      });
    for (const each of histories) yield { workflowId, ...each };
  }
}

async function* chain<T>(...parts: AsyncIterable<T>[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}

async function report(client: Client, replays: ReturnType<typeof replayHistories>): Promise<GateReport> {
  let [replayed, failed] = [0, 0];
  const problems: GateReport['problems'] = [];
  const stuck = new Set<string>();
  for await (const { workflowId: run, execution, problem } of replays) {
    replayed++;
    if (problem === null || stuck.has(run)) continue;
    if ((await stuckAmong(client, [{ run_id: run, closed_at: null }])).size > 0) {
      stuck.add(run);
      continue;
    }
    failed++;
    if (problems.length < mostGateProblems) problems.push({ run, execution, message: problem });
  }
  return { replayed, failed, problems, stuck_before: [...stuck] };
}
