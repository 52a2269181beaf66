import { always, defineEffect, setting } from '../effects/define-effect.js';

/** Waits for a time of the calendar. */
export const defer = defineEffect<{ kind: 'defer'; key: string; resumeAt: string; reason: string }>()({
  kind: 'defer',
  types: ['scheduled_continuation'],
  identity: { changedWith: [], fields: { kind: always, key: always, resumeAt: always, reason: setting } },
  effectClass: () => 'pure',
  shown: ({ key, resumeAt, reason }) => ({ key, resume_at: resumeAt, reason }),
  wait: 'time',
  failure: 'internal',
  isRemote: false,
  historyEvents: 5,
  drawn: 'wait',
  example: () => ({ completed: true }),
});
