import type { Client } from '@temporalio/client';
import { Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import { workflowBundlePath } from '../../src/worker/bundles/workflow-bundle.js';
import { hasBegun } from '../../src/worker/runs/replay-archive.js';
import { collectLogs } from './collect-logs.js';
import { historiesOf, type History } from './histories.js';
import { keepThreads } from './kept-threads.js';
import { unwatchScripts } from './unwatched-scripts.js';

/** Replays histories against the built bundle; gives what went wrong in each that doesn't fit. Those that are yet to begin are left out. */
export async function replayHistories(
  histories: { workflowId: string; history: History }[],
  more: Partial<ReplayWorkerOptions> = {},
): Promise<string[]> {
  collectLogs();
  keepThreads();
  unwatchScripts();
  const problems: string[] = [];
  const options = {
    workflowBundle: { codePath: workflowBundlePath() },
    sinks: { tactusMirror: { update: { fn: () => undefined } } },
    // In a thread, which is kept. In this process each worker would leave behind what it read of the bundle's source map, and there is room for 160.
    debugMode: false,
    ...more,
  };
  const begun = histories.filter(({ history }) => hasBegun(history));
  for await (const { workflowId, error } of Worker.runReplayHistories(options, begun)) {
    if (error !== undefined) problems.push(`${workflowId}: ${error.message}`);
  }
  return problems;
}

/** The same of all executions of a run. */
export async function replayRun(client: Client, { runId }: { runId: string }): Promise<string[]> {
  const histories = await historiesOf(client, runId);
  return replayHistories(histories.map((history) => ({ workflowId: runId, history })));
}
