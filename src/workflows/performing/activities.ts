import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { TactusActivities } from '../../contract/activities.js';
import type { Limits } from '../../contract/limits.js';

/** In ms: the SDK would read durations in words anew for each activity. */
const retry = {
  initialInterval: 1_000,
  backoffCoefficient: 2,
  maximumInterval: 60_000,
  maximumAttempts: 10,
} as const;

/** Room for the activity to end by itself before the server gives it up. */
const graceMs = 10_000;

/** How what goes over the network is tried: how often, and after how long without a heartbeat (ms) a worker is dead. */
export type CallOptions = Pick<Limits, 'attempts' | 'heartbeatMs'>;

/** What goes over the network, model calls, predictions and requests: heartbeats tell a dead worker from a slow model. */
export function remoteActivities(
  { attempts, heartbeatMs }: CallOptions,
  timeoutMs: number,
  summary: string,
): Pick<TactusActivities, 'modelCall' | 'predict' | 'httpRequest'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: timeoutMs + graceMs,
    heartbeatTimeout: heartbeatMs,
    retry: { ...retry, maximumAttempts: attempts },
    summary,
  });
}

/** Does nothing in whichever worker is free, and is tried until one did. */
export function remoteBreather(summary: string): Pick<TactusActivities, 'breathe'> {
  return proxyActivities<TactusActivities>({ startToCloseTimeout: 10_000, summary });
}

/** What takes milliseconds, in whichever worker is free, for a run that waits for other things meanwhile. */
export function remoteHelpers(
  summary: string,
): Pick<TactusActivities, 'fileOutcome' | 'mockPredictOutcome' | 'storesLargePayloads'> {
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

type LocalActivities = Omit<TactusActivities, 'modelCall' | 'predict' | 'httpRequest' | 'lookAtRuns'>;

/** What takes milliseconds runs in the worker that has the workflow: no round trip to the server. */
export const localActivities = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: 30_000,
  retry: { ...retry, maximumInterval: 5_000, maximumAttempts: 5 },
});
