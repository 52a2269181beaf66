import { performing } from '../effect-kind.js';
import { toolOutcome } from '../outcome.js';
import { toolActivities } from '../performing/activities.js';
import { idempotencyKey } from '../performing/idempotency-key.js';

/**
 * One attempt at a call of a tool outside of the run. What may be done once alone is given to one worker, once: where that
 * one says nothing more, nobody knows.
 */
export const tool = performing('tool', {
  perform(context, opened, { invocation }) {
    const { call, operation, effect } = invocation;
    const isOnce = operation === 'call' && effect === 'once';
    const { callTool, tries } = toolActivities(opened.calls, {
      policy: invocation.retry,
      timeoutMs: invocation.timeoutMs,
      summary: opened.request.title,
      isOnce,
    });
    const input = { invocation, idempotencyKey: idempotencyKey(context, call), tries };
    opened.follow(
      () => callTool(input),
      (answer) => opened.answer(answer),
      (error) => opened.end(toolOutcome(error, isOnce)),
    );
  },
});
