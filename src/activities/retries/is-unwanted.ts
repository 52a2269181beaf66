import { Context } from '@temporalio/activity';
import type { ServerAccess } from '../runs/server-access.js';

/**
 * Whether nobody wants any more what the activity was at, once it was cancelled: a worker that shuts down, and an attempt
 * that is over, leave it to the next one.
 */
export async function isUnwanted(server: ServerAccess): Promise<boolean> {
  const { cancelRequested = false, notFound = false } = Context.current().cancellationDetails ?? {};
  return cancelRequested || (notFound && !(await server.isRunOpen().catch(() => true)));
}
