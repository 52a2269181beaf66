import type { FileEffect } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';
import { localActivities, remoteHelpers } from './activities.js';
import { idempotencyKey } from './idempotency-key.js';

/** One operation on a file of the worker. */
export const file: EffectKindOf<FileEffect> = {
  failure: 'file_failed',
  wait: 'activity',
  isRemote: false,
  perform(context, opened, { kind: _, ...input }) {
    const { fileOutcome } = remoteHelpers(opened.request.name);
    const key = idempotencyKey(context, opened.position);
    opened.follow(
      () => fileOutcome({ ...input, idempotencyKey: key }),
      ({ value }) => opened.end(value),
    );
  },
  performLocally(context, opened, { kind: _, ...input }) {
    const key = idempotencyKey(context, opened.position);
    return () => localActivities.fileOutcome({ ...input, idempotencyKey: key });
  },
};
