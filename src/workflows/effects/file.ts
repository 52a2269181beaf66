import type { FileEffect } from '../../contract/effects.js';
import type { EffectKindOf } from '../effect-kind.js';
import { localActivities } from './activities.js';
import { idempotencyKey } from './idempotency-key.js';

/** One operation on a file of the worker. */
export const file: EffectKindOf<FileEffect> = {
  failure: 'file_failed',
  wait: 'activity',
  isRemote: false,
  perform() {
    throw new TypeError('a file is read and written by a local activity');
  },
  performLocally(context, opened, { kind: _, ...input }) {
    const key = idempotencyKey(context, opened.position);
    return () => localActivities.fileOutcome({ ...input, idempotencyKey: key });
  },
};
