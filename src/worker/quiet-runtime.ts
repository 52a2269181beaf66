import { DefaultLogger, makeTelemetryFilterString, Runtime, type LogEntry } from '@temporalio/worker';

/** What the SDK warns of although the procedure is told of it, and says so where it doesn't handle it. */
const handled = ['Activity failed', 'Workflow failed', 'Local Activity failed'];

/**
 * Sends what the SDK says to stderr: warnings and errors that nobody else reports, or all of it. Once for each
 * process, before any worker.
 */
export function quietRuntime(options: { verbose: boolean; write: (line: string) => void }): void {
  const { verbose, write } = options;
  const level = verbose ? 'INFO' : 'WARN';
  const log = (entry: LogEntry): void => {
    if (!verbose && handled.some((message) => entry.message.includes(message))) return;
    write(`${entry.level} ${entry.message}${metaText(entry, verbose)}`);
  };
  Runtime.install({
    logger: new DefaultLogger(level, log),
    telemetryOptions: {
      logging: {
        forward: {},
        filter: makeTelemetryFilterString({ core: verbose ? 'INFO' : 'ERROR', other: 'ERROR' }),
      },
    },
    // The command decides when it ends, and ends its worker itself.
    shutdownSignals: [],
  });
}

function metaText({ meta }: LogEntry, verbose: boolean): string {
  if (meta === undefined) return '';
  if (verbose) return ` ${JSON.stringify(meta)}`;
  const { error } = meta;
  return error instanceof Error ? `: ${error.message}` : '';
}
