import type { DataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { Archive } from '../../client/runs/index.js';
import { faultText } from '../../client/index.js';
import { workflowBundlePath } from '../bundles/workflow-bundle.js';

/** An execution that this build doesn't lead the way that it went. */
export interface ReplayProblem {
  execution: string;
  message: string;
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
  const options = {
    dataConverter,
    workflowBundle: { codePath: workflowBundlePath() },
    sinks: { tactusMirror: { update: { fn: () => undefined } } },
  };
  let replayed = '';
  /** One after the other, as the SDK takes them. */
  function* inOrder() {
    for (const { execution, history } of histories) {
      replayed = execution;
      yield { workflowId, history };
    }
  }
  // One worker for all: each keeps what it read of the bundle's source map for as long as the process lives, which bears 160 of them.
  for await (const { error } of Worker.runReplayHistories(options, inOrder()))
    if (error !== undefined) problems.push({ execution: replayed, message: faultText(error.message) });
  return problems;
}
