import type { Outcome } from '../../contract/checkpoint.js';
import type { Effect } from '../../contract/effects.js';
import { TactusError } from '../../contract/errors.js';
import { jsonSize, type JsonValue } from '../../contract/json.js';
import type { RunContext } from '../context.js';
import type { EffectKindOf } from '../effect-kind.js';
import { childStart } from './child-start.js';

/** Runs another file as a run of its own, `<run>/<position>`, and waits for its output. */
export const procedure: EffectKindOf<Extract<Effect, { kind: 'procedure' }>> = {
  failure: 'child_failed',
  wait: 'child',
  isRemote: false,
  perform(context, opened, { file, input }) {
    const { children } = context;
    const { position } = opened;
    const start = childStart(context, position, 'Procedure.run', file, input);
    const id = children.idOf(position);
    children.onEnd(position, (outcome) => opened.end(asFailure(id, outcome)));
    children.start(
      position,
      start,
      () => undefined,
      (error) => opened.fail(error),
    );
  },
  bytes: sourceBytes,
  givenUp: ({ children }, position) => children.cancel(position),
  told: ({ children }, position) => children.forget(position),
  shown: ({ children }, position) => ({ runs: [children.idOf(position)] }),
};

/** Starts another file as a run of its own; gives its id as soon as it has begun. */
export const spawn: EffectKindOf<Extract<Effect, { kind: 'spawn' }>> = {
  failure: 'child_failed',
  wait: 'activity',
  isRemote: false,
  perform(context, opened, { file, input }) {
    const { children } = context;
    const { position } = opened;
    const start = childStart(context, position, 'Procedure.spawn', file, input);
    const begun = (): void => opened.answer(children.idOf(position));
    children.start(position, start, begun, (error) => opened.fail(error));
  },
  bytes: sourceBytes,
  givenUp: ({ children }, position) => children.cancel(position),
};

/** All files travel with each child. */
function sourceBytes({ start }: RunContext, { input }: { input: JsonValue }): number {
  return jsonSize(start.source as unknown as JsonValue) + jsonSize(input);
}

function asFailure(id: string, outcome: Outcome): Outcome {
  if (outcome.ok) return outcome;
  const { code, message } = new TactusError(
    'child_failed',
    `Procedure.run: ${id} failed: ${outcome.message}`,
  );
  return { ok: false, code, message };
}
