import type { Outcome } from '../../contract/checkpoints/checkpoint.js';
import { defined } from '../../contract/json/json.js';
import { TactusError } from '../../contract/errors.js';
import { performing } from '../effects/effect-kind.js';
import { childStart, childStartBytes } from '../runs/child-start.js';

/** Runs another file as a run of its own, `<run>/<position>`, and waits for its output. */
export const procedure = performing('procedure', {
  perform(context, opened, effect) {
    const { children } = context;
    const { position } = opened;
    const start = childStart(context, position, 'Procedure.run', effect, opened.endOfChild(effect.deadline));
    const id = children.idOf(position);
    children.onEnd(position, (outcome) => opened.end(asFailure(id, outcome)));
    children.start(
      position,
      start,
      () => undefined,
      (error) => opened.fail(error),
    );
  },
  bytes: childStartBytes,
  givenUp: ({ children }, position) => children.cancel(position),
  told: ({ children }, position) => children.forget(position),
  shown: ({ children }, position) => ({ runs: [children.idOf(position)] }),
});

function asFailure(id: string, outcome: Outcome): Outcome {
  if (outcome.ok) return outcome;
  const { usage, givenUp } = outcome;
  const { code, message } = new TactusError(
    'child_failed',
    `Procedure.run: ${id} failed: ${outcome.message}`,
  );
  return { ok: false, code, message, ...defined({ usage, givenUp }) };
}
