import { performing } from '../effects/effect-kind.js';

/** Tries a part again from what failed in it. `settleRetryHere` does the rest, as soon as nothing else is under way. */
export const retryHere = performing('retry_here', {
  perform({ retriesHere }, opened, { kind: _, ...effect }) {
    retriesHere.waiting.set(opened.position, { ...effect, refuse: (why) => opened.answer(why) });
  },
  givenUp({ retriesHere }, position) {
    retriesHere.waiting.delete(position);
  },
});
