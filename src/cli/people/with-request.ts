import { runIdOf } from '../../client/tactus-client.js';
import { TactusError } from '../../contract/errors.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { pendingOf } from './find-pending.js';
import { withSession, type Session } from '../session.js';

export interface NamedRequest {
  id: string;
  runId: string;
  /** null where no such request is open: the run says what has become of it. */
  request: HumanRequest | null;
}

/**
 * Does something about a request that is named by its id.
 * @throws TactusError request_unknown where that is no id of a request
 */
export function withRequest(
  context: Context,
  id: string,
  work: (session: Session, named: NamedRequest) => Promise<ExitCode>,
): Promise<ExitCode> {
  const runId = runIdOf(id);
  if (runId === '' || runId === id)
    throw new TactusError(
      'request_unknown',
      `${JSON.stringify(id)} is no id of a request: they look like RUN/3; see: tactus-temporal pending`,
    );
  return withSession(context, async (session) => {
    const pending = await pendingOf(session, runId).catch(noRun);
    return work(session, { id, runId, request: pending.find((each) => each.id === id) ?? null });
  });
}

/** A run that isn't there has no requests; that the decision says too. */
function noRun(error: unknown): HumanRequest[] {
  if (error instanceof TactusError && error.code === 'run_not_found') return [];
  throw error;
}
