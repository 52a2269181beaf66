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
  for (const { execution, history } of histories)
    for await (const { error } of Worker.runReplayHistories(options, [{ workflowId, history }]))
      if (error !== undefined) problems.push({ execution, message: faultText(error.message) });
  return problems;
}
