import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  currentUpdateInfo,
  defineUpdate,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { TactusError } from '../../contract/errors.js';
import { updateNames } from '../../contract/names.js';
import {
  readScoreOrder,
  scoresMemo,
  scoresView,
  scoresWorkflowId,
  withScore,
  type RunScores,
  type ScoreOrder,
  type ScoreRecord,
} from '../../contract/scores/score.js';

/** What the workflow of a run's scores is started with, and hands to itself. */
interface ScoresState {
  runId: string;
  /** Left out: there are none yet. */
  record?: ScoreRecord;
  /** Ids of the last orders: one that is sent again in the next execution is done already. */
  done?: string[];
}

const scoreUpdate = defineUpdate<RunScores, [ScoreOrder]>(updateNames.score);

/** Orders of one execution: the server takes 2,000 Updates in all, and each puts the whole record into the history. */
const mostOrders = 100;
const rememberedOrders = 20;
/** So long scores are kept after the last one was given, in ms: longer than servers keep runs. */
const keptMs = 400 * 86_400_000;

/**
 * Keeps the scores of one run, which may have ended long ago. They stand in its memo, and are read without a worker.
 *
 * Owns: the record of the run. Invariant: each order is done once, and the memo changes in the task that answers it.
 */
export async function tactusScores(given: unknown): Promise<void> {
  const { runId, record = { run_id: runId, scores: [] }, done = [] } = readState(given);
  let kept = record;
  let remembered = done;
  let orders = 0;
  const answer = (order: ScoreOrder): RunScores => {
    orders++;
    const id = currentUpdateInfo()?.id ?? '';
    if (remembered.includes(id)) return scoresView(kept);
    try {
      kept = withScore(kept, { ...readScoreOrder(order), at: new Date().toISOString() });
    } catch (error) {
      throw asFailure(error);
    }
    remembered = [...remembered, id].slice(-rememberedOrders);
    upsertMemo({ [scoresMemo]: kept });
    return scoresView(kept);
  };
  setHandler(scoreUpdate, answer, { validator: refuse });
  const isLong = (): boolean => orders >= mostOrders || workflowInfo().continueAsNewSuggested;
  for (let seen = -1; !isLong();) {
    seen = orders;
    const isScored = await condition(() => orders > seen, keptMs);
    if (!isScored) return;
  }
  await condition(allHandlersFinished);
  const goOn = makeContinueAsNewFunc<typeof tactusScores>({ memo: { [scoresMemo]: kept } });
  const next: ScoresState = { runId, record: kept, done: remembered };
  await goOn(next);
}

/** @throws ApplicationFailure: what anybody may start it with must not fail its task again and again */
function readState(given: unknown): ScoresState {
  const state = (given ?? {}) as Partial<ScoresState>;
  const { runId } = state;
  if (typeof runId === 'string' && workflowInfo().workflowId === scoresWorkflowId(runId))
    return { ...state, runId };
  throw ApplicationFailure.nonRetryable('Its id must be that of the run that it is started with', 'usage');
}

/** Refuses what is no order, from whatever client, with nothing in history. */
function refuse(given: unknown): void {
  try {
    readScoreOrder(given);
  } catch (error) {
    throw asFailure(error);
  }
}

/** What an order is refused with; anything else is a fault in this code. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof TactusError)) return error;
  return ApplicationFailure.nonRetryable(error.message, error.code, error.details);
}
