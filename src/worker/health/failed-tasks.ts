import type { LogEntry } from '@temporalio/worker';
import { lastArgument } from '../../contract/text/shell-word.js';
import { isAhead } from '../../workflows/history/ahead-of-history.js';

/** What is remembered of failures that were told of. */
const mostTold = 1_000;

/** What the SDK says where a workflow throws, and where the worker tells the server of it: that one knows no run's id. */
const thrown = 'Workflow failed';
const told = 'Failing workflow task';

/**
 * Says of workflow tasks that fail, which the server hands out again and again, once for each run and failure. A run
 * that fails is none of them: its procedure's author is told.
 */
export class FailedTasks {
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
    if (failure === isAhead)
      return `${run} begins a workflow task again, because the server has recorded less of it than this worker remembered. It continues by itself, and nothing is lost`;
    return `${run} is stuck here: ${failure}. It is tried again and again, and goes on as soon as a worker can do it; see: tactus-temporal ${workflowId === undefined ? 'doctor' : `status ${lastArgument(workflowId)}`}`;
  }
}

function failureOf({ message, meta }: LogEntry): string | null {
  if (message === thrown) return unknownError(meta?.['error']);
  if (message !== told) return null;
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
