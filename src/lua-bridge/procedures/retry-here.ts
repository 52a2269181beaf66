import {
  childPosition,
  comparePositions,
  isWithin,
  type Checkpoint,
  type CheckpointType,
  type Position,
} from '../../contract/checkpoints/checkpoint.js';
import { usageOfAnswer } from '../../contract/budgets/usage-of-answer.js';
import { nothingUsed, sumUsage, type Spent } from '../../contract/models/model-call.js';
import type { FailedHere } from '../../contract/people/failure-context.js';
import { failureIn } from '../../log/requeue.js';
import type { AttemptedEffects, Bridge, Frame, Step } from '../kernel/index.js';

/** An attempt at a part of the procedure: it counts the checkpoints of the frame that it stands in from this one on. */
export interface AttemptAt {
  frame: Frame;
  first: number;
}

/** What it waits for has ended, and ends in the same way when it is waited for again. */
const endsTheSame = 'procedure_wait';

/**
 * The checkpoint that an attempt failed with; null where it can't be tried again from there: its own code failed, or mocks answer, which say the
 * same once more.
 * @param error what it failed with
 */
export function failedHere(
  bridge: Bridge,
  attempt: AttemptAt,
  attempted: AttemptedEffects,
  error: string,
): FailedHere | null {
  if (bridge.run.scenario !== null || bridge.run.mock !== null) return null;
  const entries = recordedIn(bridge, attempt);
  const { at } = failureIn(entries);
  const failed = entries.find(({ position }) => position === at);
  if (failed === undefined || failed.outcome.ok || failed.type === endsTheSame) return null;
  const { position, type, name, outcome } = failed;
  if (!error.includes(outcome.message)) return null;
  return { position, type, name, repeats: attempted.mayRepeat(position) };
}

/** Tries an attempt again from the checkpoint that it failed with. Gives why that can't be done; where it can, the run goes on elsewhere. */
export function* retryHere(
  bridge: Bridge,
  attempt: AttemptAt,
  { position: at, name }: FailedHere,
  by: string | null,
): Generator<Step, string, unknown> {
  const entries = recordedIn(bridge, attempt);
  const { kept, isUndone } = failureIn(entries);
  const isInside = ({ position }: Checkpoint): boolean => position !== at && isWithin(position, at);
  const left = new Set(kept.filter((each) => !isInside(each)));
  const lost = entries.filter((each) => !left.has(each));
  const gone = lost.map(({ position }) => position);
  const isAnew = isUndone || entries.some(isInside);
  const effect = { kind: 'retry_here', at, gone, spent: spentOn(lost), by, isAnew } as const;
  return (yield { effect: { type: 'retry_here', name, effect } }) as string;
}

/** What budgets have counted of an attempt, and are to count all the same when another one is made. */
function spentOn(lost: readonly Checkpoint[]): Spent[] {
  const others = lost.flatMap(({ outcome }) => outcome.spent ?? []);
  const paid = lost.flatMap(({ position, type, outcome }) => {
    const { usage } = usageOfAnswer(outcome, type === 'model_call');
    return usage === null ? [] : [{ position, usage }];
  });
  const [first] = paid;
  if (first === undefined) return others;
  const countOf = (wanted: CheckpointType): number => lost.filter(({ type }) => type === wanted).length;
  const calls = {
    used: countOf('model_call'),
    turns: countOf('agent_turn'),
    toolCalls: countOf('tool_call'),
  };
  const usage = paid.reduce((sum, each) => sumUsage(sum, each.usage), nothingUsed);
  return [
    ...others,
    { position: first.position, usage: { ...usage, calls: { ...calls, granted: 0 } }, again: true },
  ];
}

function recordedIn({ log }: Bridge, { frame, first }: AttemptAt): Checkpoint[] {
  const begin = childPosition(frame.position, first);
  const isInside = (position: Position): boolean =>
    (frame.position === '' || isWithin(position, frame.position)) && comparePositions(position, begin) >= 0;
  // In a replay, what is recorded and has yet to end isn't there.
  return log.entries.slice(0, log.ended).filter(({ position }) => isInside(position));
}
