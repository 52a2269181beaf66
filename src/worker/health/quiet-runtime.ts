import {
  DefaultLogger,
  IllegalStateError,
  makeTelemetryFilterString,
  Runtime,
  type LogEntry,
} from '@temporalio/worker';
import { FailedTasks } from './failed-tasks.js';

/** What the SDK warns of although the procedure is told of it, and says so where it doesn't handle it. */
const handled = ['Activity failed', 'Workflow failed', 'Local Activity failed'];

let isInstalled = false;

/**
 * Sends what the SDK says to stderr: warnings and errors that nobody else reports, or all of it. There is one runtime
 * for each process: the first call decides, and one that another program has installed stays as it is.
 */
export function quietRuntime(options: { verbose: boolean; write: (line: string) => void }): void {
  if (isInstalled) return;
  isInstalled = true;
  const { verbose } = options;
  try {
    Runtime.install({
      logger: new DefaultLogger(verbose ? 'INFO' : 'WARN', quietLog(options)),
      telemetryOptions: {
        logging: {
          forward: {},
          filter: makeTelemetryFilterString({ core: verbose ? 'INFO' : 'WARN', other: 'ERROR' }),
        },
      },
      // The command decides when it ends, and ends its worker itself.
      shutdownSignals: [],
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** What is made of each of the SDK's entries. */
export function quietLog(options: {
  verbose: boolean;
  write: (line: string) => void;
}): (entry: LogEntry) => void {
  const { verbose, write } = options;
  const failedTasks = new FailedTasks();
  return (entry) => {
    const failed = verbose ? null : failedTasks.lineOf(entry);
    if (failed !== null) {
      if (failed !== '') write(failed);
      return;
    }
    if (!verbose && isLeftOut(entry)) return;
    write(`${entry.level} ${entry.message}${metaText(entry, verbose)}`);
  };
}

function isLeftOut({ level, message, meta }: LogEntry): boolean {
  // Besides failed tasks, the part below the SDK warns of nothing that anybody could do something about.
  if (meta?.['sdkComponent'] === 'core' && level === 'WARN') return true;
  return handled.some((part) => message.includes(part));
}

function metaText({ meta }: LogEntry, verbose: boolean): string {
  if (meta === undefined) return '';
  if (verbose) return ` ${JSON.stringify(meta)}`;
  const { error } = meta;
  return error instanceof Error ? `: ${error.message}` : '';
}
