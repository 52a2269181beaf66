import { Command } from 'commander';
import { act } from '../context.js';
import { describeRun } from '../../client/index.js';
import { withSession } from '../session.js';
import { collect } from './start-options.js';
import { followHere, type AnswerFlags } from './follow-run.js';

/** `resume RUN`: follows a run again, from where it is. */
export function resumeCommand(): Command {
  return new Command('resume')
    .description('follow a run again; starts a server and a worker if none are running')
    .argument('<run>', 'id of the run')
    .option('--respond <json>', 'answer to the next human request; may be repeated', collect, [])
    .option('--as <who>', 'name of the person who answers (default: your account)')
    .action(
      act(async (context, flags: AnswerFlags, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await describeRun(run);
          return followHere(session, context.screen, run, flags);
        }),
      ),
    );
}
