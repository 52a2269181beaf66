import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
  type ActivityOptions,
  type RetryPolicy as TemporalRetryPolicy,
} from '@temporalio/workflow';
import { defined } from '../../contract/json/json.js';
import type { TactusActivities } from '../../contract/activities.js';
import type { Limits } from '../../contract/runs/limits.js';
import { triesOf, type RetryPolicy, type Tries } from '../../contract/retries/retry-policy.js';
import type { RunSettings } from '../../contract/runs/run-settings.js';

/** In ms: the SDK would read durations in words anew for each activity. */
const retry = {
  initialInterval: 1_000,
  backoffCoefficient: 2,
  maximumInterval: 60_000,
  maximumAttempts: 10,
} as const;

/** Room for the activity to end by itself before the server gives it up. */
const graceMs = 10_000;

/** The activity knows which attempt was the last. Beyond it, the server tries again where workers die at the call, */
const sparesForDeaths = 10;
/** and as often as somebody who says when to come back asks for, in the time that he has for it. */
const sparesForPatience = 200;

/** What limits and configuration say of calls that go over the network. */
export interface CallOptions {
  limits: Limits;
  settings: RunSettings;
}

export interface RemoteCall {
  /** What its author says. */
  policy?: RetryPolicy | undefined;
  /** Time of one attempt, in ms. */
  timeoutMs: number;
  summary: string;
  /** Where it is done; left out: where the run is. */
  taskQueue?: string | undefined;
}

/** How often the server tries, and what the activity knows of it. */
function retrying(
  { limits, settings }: CallOptions,
  policy: RetryPolicy,
): { tries: Tries; retry: TemporalRetryPolicy } {
  const tries = triesOf(limits, settings, policy);
  const most = Math.max(tries.attempts, tries.answers);
  const { delayMs = retry.initialInterval, longestDelayMs = retry.maximumInterval, backoff } = policy;
  return {
    tries,
    retry: {
      initialInterval: Math.min(delayMs, longestDelayMs),
      backoffCoefficient: backoff === 'constant' ? 1 : retry.backoffCoefficient,
      maximumInterval: longestDelayMs,
      // Where time alone is said, attempts have no end of their own.
      ...(tries.timeMs !== undefined && !tries.isSaid
        ? {}
        : { maximumAttempts: most + (tries.isSaid ? sparesForDeaths : sparesForPatience) }),
    },
  };
}

/** Of one attempt, and of all where somebody has said for how long: the activity knows which was the last. */
function timesOf(
  timeoutMs: number,
  { timeMs }: Pick<Tries, 'timeMs'>,
): Pick<ActivityOptions, 'startToCloseTimeout' | 'scheduleToCloseTimeout'> {
  const ofAttempt = timeoutMs + graceMs;
  return {
    startToCloseTimeout: ofAttempt,
    ...(timeMs === undefined ? {} : { scheduleToCloseTimeout: timeMs + 2 * ofAttempt }),
  };
}

type RemoteActivities = Pick<
  TactusActivities,
  | 'modelCall'
  | 'continuedModelCall'
  | 'modelBatch'
  | 'predict'
  | 'runModel'
  | 'retrieve'
  | 'httpRequest'
  | 'dispatchIntent'
>;

/** What goes over the network or takes its time, model calls, predictions, retrievals and requests: heartbeats tell a dead worker from a slow model. */
export function remoteActivities(
  { limits, settings }: CallOptions,
  { policy = {}, timeoutMs, summary, taskQueue }: RemoteCall,
): RemoteActivities & { tries: Tries } {
  const { tries, retry: again } = retrying({ limits, settings }, policy);
  const activities = proxyActivities<RemoteActivities>({
    ...timesOf(timeoutMs, tries),
    heartbeatTimeout: limits.heartbeatMs,
    retry: again,
    summary,
    ...defined({ taskQueue }),
  });
  // A proxy has no names of its own to be copied.
  const { modelCall, continuedModelCall, modelBatch, predict, runModel, retrieve } = activities;
  const { httpRequest, dispatchIntent } = activities;
  return {
    ...{ modelCall, continuedModelCall, modelBatch, predict, runModel, retrieve },
    httpRequest,
    dispatchIntent,
    tries,
  };
}

export interface ToolCallOptions extends RemoteCall {
  /** Nobody tries a second time, whatever comes of the first. */
  isOnce: boolean;
}

/** Tools outside of the run, and what there are of them. */
export function toolActivities(
  { limits, settings }: CallOptions,
  { policy, timeoutMs, summary, isOnce, taskQueue }: ToolCallOptions,
): Pick<TactusActivities, 'callTool' | 'listTools'> & { tries: Tries } {
  const attempts = settings.retries === undefined ? { attempts: limits.toolAttempts } : {};
  const said = isOnce ? { attempts: 1 } : { ...(policy?.timeMs === undefined ? attempts : {}), ...policy };
  const { tries, retry: again } = retrying({ limits, settings }, said);
  const { callTool, listTools } = proxyActivities<TactusActivities>({
    ...timesOf(timeoutMs, isOnce ? {} : tries),
    heartbeatTimeout: limits.heartbeatMs,
    retry: isOnce ? { maximumAttempts: 1 } : again,
    summary,
    ...defined({ taskQueue }),
  });
  return { callTool, listTools, tries };
}

