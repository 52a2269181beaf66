import { hostname } from 'node:os';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TactusActivities } from '../../contract/activities.js';
import { isObject, jsonAs, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import type { Tries } from '../../contract/retries/retry-policy.js';
import { heartbeatPassed } from './heartbeat.js';
import { passedBefore } from './failures.js';

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
/** Delays differ by so much, that workers don't all ask at once. */
const longestJitter = 1.25;

export interface OtherWorkers {
  /** Whether a call fails at once where no other worker polls its task queue. */
  failsWithoutOthers: boolean;
  /** Whether another worker polls the task queue of the activity that asks. */
  hasOtherWorkers: () => Promise<boolean>;
}

/**
 * The same activities. What fails for want of a key or a package is no failure of the run: it is tried again, so that another worker may
 * take it, and fails for good when its time is over.
 */
export function retryOnOtherWorkers(activities: TactusActivities, use: OtherWorkers): TactusActivities {
  const entries = Object.entries(activities) as [string, (input: JsonValue) => Promise<unknown>][];
  const passing = entries.map(([name, perform]) => [
    name,
    async (input: JsonValue) => {
      try {
        return await perform(input);
      } catch (error) {
        throw isLack(error) ? await retriedElsewhere(error, input, use) : error;
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

async function retriedElsewhere(
  error: ApplicationFailure,
  input: JsonValue,
  { failsWithoutOthers, hasOtherWorkers }: OtherWorkers,
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
  // The server has 0 where the number has no end, as with a time in all.
  const { maximumAttempts = 0 } = retryPolicy ?? {};
  const most = maximumAttempts === 0 ? Number.POSITIVE_INFINITY : maximumAttempts;
  // What its author wants tried stays to be tried where the call can be made.
  const own = tries === null ? 1 : Math.max(tries.attempts, tries.answers);
  const mostPassed = most - own - sparesForDeaths;
  if (attempt >= most || passed >= mostPassed) return null;
  const delayMs = Math.round(
    delayAfter(passed) * (2 - longestJitter + 2 * (longestJitter - 1) * Math.random()),
  );
  const patienceMs = tries?.timeMs ?? tries?.patienceMs ?? defaultLimits.patienceMs;
  const end = scheduledTimestampMs + patienceMs;
  if (currentAttemptScheduledTimestampMs + delayMs > end) return null;
  // Few attempts are over long before the time is.
  let until = currentAttemptScheduledTimestampMs;
  for (let i = passed; i < mostPassed && until < end; i++) until += longestJitter * delayAfter(i);
  return { delayMs, until: Math.min(until, end) };
}

/** In ms, on average. @param passed how often the call came to a worker that can't make it, before this time */
function delayAfter(passed: number): number {
  return Math.min(firstDelayMs * growth ** passed, longestDelayMs);
}

function triesIn(input: JsonValue): Tries | null {
  const tries = isObject(input) ? (input['tries'] ?? null) : null;
  return isObject(tries) ? jsonAs<Tries>(tries) : null;
}
