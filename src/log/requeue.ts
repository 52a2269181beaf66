import {
  isWithin,
  outerPosition,
  type Checkpoint,
  type Position,
} from '../contract/checkpoints/checkpoint.js';

/** What ended a run, and what of its log is kept where that is tried again. */
export interface Failure {
  /**
   * The checkpoint that failed, the innermost of those that failed with it; the saga that has taken back what it had done. null: none has, and
   * the procedure failed by its own code.
   */
  at: Position | null;
  kept: Checkpoint[];
  /** Positions of what failed, and of what was done because of that. */
  failed: Position[];
  /** What was done at `at` before has been taken back: it is done anew, and is nothing that was asked for before. */
  isUndone: boolean;
}

/**
 * Finds what ended a run. A round that failed by its own code is done anew as a whole, and so is a saga that was compensated. What was done
 * at the end of a part that failed, or that was given up, is done anew at its end, and people who gave up are asked again where it fails again.
 */
export function failureIn(log: readonly Checkpoint[]): Failure {
  const { failed, followUps } = lastFailure(log);
  const isOfFollowUp = ({ position }: Checkpoint): boolean =>
    followUps.some((each) => isWithin(position, each.position));
  const others = log.filter((each) => !isOfFollowUp(each));
  const gone = [...failed, ...log.filter(isOfFollowUp)].map(({ position }) => position);
  const undone = followUps
    .filter(({ followUp }) => followUp === 'compensation')
    .map(({ position }) => outerPosition(position))
    .reduce<Position | null>((one, other) => (one === null || isWithin(one, other) ? other : one), null);
  const at = undone ?? failed.at(-1)?.position ?? null;
  const isUndone = undone !== null;
  if (at === null) return { at, kept: others, failed: gone, isUndone };
  const inside = undone === null ? others : others.filter(({ position }) => !isWithin(position, undone));
  return { at, kept: withoutFailure(inside, at), failed: gone, isUndone };
}

/** The checkpoints that failed one within the other at the end of a log, the outermost first, and what was done because of it. */
function lastFailure(log: readonly Checkpoint[]): { failed: Checkpoint[]; followUps: Checkpoint[] } {
  const failed: Checkpoint[] = [];
  const followUps: Checkpoint[] = [];
  const recorded = new Set(log.map(({ position }) => position));
  for (const entry of [...log].reverse()) {
    const { outcome, position, followUp } = entry;
    if (followUps.some((each) => isWithin(position, each.position))) continue;
    const last = failed.at(-1);
    const isInside = last === undefined || isWithin(position, last.position);
    const part = outerPosition(position);
    // A part that was given up is in no log.
    if (followUp !== undefined && isInside && (part === last?.position || !recorded.has(part))) {
      followUps.push(entry);
      continue;
    }
    if (outcome.ok || !isInside || (last !== undefined && !isSameFailure(outcome, last.outcome))) break;
    failed.push(entry);
  }
  return { failed, followUps };
}

function isSameFailure(one: Checkpoint['outcome'], other: Checkpoint['outcome']): boolean {
  return !one.ok && !other.ok && one.code === other.code;
}

/**
 * The log of a run that failed by a call, without that failure: without the call, and without the frames around it, which failed by it.
 * What succeeded beside it stays, whenever that was. Of a super-step in which several nodes failed, none of the failures stays.
 */
export function withoutFailure(log: readonly Checkpoint[], at: Position): Checkpoint[] {
  const superSteps = log.filter(({ type, position }) => type === 'super_step' && isWithin(at, position));
  const isInStep = ({ position }: Checkpoint): boolean =>
    superSteps.some((step) => isWithin(position, step.position));
  const nodes = log.filter(
    (each) =>
      each.type === 'graph_node' && !each.outcome.ok && isInStep(each) && !isWithin(at, each.position),
  );
  const others = nodes.flatMap((node) => {
    const inside = log.filter(({ position }) => isWithin(position, node.position));
    const isHandled = ({ position }: Checkpoint): boolean =>
      inside.some((each) => each.outcome.ok && isOuter(each.position, position));
    const isFrame = ({ position }: Checkpoint): boolean =>
      inside.some((each) => isOuter(position, each.position));
    const last = inside.findLast((each) => !each.outcome.ok && !isFrame(each) && !isHandled(each));
    return [node.position, ...(last === undefined ? [] : [last.position])];
  });
  const gone = [at, ...others];
  return log.filter(({ position }) => !gone.some((each) => isWithin(each, position)));
}

function isOuter(outer: Position, inner: Position): boolean {
  return outer !== inner && isWithin(inner, outer);
}
