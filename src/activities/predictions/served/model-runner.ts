import type { ModelRun, ModelRunResult } from '../../../contract/predictions/served-model.js';
import type { ActivityDeps } from '../../activity-deps.js';
import type { ModelHost } from './model-host.js';

/** What a runner gets of one activity. */
export interface AskedRun {
  deps: ActivityDeps;
  run: ModelRun;
  /** The same at every attempt. */
  idempotencyKey: string;
  /** Aborts when nobody waits any longer, or the time of the attempt is over. */
  signal: AbortSignal;
  /** Who has models of files in memory. */
  host: ModelHost;
}

/**
 * Asks a model of one type about all inputs, or about as many as an answer has room for.
 * @throws Fault sorted by whether another attempt may go better; TactusError for what can't
 */
export type ModelRunner = (asked: AskedRun) => Promise<ModelRunResult>;
