import { isWithin, type Checkpoint, type Position } from '../contract/checkpoints/checkpoint.js';

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
