import type { RunError } from '../errors.js';
import type { HumanRequest } from '../people/human-request.js';
import type { RunVersion } from './run-version.js';
import type { RunStatus, Wait } from './status.js';
import type { Usage } from '../models/usage.js';

/** What a run says of itself for a list of runs. Times are ISO 8601 in UTC. */
export interface ToldRun {
  run_id: string;
  procedure: string;
  status: RunStatus;
  error: RunError | null;
  waits: Wait[];
  children: string[];
  checkpoints: number;
  usage: Usage;
  started_at: string;
  closed_at: string | null;
  /** null where the run began on a version of this package that counts none. */
  version: RunVersion | null;
  /** All open requests, whole; null: those that it told before. */
  pending: HumanRequest[] | null;
}
