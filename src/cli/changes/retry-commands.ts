import { Command } from 'commander';
import { readRetry, retryRuns, rewindRun, rewindRuns, type Told } from '../../client/runs/index.js';
import { describeRun, endOf, refuseStuck } from '../../client/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { accountName } from '../authority/signing-options.js';
import { act, exitCodes, lastArgument, ownCommand, type Context } from '../command.js';
import { withSession } from '../session.js';
import {
  answerPlan,
  consentOf,
  noteLeftBehind,
  readPlace,
  withChangeFlags,
  withPlaceFlags,
  type ChangeFlags,
  type PlaceFlags,
} from './change-flags.js';
import { changeFailed, whichRuns, withFailedFlags, type FailedFlags } from './failed-runs.js';
import { checkpointCount } from './plan-text.js';

/** `retry RUN`, `retry --failed`: runs that have failed go on under their ids, from what failed. */
export function retryCommand(): Command {
  const command = new Command('retry')
    .description('go on with a run that has failed: what failed is tried again, and nothing before it')
    .argument('[run]', 'id of the run');
  return withChangeFlags(withFailedFlags(command)).action(
    act(async (context, flags: FailedFlags & ChangeFlags, named: string | undefined) => {
      const runId = whichRuns('retry', named, flags);
      const source = flags.source === undefined ? undefined : await collectFile(flags.source);
      return withSession(context, async (session) => {
        const options = { source, ...consentOf(flags) };
        if (typeof runId !== 'string') {
          const { limit, ...which } = runId;
          return changeFailed(context, session, { source, isDry: flags.dryRun === true }, (many) =>
            retryRuns(session.tactus, which, {
              ...{ ...options, ...many, limit },
              beforeMoves: () => session.worker.end(),
            }),
          );
        }
        const run = session.tactus.attach(runId);
        await refuseStuck(run, await describeRun(run));
        const retry = await session.ask(() => readRetry(run, options));
        await session.worker.end();
        const { at, plan, leftBehind } = retry;
        const told = { run_id: runId, from: runId, at, left_behind: leftBehind, plan };
        if (flags.dryRun === true) return answerPlan(context, told, source);
        await session.tactus.startFork(retry);
        context.screen.answer(told, () => runId);
        tellOutcome(context, runId, { plan, leftBehind });
        return exitCodes.done;
      });
    }),
  );
}

/** `rewind RUN --at POSITION`: a run goes back to a checkpoint under its id, whether it is open or has ended; `rewind --failed`: many. */
export function rewindCommand(): Command {
  const command = new Command('rewind')
    .description('make a run go back to a checkpoint, and go another way from there under its id')
    .argument('[run]', 'id of the run, open or ended');
  return withChangeFlags(withFailedFlags(withPlaceFlags(command))).action(
    act(async (context, flags: PlaceFlags & FailedFlags & ChangeFlags, named: string | undefined) => {
      const runId = whichRuns('rewind', named, flags);
      const place = await readPlace('rewind', named, flags);
      const { at, source } = place;
      return withSession(context, async (session) => {
        if (typeof runId !== 'string') {
          const { limit, ...which } = runId;
          const options = { ...place, by: accountName(), ...consentOf(flags) };
          return changeFailed(context, session, { source, isDry: flags.dryRun === true }, (many) =>
            rewindRuns(session.tactus, which, { ...options, ...many, limit }),
          );
        }
        const run = session.tactus.attach(runId);
        const description = await describeRun(run);
        await refuseStuck(run, description);
        const isMoved = flags.dryRun !== true && endOf(description.status.name) === null;
        // The run itself goes back, by a worker.
        if (isMoved) await session.worker.provide({ performs: !(await session.worker.hasLive()) });
        const { ask } = session.asking;
        const options = { ...place, by: accountName(), ask, ...consentOf(flags) };
        const { plan, leftBehind } = await rewindRun(session.tactus, run, options);
        await session.worker.end();
        const told = { run_id: runId, from: runId, at, left_behind: leftBehind, plan };
        if (flags.dryRun === true) return answerPlan(context, told, source);
        context.screen.answer(told, () => runId);
        tellOutcome(context, runId, { plan, leftBehind });
        return exitCodes.done;
      });
    }),
  );
}

function tellOutcome(
  context: Context,
  runId: string,
  { plan, leftBehind }: Pick<Told, 'plan' | 'leftBehind'>,
): void {
  context.screen.note(
    `It keeps ${checkpointCount(plan.kept)}: ${ownCommand(`resume ${lastArgument(runId)}`)}`,
  );
  noteLeftBehind(context, leftBehind);
}
