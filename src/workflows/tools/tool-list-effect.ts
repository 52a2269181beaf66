import type { ToolListing } from '../../contract/tools/outside-tool.js';
import { holdTerms, performing, type RunContext } from '../effects/effect-kind.js';
import { toolActivities } from '../effects/activities.js';
import { queueOfToolList } from '../effects/call-queues.js';

/** Asks workers what tools there are: the run's own, and those in Python for theirs. */
export const toolList = performing('tool_list', {
  perform(context, opened, { sources }) {
    const { limits } = opened.calls;
    const ask = ({ taskQueue, names }: Share): Promise<ToolListing> => {
      const { listTools, tries } = toolActivities(opened.calls, {
        timeoutMs: limits.toolTimeoutMs,
        summary: opened.request.title,
        isOnce: false,
        taskQueue,
      });
      return listTools({ sources: names, tries, ...holdTerms(context, opened.position) });
    };
    const [all, ...others] = shares(context, sources);
    if (all === undefined) return opened.answer({});
    // As it was asked before there were workers in Python.
    const begin = (): Promise<ToolListing> =>
      others.length === 0 ? ask(all) : Promise.all([all, ...others].map(ask)).then(merged);
    opened.follow(begin, (listing) => opened.answer(listing));
  },
});

function merged(listings: readonly ToolListing[]): ToolListing {
  return Object.assign({}, ...listings) as ToolListing;
}

/** What workers of one queue are asked for. */
interface Share {
  taskQueue: string | undefined;
  names: string[];
}

function shares(context: RunContext, sources: readonly string[]): Share[] {
  const byQueue = new Map<string | undefined, string[]>();
  for (const source of sources) {
    const taskQueue = queueOfToolList(context, source);
    byQueue.set(taskQueue, [...(byQueue.get(taskQueue) ?? []), source]);
  }
  return [...byQueue].map(([taskQueue, names]) => ({ taskQueue, names }));
}