/** So long a worker looks at a task before the run has its turn: another execution can't take over meanwhile. In ms. */
const lookMs = 300_000;

/** Waits for a task that a call has become. Asking is no second call: it is tried as often as need be. */
export function taskFollower(
  { limits, settings }: CallOptions,
  summary: string,
  taskQueue: string | undefined,
): Pick<TactusActivities, 'followTask'> & { tries: Tries; lookMs: number } {
  const { tries, retry: again } = retrying({ limits, settings }, { attempts: limits.attempts });
  const { followTask } = proxyActivities<TactusActivities>({
    startToCloseTimeout: 2 * lookMs,
    heartbeatTimeout: limits.heartbeatMs,
    retry: again,
    summary,
    ...defined({ taskQueue }),
  });
  return { followTask, tries, lookMs };
}

/** The last word on tasks: where nobody hears it for a while, it is left. */
export function taskDropper(taskQueue: string | undefined): Pick<TactusActivities, 'dropTask'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: 10_000,
    scheduleToCloseTimeout: 30_000,
    retry: { ...retry, maximumAttempts: 3 },
    summary: 'a task that nobody wants any more',
    ...defined({ taskQueue }),
  });
}

/** Proves a change of the run, in whichever worker is free. */
export function changeProver(heartbeatMs: number): Pick<TactusActivities, 'proveChange'> {
  return proxyActivities<TactusActivities>({
    // Two replays of the run: what a worker can replay at all, and more than that.
    startToCloseTimeout: 300_000,
    heartbeatTimeout: heartbeatMs,
    retry: { ...retry, maximumAttempts: 5 },
    summary: 'whether another source fits',
  });
}

/** Does nothing in whichever worker is free, and is tried until one did. */
export function remoteBreather(summary: string): Pick<TactusActivities, 'breathe'> {
  return proxyActivities<TactusActivities>({ startToCloseTimeout: 10_000, summary });
}

type RemoteHelper =
  'fileOutcome' | 'dataFileOutcome' | 'mockPredictOutcome' | 'storesLargePayloads' | 'checkCode';

/** What takes milliseconds, in whichever worker is free, for a run that waits for other things meanwhile. */
export function remoteHelpers(summary: string): Pick<TactusActivities, RemoteHelper> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: 30_000,
    retry: { ...retry, maximumInterval: 5_000, maximumAttempts: 5 },
    summary,
  });
}

/** A question to the server, about runs of others. */
export function remoteRunReader(summary: string): Pick<TactusActivities, 'lookAtRuns'> {
  return proxyActivities<TactusActivities>({ startToCloseTimeout: 60_000, retry, summary });
}

/** Looks at a signature, and is tried until a worker did: a decision isn't lost because none is there that can. */
export function decisionVerifier(summary: string): Pick<TactusActivities, 'verifyDecision'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: 10_000,
    retry: { initialInterval: 1_000, maximumInterval: 10_000 },
    summary,
  });
}

/** One attempt at a message, a row of e-mails among them. */
const tellMs = 90_000;

/**
 * Tells people of a request, for some minutes. Who is no longer to be told: what is on its way still arrives, and is heard of;
 * nothing is tried again.
 */
export function tellingActivities(
  summary: string,
  heartbeatMs: number,
): Pick<TactusActivities, 'tellPeople'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: tellMs,
    heartbeatTimeout: heartbeatMs,
    // Four minutes.
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 60_000, maximumAttempts: 10 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary,
  });
}

/** `file` and `mockPredict` are those of engine 1. */
type LocalActivities = Pick<
  TactusActivities,
  RemoteHelper | 'fileOutcomes' | 'breathe' | 'file' | 'mockPredict'
>;

/** What takes milliseconds runs in the worker that has the workflow: no round trip to the server. */
export const localActivities = localHelpers();

/** The same, with what pages call it. */
export function localHelpers(summary?: string): LocalActivities {
  return proxyLocalActivities<LocalActivities>({
    startToCloseTimeout: 30_000,
    retry: { ...retry, maximumInterval: 5_000, maximumAttempts: 5 },
    ...defined({ summary }),
  });
}

/** So long the server is asked what is published, in ms: a run must not fail because it was busy. */
const askedForMs = 600_000;

/** Finds the source of a run that is started by a name. What a folder lacks isn't looked for again. */
export const procedureLoader = proxyLocalActivities<Pick<TactusActivities, 'loadProcedure'>>({
  startToCloseTimeout: 30_000,
  scheduleToCloseTimeout: askedForMs,
  retry: { initialInterval: retry.initialInterval, backoffCoefficient: 2, maximumInterval: 5_000 },
});
