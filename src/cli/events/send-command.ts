import { Command } from 'commander';
import { describeRun } from '../../client/index.js';
import { TactusError, act, answerDryRun, exitCodes, withDryRun, type DryRunFlag } from '../command.js';
import { readValue } from '../runs/read-input.js';
import { withSession } from '../session.js';

/** `send RUN NAME [VALUE]`: sends an event to a run, for `Event.wait`. */
export function sendCommand(): Command {
  return withDryRun(new Command('send'))
    .description('send an event to a run, which Event.wait of its procedure receives')
    .argument('<run>', 'id of the run')
    .argument('<name>', 'name of the event')
    .argument('[value]', 'JSON, @file or - for stdin; anything that is not JSON is taken as text', 'null')
    .action(
      act(async (context, { dryRun }: DryRunFlag, runId: string, name: string, given: string) => {
        if (name === '') throw new TactusError('usage', 'send needs the name of an event');
        const value = await readValue(given, 'send');
        return withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          if ((await describeRun(run)).closeTime !== undefined)
            throw new TactusError('run_conflict', `${runId} has ended: nobody waits for ${name}`);
          if (dryRun === true)
            return answerDryRun(context, `send ${name} to ${runId}`, { run_id: runId, event: name, value });
          await run.send(name, value);
          context.screen.answer({ run_id: runId, event: name, value }, () => `sent ${name} to ${runId}`);
          return exitCodes.done;
        });
      }),
    );
}
