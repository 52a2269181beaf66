import { holdTerms, performing } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';

/** One attempt to send an intent, in ms. */
export const intentTimeoutMs = 15_000;

/** Sends an intent by the dispatcher of a worker: by its key, so that a receiver knows what it had before. */
export const intent = performing('intent', {
  perform(context, opened, { key, intent: sent }) {
    const { dispatchIntent, tries } = remoteActivities(opened.calls, {
      timeoutMs: intentTimeoutMs,
      summary: opened.request.title,
    });
    opened.follow(
      () =>
        dispatchIntent({ idempotencyKey: key, intent: sent, tries, ...holdTerms(context, opened.position) }),
      (outcome) => opened.answer(outcome),
    );
  },
});
