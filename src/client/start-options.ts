import type { Limits } from '../contract/runs/limits.js';
import type { MockPlan } from '../contract/mocks/mock-plan.js';
import type { RunSettings } from '../contract/runs/run-settings.js';

export interface StartOptions {
  /** Id of the run; a run of that id that is open is attached to instead of started again. Left out: a new one. */
  runId?: string;
  /** The task of the procedure's file to run; left out: what the file runs by itself. */
  task?: string;
  limits?: Partial<Limits>;
  /** Where the procedure's file lies below the worker's directory of files, for `tactus.io`; left out: in it. */
  folder?: string;
  /** Time that the whole run may take, such as `30d`; left out: no limit. */
  timeout?: string;
  /** What configuration says of the run and of those that it starts; left out: nothing. */
  settings?: RunSettings;
  /** Who starts it, for the run's memo (`started_by`); left out: nobody is named. */
  startedBy?: string;
  /** What the run answers itself instead of asking the outside, for tests; left out: nothing. */
  mock?: MockPlan;
}
