import { performing } from '../effect-kind.js';
import { toolActivities } from '../performing/activities.js';

/** Asks a worker what tools there are. */
export const toolList = performing('tool_list', {
  perform(_context, opened, { sources }) {
    const { limits } = opened.calls;
    const { listTools, tries } = toolActivities(opened.calls, {
      timeoutMs: limits.toolTimeoutMs,
      summary: opened.request.title,
      isOnce: false,
    });
    opened.follow(
      () => listTools({ sources, tries }),
      (listing) => opened.answer(listing),
    );
  },
});
