import type { Outcome } from '../checkpoints/checkpoint.js';
import type { JsonValue } from '../json/json.js';
import type { RunUsage } from '../models/model-call.js';

/** How a run stands that another one waits for. `terminal`: it has ended. */
export interface ChildRun {
  /** The child's own run id. */
  id: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  terminal: boolean;
  /** null unless it has completed. */
  output: JsonValue;
  /** What it failed with, for people; null where it hasn't. */
  error: string | null;
  /** People were asked in it what becomes of its failure, and gave up. */
  given_up?: true;
  /** What it has used, with the runs that it started, where that is known and hasn't been told before. */
  usage?: RunUsage;
}

/** What whoever looks at child runs is told of them, in the order in which they were named. */
export interface ChildRuns {
  children: ChildRun[];
  /** What was waited for has come to pass; false where the time was over first. */
  complete: boolean;
}

/** A run that hasn't ended, where `outcome` is null, or how it ended. */
export function toChildRun(id: string, outcome: Outcome | null): ChildRun {
  if (outcome === null) return { id, status: 'running', terminal: false, output: null, error: null };
  const used = outcome.usage === undefined ? {} : { usage: outcome.usage };
  if (outcome.ok)
    return { id, status: 'completed', terminal: true, output: outcome.value, error: null, ...used };
  const gaveUp = outcome.givenUp === true ? { given_up: true as const } : {};
  const status = outcome.code === 'cancelled' ? 'cancelled' : 'failed';
  return { id, status, terminal: true, output: null, error: outcome.message, ...used, ...gaveUp };
}

/** How a run of somebody else stands: `outcome` is null as long as it goes on, or where nobody asked for it. */
export interface RunLook {
  id: string;
  outcome: Outcome | null;
  /** Of a brief look: it has closed, or there is no such run. */
  isClosed?: boolean;
  /** Of a brief look: it has closed without a word: terminated, timed out, or forgotten by the server. */
  isGone?: boolean;
  /** Of a brief look: the run that has started it, as the server says. */
  parent?: string;
  /** Of a brief look: the first of its executions. */
  firstExecution?: string;
}
