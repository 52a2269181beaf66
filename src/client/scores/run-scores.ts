import {
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { scoresType, updateNames } from '../../contract/names.js';
import { marksMemo, readMarks, type Marks } from '../../contract/runs/marks.js';
import {
  byProcedure,
  readScoreOrder,
  readScoreRecord,
  scoresView,
  scoresWorkflowId,
  type RunScores,
  type Score,
  type ScoreOrder,
  type ScoreRecord,
  type ScoreValue,
} from '../../contract/scores/score.js';
import { retryWhileBusy } from '../runs/messages.js';
import { failureOf } from '../runs/run-errors.js';
import { describeRun } from '../runs/view-run.js';
import { TactusRun } from '../tactus-run.js';

export interface ScoreOptions {
  /** Who gives it; left out: nobody is named. */
  by?: string | undefined;
  comment?: string | undefined;
  /** Sent again under the same id (letters, digits, `-` and `_`), it is one score; left out: each call is one of its own. */
  id?: string;
}

/**
 * What people and programs think of runs, also of those that have ended. A worker of the task queue does what is ordered here; reading needs none.
 */
export class ScoresOfRuns {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
  ) {}

  /**
   * Gives a run a score. The newest of a name and a person holds.
   * @throws TactusError usage where it is none; run_not_found; change_refused where the run has 200 already
   */
  async add(
    runId: string,
    name: string,
    value: ScoreValue,
    { by, comment, id = randomUUID() }: ScoreOptions = {},
  ): Promise<RunScores> {
    const order = readScoreOrder({ name, value, by: by ?? null, comment: comment ?? null });
    const { marks } = await this.describe(runId);
    const start = {
      ...{ args: [{ runId }], workflowId: scoresWorkflowId(runId), taskQueue: this.taskQueue },
      workflowIdConflictPolicy: 'USE_EXISTING' as const,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
      staticSummary: `scores of ${runId}`,
    };
    try {
      const given = await retryWhileBusy(() =>
        this.client.workflow.executeUpdateWithStart<Workflow, RunScores, [ScoreOrder]>(updateNames.score, {
          ...{ args: [order], updateId: id },
          startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(scoresType, start),
        }),
      );
      return withOwn(given, marks);
    } catch (error) {
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : null;
      throw cause instanceof ApplicationFailure ? failureOf(cause) : error;
    }
  }

  /**
   * The scores of a run, those that its procedure has given among them. No worker is asked.
   * @throws TactusError run_not_found
   */
  async read(runId: string): Promise<RunScores> {
    const { marks } = await this.describe(runId);
    return this.of(runId, marks);
  }

  /** The same, where the marks of the run are known. */
  async of(runId: string, marks: Marks): Promise<RunScores> {
    return withOwn(scoresView(await this.record(runId)), marks);
  }

  private async describe(runId: string): Promise<{ marks: Marks }> {
    const { memo } = await describeRun(new TactusRun(this.client.workflow.getHandle(runId), runId));
    return { marks: readMarks(memo?.[marksMemo]) };
  }

  private async record(runId: string): Promise<ScoreRecord> {
    const none = { run_id: runId, scores: [] };
    try {
      const { type, memo } = await this.client.workflow.getHandle(scoresWorkflowId(runId)).describe();
      return (type === scoresType ? readScoreRecord(memo) : null) ?? none;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return none;
      throw error;
    }
  }
}

/** What the procedure has given stands in its log, and, the newest of each name, in its memo. */
function withOwn(given: RunScores, { scores = {} }: Marks): RunScores {
  const own = Object.entries(scores).map(([name, { value, at }]): Score => ({
    name,
    value,
    by: byProcedure,
    comment: null,
    at,
  }));
  return { ...given, scores: [...own, ...given.scores] };
}
