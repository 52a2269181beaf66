import { readFile } from 'node:fs/promises';
import type { Checkpoint } from '../../src/contract/checkpoints/checkpoint.js';
import type { JsonObject } from '../../src/contract/json/json.js';
import { mirrorFlag } from '../../src/contract/names.js';
import type { RunStatus } from '../../src/contract/runs/run-view.js';
import type { MirrorUpdate } from '../../src/workflows/storage/mirror.js';
import type { History } from '../support/histories.js';
import { replayHistories } from '../support/replay-histories.js';

/** What an execution has shown of itself by its end. */
export interface ShownByReplay {
  statuses: RunStatus[];
  state: JsonObject;
  /** Those that this execution added, in their order. */
  checkpoints: Checkpoint[];
}

/** Replays histories on a workflow bundle; gives what didn't fit, and what was shown, by the ids of the executions. */
export async function showByReplay(
  histories: { workflowId: string; history: History }[],
  bundlePath: string,
): Promise<{ problems: string[]; shown: Map<string, ShownByReplay> }> {
  const shown = new Map<string, ShownByReplay>();
  const update = {
    fn: ({ runId }: { runId: string }, { status, state, checkpoints }: MirrorUpdate): void => {
      const before = shown.get(runId) ?? { statuses: [], state, checkpoints: [] };
      shown.set(runId, {
        statuses: before.statuses.at(-1) === status ? before.statuses : [...before.statuses, status],
        state,
        checkpoints: [...before.checkpoints, ...checkpoints],
      });
    },
    callDuringReplay: true,
  };
  const code = await readFile(bundlePath, 'utf8');
  const problems = await replayHistories(histories, {
    workflowBundle: { code: `globalThis.${mirrorFlag} = 'replays'; ${code}` },
    sinks: { tactusMirror: { update } },
  });
  return { problems, shown };
}
