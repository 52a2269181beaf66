import { Command } from 'commander';
import { defined } from '../../contract/json/json.js';
import { describeRun } from '../../client/index.js';
import type { Steering } from '../../contract/agents/steer-effect.js';

import { TactusError, act, answerDryRun, exitCodes, withDryRun, type DryRunFlag } from '../command.js';
import { accountName } from '../authority/signing-options.js';
import { withSession } from '../session.js';

interface SteerFlags extends DryRunFlag {
  agent?: string;
  interrupt?: true;
  as?: string;
}

/** `steer RUN MESSAGE`: says something to an agent while it is at work. */
export function steerCommand(): Command {
  return withDryRun(new Command('steer'))
    .description('send a message to an agent of a run while it works')
    .argument('<run>', 'id of the run')
    .argument('<message>', 'message to the agent')
    .option('--agent <name>', 'name of the agent (default: the next one that calls its model)')
    .option('--interrupt', 'interrupt the current answer of its model')
    .option('--as <who>', 'name of the sender (default: your account)')
    .action(
      act(
        async (
          context,
          { agent, interrupt, as = accountName(), dryRun }: SteerFlags,
          runId: string,
          message: string,
        ) =>
          withSession(context, async (session) => {
            const run = session.tactus.attach(runId);
            if ((await describeRun(run)).closeTime !== undefined)
              throw new TactusError('run_conflict', `${runId} has ended: none of its agents is running`);
            const steering: Steering = {
              message,
              ...defined({ agent, interrupt }),
              by: as,
            };
            if (dryRun === true) {
              const would = `say this to ${agent ?? 'an agent'} of ${runId}`;
              return answerDryRun(context, would, { run_id: runId, ...steering });
            }
            await run.steer(steering);
            context.screen.answer(
              { run_id: runId, ...steering },
              () => `said to ${agent ?? 'an agent'} of ${runId}`,
            );
            return exitCodes.done;
          }),
      ),
    );
}
