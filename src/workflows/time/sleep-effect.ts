import { performing } from '../effects/effect-kind.js';

/** A durable timer. */
export const sleep = performing('sleep', {
  perform(_context, opened, { ms }) {
    opened.deadline(ms, opened.request.name, () => opened.answer(null));
  },
});
