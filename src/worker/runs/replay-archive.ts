import type { DataConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import type { Archive } from '../../client/runs/index.js';
import { faultText } from '../../client/index.js';
import { preparedBundle, workflowBundlePath } from '../bundles/workflow-bundle.js';
import { silentSinks } from './run-sinks.js';

/** An execution that this build doesn't lead the way that it went. */
export interface ReplayProblem {
  execution: string;
  message: string;
}

/** A history that is to be replayed. */
export interface KnownHistory extends ReplayTarget {
  history: History;
}

interface ReplayTarget {
  workflowId: string;
  execution: string;
}

/**
 * Replays the histories of a run against the workflow code of this build. Nothing is performed.
 * @param dataConverter that of the workers that ran it
 * @returns what went another way; empty where all leads the same way
 */
export async function replayArchive(
  { run_id: workflowId, histories }: Archive,
  dataConverter: DataConverter = {},
): Promise<ReplayProblem[]> {
  const problems: ReplayProblem[] = [];
  const bundle = { codePath: workflowBundlePath() };
  const workflowBundle = await preparedBundle(bundle, { flags: [], stackTraces: false });
  const options = { dataConverter, workflowBundle };
  const known = histories.map((each) => ({ workflowId, ...each }));
  for await (const { execution, problem } of replayHistories(options, known))
    if (problem !== null) problems.push({ execution, message: problem });
  return problems;
}

/**
 * Replays histories one after the other, with one worker for all: each keeps what it read of the bundle's source map for as
 * long as the process lives, which bears 160 of them.
 * @returns for each what went another way, or null. An execution that has yet to begin, as by a delayed start, is left out.
 */
export async function* replayHistories(
  options: ReplayWorkerOptions,
  histories: Iterable<KnownHistory> | AsyncIterable<KnownHistory>,
): AsyncGenerator<ReplayTarget & { problem: string | null }> {
  let replayed: ReplayTarget = { workflowId: '', execution: '' };
  /** The SDK takes the next one when it has told of the one before. It waits for ever where there is nothing to replay. */
  async function* inOrder(): AsyncGenerator<KnownHistory> {
    for await (const each of histories) {
      if (!hasBegun(each.history)) continue;
      replayed = each;
      yield each;
    }
  }
  for await (const { error } of Worker.runReplayHistories({ ...options, sinks: silentSinks }, inOrder()))
    yield {
      workflowId: replayed.workflowId,
      execution: replayed.execution,
      problem: error === undefined ? null : faultText(told(error.message)),
    };
}

/** Whether a workflow task of it has been scheduled: else there is nothing to replay. */
export function hasBegun({ events }: History): boolean {
  return events?.some((event) => event.workflowTaskScheduledEventAttributes != null) ?? false;
}

/** What the worker said of a replay, without the structures of Rust around it. */
function told(message: string): string {
  const [, quoted] = /Failure \{ message: ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  if (quoted === undefined) return message;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return message;
  }
}
