import { Command } from 'commander';
import { streamsVariable } from '../../contract/environment.js';
import { describeRun } from '../../client/index.js';
import { openStreams } from '../../streams/nats-streams.js';
import { configure } from '../configure.js';
import { TactusError, act, exitCodes, interruption, readCount, jsonText, type Screen } from '../command.js';
import { withSession } from '../session.js';
import type { StoredEvent } from '../../contract/streams/stream-event.js';

/** A stream as people read it: texts under the names of those who say them, one line for all else. */
class StreamView {
  private speaker = '';

  constructor(private readonly screen: Screen) {}

  show(stored: StoredEvent): void {
    const { screen } = this;
    const { event } = stored;
    if (screen.options.json) return screen.line(stored);
    const { paint } = screen;
    const by = `${event.agent} · ${event.position}`;
    switch (event.type) {
      case 'text':
        if (this.speaker !== by) this.begin(by);
        return screen.say(event.text);
      case 'tool_call':
        return this.line(paint.cyan(`→ ${event.tool} ${jsonText(event.arguments)}`));
      case 'tool_result':
        return this.line(paint.dim(`← ${event.tool} ${event.content}`));
      case 'restart':
        return this.line(
          paint.yellow(`${by} begins anew, for the ${event.attempt}. time: what it said is void`),
        );
      case 'interrupted':
        return this.line(paint.yellow(`${by} was broken off`));
      case 'gap':
        return this.line(paint.yellow(`${event.lost} events were lost here`));
      case 'answer':
        this.speaker = '';
        return this.end();
    }
  }

  end(): void {
    this.screen.endSaying();
  }

  private begin(by: string): void {
    this.line(this.screen.paint.bold(by));
    this.speaker = by;
  }

  private line(text: string): void {
    this.end();
    this.speaker = '';
    this.screen.out(text);
  }
}

/** `stream RUN`: what the agents of a run say and do, as it comes. */
export function streamCommand(): Command {
  return new Command('stream')
    .description('show live what the agents of a run say and do; with --json one event a line')
    .argument('<run>', 'id of the run')
    .option('--after <offset>', 'only events after this offset')
    .action(
      act(async (context, { after }: { after?: string }, runId: string) => {
        const { screen } = context;
        const from = after === undefined ? {} : { after: readCount(after, '--after') };
        await configure(null, {}, screen);
        const streams = openStreams(process.env, (problem) => screen.warn(`streams: ${problem}`));
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
