import { performing } from '../effects/effect-kind.js';

/** The server's timers end near 73 years; a time of the calendar may lie beyond that. */
const longestTimerMs = 10 * 365 * 86_400_000;

/** Waits for a time of the calendar. One that has passed is a timer too: what is asked for must not depend on the clock. */
export const defer = performing('defer', {
  perform({ now }, opened, { resumeAt, reason }) {
    const end = Date.parse(resumeAt);
    const wait = (): void => {
      const restMs = end - now();
      const over = restMs > longestTimerMs ? wait : () => opened.answer({ completed: true });
      opened.timer(Math.min(restMs, longestTimerMs), `${opened.request.name}: ${reason}`, over);
    };
    wait();
  },
  shown: (_context, _position, { resumeAt }) => ({ resume_at: resumeAt }),
});
