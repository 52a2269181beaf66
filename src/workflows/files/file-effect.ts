import { idempotencyKey, performing } from '../effects/effect-kind.js';
import { localHelpers, remoteHelpers } from '../effects/activities.js';

const changing: readonly string[] = ['write', 'append', 'delete', 'keep', 'restore', 'forget'];

/** One operation on a file of the worker. */
export const file = performing('file', {
  perform(context, opened, { kind: _, ...input }) {
    const { fileOutcome } = remoteHelpers(opened.request.title);
    const key = idempotencyKey(context, input.transaction ?? opened.position);
    opened.follow(
      () => fileOutcome({ ...input, idempotencyKey: key }),
      ({ value }) => opened.end(value),
    );
  },
  changes: ({ operation }) => changing.includes(operation),
  performLocally(context, opened, { kind: _, ...input }) {
    const { fileOutcome } = localHelpers(opened.request.title);
    const key = idempotencyKey(context, input.transaction ?? opened.position);
    return () => fileOutcome({ ...input, idempotencyKey: key });
  },
});
