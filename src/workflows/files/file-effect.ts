import type { FileEffect } from '../../contract/files/file-effect.js';
import type { FileInput } from '../../contract/activities.js';
import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { performing, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { localHelpers, remoteHelpers } from '../effects/activities.js';

const changing: readonly string[] = ['write', 'append', 'delete', 'keep', 'restore', 'forget'];

/** One operation on a file of the worker. */
export const file = performing('file', {
  perform(context, opened, effect) {
    const { fileOutcome } = remoteHelpers(opened.request.title);
    const input = inputOf(context, opened, effect);
    opened.follow(
      () => fileOutcome(input),
      ({ value }) => opened.end(value),
    );
  },
  changes: ({ operation }) => changing.includes(operation),
  looksAt: (context, opened, effect) =>
    changing.includes(effect.operation) ? null : inputOf(context, opened, effect),
  performLocally(context, opened, effect) {
    const { fileOutcome } = localHelpers(opened.request.title);
    const input = inputOf(context, opened, effect);
    return () => fileOutcome(input);
  },
});

function inputOf(
  context: RunContext,
  { position }: OpenEffect,
  { kind: _, ...input }: FileEffect,
): FileInput {
  return { ...input, idempotencyKey: idempotencyKey(context, input.transaction ?? position) };
}
