import { Command } from 'commander';
import { forkRuns, readFork } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { act, exitCodes, ownCommand, lastArgument, TactusError } from '../command.js';
import {
  answerPlan,
  consentOf,
  noteLeftBehind,
  readPlace,
  withChangeFlags,
  withPlaceFlags,
  type ChangeFlags,
  type PlaceFlags,
} from '../changes/change-flags.js';
import { changeFailed, whichRuns, withFailedFlags, type FailedFlags } from '../changes/failed-runs.js';
import { checkpointCount, planLines } from '../changes/plan-text.js';
import { withSession } from '../session.js';

interface ForkFlags extends ChangeFlags, PlaceFlags, FailedFlags {
  id?: string;
}

/** `fork RUN --at POSITION`: starts another run with the log of one up to a checkpoint; `fork --failed`: one for each that has failed. */
export function forkCommand(): Command {
  const command = new Command('fork')
    .description(
      'start another run that begins with the log of one, and goes its own way from a checkpoint on',
    )
    .argument('[run]', 'id of the run');
  const placed = withFailedFlags(withPlaceFlags(command)).option(
    '--id <run>',
    'id of the new run (default: generated)',
  );
  return withChangeFlags(placed).action(
    act(async (context, { id, ...flags }: ForkFlags, named: string | undefined) => {
      const runId = whichRuns('fork', named, flags);
      const place = await readPlace('fork', named, flags);
      const { at, source } = place;
      return withSession(context, async (session) => {
        if (typeof runId !== 'string') {
          if (id !== undefined)
            throw new TactusError('usage', 'With --failed, each new run has an id of its own');
          const { limit, ...which } = runId;
          return changeFailed(context, session, { source, isDry: flags.dryRun === true }, (many) =>
            forkRuns(session.tactus, which, {
              ...{ ...place, ...consentOf(flags), ...many, limit },
              beforeMoves: () => session.worker.end(),
            }),
          );
        }
        const run = session.tactus.attach(runId);
        await refuseStuck(run, await describeRun(run));
        const options = { ...place, runId: id, ...consentOf(flags) };
        const fork = await session.ask(() => readFork(run, options));
        await session.worker.end();
        const { checkpoints, leftBehind, plan } = fork;
        const told = { from: runId, forked_from: runId, at, checkpoints, left_behind: leftBehind, plan };
        if (flags.dryRun === true) return answerPlan(context, { run_id: null, ...told }, source);
        const forked = await session.tactus.startFork(fork);
        context.screen.answer({ run_id: forked.runId, ...told }, () => forked.runId);
        if (plan.changed.length > 0)
          context.screen.note(planLines({ ...plan, again: [] }, source).join('\n'));
        context.screen.note(
          `It begins with ${checkpointCount(checkpoints)}: ${ownCommand(`resume ${lastArgument(forked.runId)}`)}`,
        );
        noteLeftBehind(context, leftBehind);
        return exitCodes.done;
      });
    }),
  );
}
