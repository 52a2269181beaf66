import type { WaitingChange } from '../../contract/changes/run-change.js';
import { openIn, type ChangeParts } from './settle-change.js';

/** What the change is proved by that waits: another source, else the first part that is to be tried again. null: nothing waits. */
export function waitingChange({
  context,
  program,
}: Pick<ChangeParts, 'context' | 'program'>): WaitingChange | null {
  const { changing, retriesHere, start } = context;
  const { unspent, pending } = program;
  if (changing.asked?.kind === 'upgrade')
    return { change: changing.asked.change, spent: [...unspent], open: openIn(pending) };
  const [retry] = retriesHere.waiting.values();
  if (retry === undefined) return null;
  return {
    change: { source: start.source },
    gone: [...retry.gone],
    spent: [...unspent, ...retry.spent],
    open: openIn(pending),
  };
}
