import type { Position } from '../../checkpoints/position.js';
import { quoteText } from './quote-text.js';

/** The server takes no longer workflow ids; the message has to name the run in full. */
const longestRunId = 1_000;

const positionPattern = /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8}))*$/;

/**
 * The position that a request id of this run names, or why it names none. A run's own id may hold slashes, so
 * only what follows it counts; `<run>/<position>/<position>` is a request of a child run.
 */
export function locateRequest(runId: string, id: string): { position: Position } | { problem: string } {
  if (id.startsWith(`${runId}/`)) {
    const position = id.slice(runId.length + 1);
    if (positionPattern.test(position)) return { position };
  }
  const slash = id.lastIndexOf('/');
  if (slash <= 0 || !positionPattern.test(id.slice(slash + 1))) {
    return { problem: `${quoteText(id)} is not the id of a request, which reads <run>/<position>` };
  }
  const owner = quoteText(id.slice(0, slash), longestRunId);
  return { problem: `request ${quoteText(id)} belongs to run ${owner}: send the decision to that run` };
}
