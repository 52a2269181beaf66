import { Command } from 'commander';
import { TactusError } from '../../contract/errors.js';
import { streamsVariable } from '../../contract/environment.js';
import { describeRun } from '../../client/runs/view-run.js';
import { streamsOf } from '../../streams/streams-of.js';
import { configure } from '../configure.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { interruption } from '../terminal/interruption.js';
import { readCount } from '../terminal/read-count.js';
import { withSession } from '../session.js';
import { StreamView } from './stream-view.js';

/** `stream RUN`: what the agents of a run say and do, as it comes. */
export function streamCommand(): Command {
  return new Command('stream')
    .description('show what the agents of a run say and do, as it comes; under --json one event a line')
    .argument('<run>', 'id of the run')
    .option('--after <offset>', 'only what came after this offset')
    .action(
      act(async (context, { after }: { after?: string }, runId: string) => {
        const { screen } = context;
        const from = after === undefined ? {} : { after: readCount(after, '--after') };
        await configure(null, {}, screen);
        const streams = streamsOf(process.env, (problem) => screen.warn(`streams: ${problem}`));
        if (streams === null)
          throw new TactusError(
            'usage',
            `stream reads from a broker: name it by ${streamsVariable}=nats://host:port, or by streams: in .tactus/config.yml`,
          );
        const { signal, dispose } = interruption();
        try {
          return await withSession(context, async (session) => {
            const run = session.tactus.attach(runId);
            await describeRun(run);
            const view = new StreamView(screen);
            for await (const stored of run.stream({ streams, signal, ...from })) view.show(stored);
            view.end();
            return signal.aborted ? exitCodes.interrupted : exitCodes.done;
          });
        } finally {
          dispose();
          await streams.close();
        }
      }),
    );
}
