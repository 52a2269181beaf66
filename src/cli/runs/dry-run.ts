import { describeRun } from '../../client/index.js';
import { answerDryRun, TactusError, type Context, type ExitCode } from '../command.js';
import type { Session } from '../session.js';

/**
 * Answers a dry run of what is done with an open run.
 * @param what `cancel`: it is followed by the run's id
 * @param told what a program wants to know besides
 * @throws TactusError run_not_found; run_conflict where the run has ended
 */
export async function answerDryRunOf(
  context: Context,
  { tactus }: Session,
  runId: string,
  what: string,
  told: object = {},
): Promise<ExitCode> {
  if ((await describeRun(tactus.attach(runId))).closeTime !== undefined)
    throw new TactusError('run_conflict', `${runId} has ended: there is nothing to ${what}`);
  return answerDryRun(context, `${what} ${runId}`, { run_id: runId, ...told });
}
