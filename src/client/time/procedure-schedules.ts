import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
} from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { workflowType } from '../../contract/names.js';
import { memoOf, procedureName, type ProcedureSource } from '../../contract/procedures/source.js';
import { startInputOf, type StartOptions, type StartsWith } from '../runs/start-input.js';
import { hasPayloadStore } from '../payloads/has-payload-store.js';

/** When runs are started. One of `cron` and `everyMs` is needed. */
export interface ScheduleTimes {
  /** Five fields as cron has them, `0 8 * * 1`, or `@daily` and its like. */
  cron?: string;
  everyMs?: number;
  /** IANA name, such as `Europe/Berlin`; left out: UTC. */
  timeZone?: string;
  /** What happens when it is time and the run before goes on: none is started (left out), it waits for its end, or both run. */
  overlap?: 'skip' | 'buffer' | 'allow';
}

export interface ListedSchedule {
  schedule: string;
  procedure: string;
  paused: boolean;
  /** The next times, ISO 8601 in UTC. */
  next: string[];
  /** Ids of the runs that it started last, the newest last. */
  runs: string[];
}

const overlaps = {
  skip: ScheduleOverlapPolicy.SKIP,
  buffer: ScheduleOverlapPolicy.BUFFER_ONE,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
} as const;

/** A worker that was away for longer than this doesn't make up for what it missed. */
const catchupWindow = '1h';
const shownTimes = 3;

/** Runs that Temporal starts by itself, over its Schedules. What a schedule starts is what was read when it was made. */
export class ProcedureSchedules {
  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly startsWith: () => Promise<StartsWith>,
  ) {}

  /**
   * @param id of the schedule; its runs are `<id>-<time>`
   * @returns the next times, ISO 8601 in UTC
   * @throws TactusError source_invalid, no_procedure, input_invalid; run_conflict where there is a schedule of that id;
   *   usage where the times are none
   */
  async create(
    id: string,
    source: ProcedureSource,
    input: JsonValue,
    times: ScheduleTimes,
    options: Omit<StartOptions, 'runId'> = {},
  ): Promise<string[]> {
    const { checkStart } = await import('../procedures/describe-source.js');
    checkStart(source, input, { ...options, isStored: hasPayloadStore(this.client) });
    if (options.priority !== undefined)
      throw new TactusError(
        'usage',
        "A schedule can't give its runs a priority: Temporal's SDK has no field for it",
      );
    const memo = memoOf(source, { task: options.task });
    try {
      const handle = await this.client.schedule.create({
        scheduleId: id,
        spec: specOf(times),
        action: {
          type: 'startWorkflow',
          workflowType,
          workflowId: id,
          taskQueue: this.taskQueue,
          args: [startInputOf(source, input, options, await this.startsWith())],
          memo,
          staticSummary: procedureName(source),
          ...defined({ workflowExecutionTimeout: options.timeout }),
        },
        policies: { overlap: overlaps[times.overlap ?? 'skip'], catchupWindow },
        memo,
      });
      const { info } = await handle.describe();
      return info.nextActionTimes.slice(0, shownTimes).map((time) => time.toISOString());
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning)
        throw new TactusError(
          'run_conflict',
          `There is a schedule ${id} already: delete it, or choose another id`,
        );
      // What the SDK makes of the server's word that an argument is wrong.
      if (error instanceof TypeError)
        throw new TactusError('usage', `The server rejects this schedule: ${error.message}`);
      throw error;
    }
  }

  /** Those that start procedures of ours. */
  async list(): Promise<ListedSchedule[]> {
    const found: ListedSchedule[] = [];
    for await (const { scheduleId, action, memo, info, state } of this.client.schedule.list()) {
      if (action?.workflowType !== workflowType) continue;
      found.push({
        schedule: scheduleId,
        procedure: textOrEmpty(memo?.['procedure']),
        paused: state.paused,
        next: info.nextActionTimes.slice(0, shownTimes).map((time) => time.toISOString()),
        runs: info.recentActions.map(({ action: started }) => started.workflow.workflowId),
      });
    }
    return found.sort((a, b) => (a.schedule < b.schedule ? -1 : 1));
  }

  /** Starts a run of it now. @throws TactusError run_not_found */
  trigger(id: string): Promise<void> {
    return this.known(id, () => this.client.schedule.getHandle(id).trigger());
  }

  /** Its runs go on. @throws TactusError run_not_found */
  delete(id: string): Promise<void> {
    return this.known(id, () => this.client.schedule.getHandle(id).delete());
  }

  private async known(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      throw new TactusError('run_not_found', `There is no schedule ${id}`);
    }
  }
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function specOf({ cron, everyMs, timeZone }: ScheduleTimes): object {
  if ((cron === undefined) === (everyMs === undefined))
    throw new TactusError('usage', 'A schedule needs either a cron expression, or how often it starts a run');
  if (everyMs !== undefined && (everyMs < 1_000 || everyMs % 1_000 !== 0))
    throw new TactusError('usage', `everyMs of a schedule must be whole seconds, got ${everyMs} ms`);
  return {
    ...(cron === undefined ? {} : { cronExpressions: [cron] }),
    ...(everyMs === undefined ? {} : { intervals: [{ every: everyMs }] }),
    ...defined({ timezone: timeZone }),
  };
}
