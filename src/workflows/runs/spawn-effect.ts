import { performing } from '../effects/effect-kind.js';
import { childStart, childStartBytes } from './child-start.js';

/** Starts another file as a run of its own; gives its id as soon as it has begun. */
export const spawn = performing('spawn', {
  perform(context, opened, effect) {
    const { children } = context;
    const { position } = opened;
    const start = childStart(
      context,
      position,
      'Procedure.spawn',
      effect,
      opened.endOfChild(effect.deadline),
    );
    const begun = (): void => opened.answer(children.idOf(position));
    children.start(position, start, begun, (error) => opened.fail(error));
  },
  bytes: childStartBytes,
  givenUp: ({ children }, position) => children.cancel(position),
});
