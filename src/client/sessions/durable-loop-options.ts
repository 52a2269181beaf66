import type { ProcedureSource } from '../../contract/procedures/source.js';
import type { StartOptions } from '../runs/start-input.js';
import type { CheckpointTrigger } from './checkpoint-trigger.js';
import type { Deadline } from './deadline.js';

/** What a durable loop is. */
export interface DurableLoopOptions {
  /** Identity of the worker: it has one incomplete loop at a time. */
  worker: string;
  /** The procedure that does the work. Its input has `request`, and `deadline` and `checkpoint_on` where they are named here. */
  source: ProcedureSource;
  /** Bounds all attempts together: a moment, or a time from when the loop begins, such as `2h`. Left out: no bound. */
  deadline?: Deadline | string | undefined;
  /** When snapshots are made; left out: as the procedure says. */
  checkpointTrigger?: CheckpointTrigger | undefined;
  /** What else its runs are started with. */
  start?: Omit<StartOptions, 'runId' | 'timeout' | 'followsClosed'> | undefined;
}
