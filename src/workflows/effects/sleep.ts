import { performing } from '../effect-kind.js';

/** A durable timer. Its end is absolute, so continue-as-new doesn't start it anew. */
export const sleep = performing('sleep', {
  perform({ deadlines, now }, opened, { ms }) {
    const deadline = deadlines.get(opened.position) ?? now() + ms;
    deadlines.set(opened.position, deadline);
    opened.timer(deadline - now(), opened.request.name, () => opened.answer(null));
  },
});
