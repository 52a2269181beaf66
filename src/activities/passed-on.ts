import { hostname } from 'node:os';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TactusActivities } from '../contract/activities.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { defaultLimits } from '../contract/limits.js';
import type { Tries } from '../contract/retry-policy.js';
import { heartbeatPassed } from './heartbeat.js';
import { passedBefore } from './tries.js';

/** What a worker lacks, and another worker of the task queue may have. */
const ofWorker = ['missing_key', 'missing_package'];
/** The same where the code stands for other things as well: a detail that says what. */
const lackingDetail = 'lacking';
/** The server's tries that are left for workers that die at the call. */
const sparesForDeaths = 2;
const firstDelayMs = 250;
/** Another worker of two takes most calls within seconds. */
const growth = 1.5;
const longestDelayMs = 20_000;

export interface PassingOn {
  /** Whether a call fails at once where no other worker polls its task queue. */
  failsWithoutOthers: boolean;
  /** Whether another worker polls the task queue of the activity that asks. */
  hasOtherWorkers: () => Promise<boolean>;
}

/**
 * The same activities. What fails for want of a key or a package is no failure of the run: it is tried again, so that another worker may
 * take it, and fails for good when its time is over.
 */
export function passingOn(activities: TactusActivities, use: PassingOn): TactusActivities {
  const entries = Object.entries(activities) as [string, (input: JsonValue) => Promise<unknown>][];
  const passing = entries.map(([name, perform]) => [
    name,
    async (input: JsonValue) => {
      try {
        return await perform(input);
      } catch (error) {
        throw isLack(error) ? await passedOn(error, input, use) : error;
      }
    },
  ]);
  return Object.fromEntries(passing) as TactusActivities;
}

/** Whatever is local is tried again in this worker alone. */
function isLack(error: unknown): error is ApplicationFailure {
  if (!(error instanceof ApplicationFailure) || Context.current().info.isLocal) return false;
  const [details] = (error.details ?? []) as JsonValue[];
  const isNamed = isObject(details ?? null) && (details as JsonObject)[lackingDetail] !== undefined;
  return isNamed || ofWorker.includes(error.type ?? '');
}

async function passedOn(
  error: ApplicationFailure,
  input: JsonValue,
  { failsWithoutOthers, hasOtherWorkers }: PassingOn,
): Promise<ApplicationFailure> {
  const { message } = error;
  const type = error.type ?? '';
  const details = error.details ?? [];
  const place = `${message}, on worker ${process.pid}@${hostname()}`;
  const again = timeOfNext(triesIn(input));
  if (again === null) return ApplicationFailure.create({ type, message: place, nonRetryable: true, details });
  if (failsWithoutOthers && !(await hasOtherWorkers().catch(() => false)))
    return ApplicationFailure.create({ type, message: place, nonRetryable: true, details });
  heartbeatPassed(passedBefore() + 1);
  const until = new Date(again.until).toISOString().replace(/\.\d+Z$/, 'Z');
  return ApplicationFailure.create({
    type,
    message: `${place}. Any worker of the task queue may take the call, until ${until}`,
    nonRetryable: false,
    details,
    nextRetryDelay: again.delayMs,
  });
}

/** When it is tried again, and for how long; null: not any more. Times are the server's, which may be skipped. */
function timeOfNext(tries: Tries | null): { delayMs: number; until: number } | null {
  const { attempt, retryPolicy, scheduledTimestampMs, currentAttemptScheduledTimestampMs } =
    Context.current().info;
  const passed = passedBefore();
  const most = retryPolicy?.maximumAttempts ?? Number.POSITIVE_INFINITY;
  // What its author wants tried stays to be tried where the call can be made.
  const own = tries === null ? 1 : Math.max(tries.attempts, tries.answers);
  if (attempt >= most || passed >= most - own - sparesForDeaths) return null;
  const delayMs = Math.round(
    Math.min(firstDelayMs * growth ** passed, longestDelayMs) * (0.75 + Math.random() / 2),
  );
  const patienceMs = tries?.timeMs ?? tries?.patienceMs ?? defaultLimits.patienceMs;
  const until = scheduledTimestampMs + patienceMs;
  return currentAttemptScheduledTimestampMs + delayMs > until ? null : { delayMs, until };
}

function triesIn(input: JsonValue): Tries | null {
  const tries = isObject(input) ? (input['tries'] ?? null) : null;
  return isObject(tries) ? (tries as unknown as Tries) : null;
}
