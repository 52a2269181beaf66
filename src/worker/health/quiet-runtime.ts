import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import {
  DefaultLogger,
  IllegalStateError,
  makeTelemetryFilterString,
  Runtime,
  type LogEntry,
} from '@temporalio/worker';
import { lastArgument } from '../../contract/text/shell-word.js';
import { aheadMessage } from '../../contract/names.js';
import { addressText, type ListenAddress } from '../../configuration/setting-values.js';

/** What is remembered of failures that were told of. */
const mostTold = 1_000;

/** What the SDK says where a workflow throws, and where the worker tells the server of it: that one knows no run's id. */
const thrown = 'Workflow failed';
const failingTask = 'Failing workflow task';

/**
 * Says of workflow tasks that fail, which the server hands out again and again, once for each run and failure. A run
 * that fails is none of them: its procedure's author is told.
 */
class FailedTasks {
  private readonly keys = new Set<string>();

  /** The line about a failed task; empty where it was said before, null where the entry is about something else. */
  lineOf(entry: LogEntry): string | null {
    const failure = failureOf(entry);
    if (failure === null) return null;
    const { workflowId, runId } = (entry.meta ?? {}) as { workflowId?: string; runId?: string };
    const key = `${runId}\n${failure}`;
    if (this.keys.has(key)) return '';
    const oldest = this.keys.size < mostTold ? undefined : this.keys.values().next().value;
    if (oldest !== undefined) this.keys.delete(oldest);
    this.keys.add(key);
    const run = workflowId === undefined ? `A run (execution ${runId})` : `The run ${workflowId}`;
    if (failure === aheadMessage)
      return `${run} begins a workflow task again, because the server has recorded less of it than this worker remembered. It continues by itself, and nothing is lost`;
    return `${run} is stuck here: ${failure}. It is tried again and again, and goes on as soon as a worker can do it; see: tactus-temporal ${workflowId === undefined ? 'doctor' : `status ${lastArgument(workflowId)}`}`;
  }
}

function failureOf({ message, meta }: LogEntry): string | null {
  if (message === thrown) return unknownError(meta?.['error']);
  if (message !== failingTask) return null;
  const quoted = /message: ("(?:[^"\\]|\\.)*")/.exec(String(meta?.['failure']))?.[1];
  return quoted === undefined ? 'unknown' : unquoted(quoted);
}

/** Of an error that fails a run only its stack still tells the class, on this side of the worker's thread. */
function unknownError(error: unknown): string | null {
  if (!(error instanceof Error) || /^\w*Failure:/.test(error.stack ?? '')) return null;
  return error.message;
}

/** As Rust writes texts, which is nearly as JSON does. */
function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** What the SDK warns of although the procedure is told of it, and says so where it doesn't handle it. */
const handled = ['Activity failed', 'Workflow failed', 'Local Activity failed'];
/** What it warns of although it is meant: workers of `model_queues` and `tool_queues` make calls alone. */
const meant = 'No workflows registered';

/** A line of the log, and what it is about. */
export type WriteLine = (level: 'debug' | 'info' | 'warn' | 'error', line: string, about: LogIds) => void;

/** The run, the execution, the activity and the task queue that a line is about; left out where it is about none. */
type LogIds = Partial<Record<'run' | 'execution' | 'activity' | 'task_queue', string>>;

interface RuntimeOptions {
  verbose: boolean;
  /** Where Prometheus finds the metrics of the SDK and ours; left out: nowhere. */
  metrics?: ListenAddress | undefined;
  write: WriteLine;
}

/** Histograms of ours. */
const timeMetrics = [
  'tactus_model_call_time',
  'tactus_tool_call_time',
  'tactus_mirror_lag',
  'tactus_index_lag',
  'tactus_http_request_time',
];

/** Ours are in seconds; the SDK's usual bounds are for milliseconds. */
const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const histogramBucketOverrides = Object.fromEntries(timeMetrics.map((name) => [name, seconds]));

let isInstalled = false;

/**
 * Sends what the SDK says to stderr: warnings and errors that nobody else reports, or all of it. There is one runtime
 * for each process: the first call decides, and one that another program has installed stays as it is.
 */
export function quietRuntime(options: RuntimeOptions): void {
  if (isInstalled) return;
  isInstalled = true;
  const { verbose, metrics } = options;
  try {
    Runtime.install({
      logger: new DefaultLogger(verbose ? 'INFO' : 'WARN', quietLog(options)),
      telemetryOptions: {
        logging: {
          forward: {},
          filter: makeTelemetryFilterString({ core: verbose ? 'INFO' : 'WARN', other: 'ERROR' }),
        },
        ...(metrics === undefined
          ? {}
          : { metrics: { prometheus: { bindAddress: addressText(metrics), histogramBucketOverrides } } }),
      },
      // The command decides when it ends, and ends its worker itself.
      shutdownSignals: [],
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** What the runtime of this process exports; null where it exports nothing. */
export function exportedMeter(): MetricMeter | null {
  const { metricMeter } = Runtime.instance();
  return metricMeter === noopMetricMeter ? null : metricMeter;
}

/** What is made of each of the SDK's entries. */
export function quietLog({ verbose, write }: Omit<RuntimeOptions, 'metrics'>): (entry: LogEntry) => void {
  const failedTasks = new FailedTasks();
  return (entry) => {
    const failed = verbose ? null : failedTasks.lineOf(entry);
    if (failed !== null) {
      if (failed !== '') write('error', failed, idsOf(entry));
      return;
    }
    if (!verbose && isLeftOut(entry)) return;
    write(levels[entry.level], `${entry.level} ${entry.message}${metaText(entry, verbose)}`, idsOf(entry));
  };
}

const levels = { TRACE: 'debug', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

function idsOf({ meta }: LogEntry): LogIds {
  const { workflowId, runId, activityId, taskQueue }: Record<string, unknown> = meta ?? {};
  const ids = { run: workflowId, execution: runId, activity: activityId, task_queue: taskQueue };
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => typeof id === 'string'));
}

function isLeftOut({ level, message, meta }: LogEntry): boolean {
  // Besides failed tasks, the part below the SDK warns of nothing that anybody could do something about.
  if (meta?.['sdkComponent'] === 'core' && level === 'WARN') return true;
  return [...handled, meant].some((part) => message.includes(part));
}

function metaText({ meta }: LogEntry, verbose: boolean): string {
  if (meta === undefined) return '';
  if (verbose) return ` ${JSON.stringify(meta)}`;
  const { error } = meta;
  return error instanceof Error ? `: ${error.message}` : '';
}
