import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { TactusActivities } from '../../contract/activities.js';

const retry = {
  initialInterval: '1s',
  backoffCoefficient: 2,
  maximumInterval: '1m',
  maximumAttempts: 10,
} as const;

/** Room for the activity to end by itself before the server gives it up. */
const graceMs = 10_000;

/** What goes over the network, model calls, predictions and requests: heartbeats tell a dead worker from a slow model. */
export function remoteActivities(
  timeoutMs: number,
  heartbeatMs: number,
  summary: string,
  maximumAttempts: number = retry.maximumAttempts,
): Pick<TactusActivities, 'modelCall' | 'predict' | 'httpRequest'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: timeoutMs + graceMs,
    heartbeatTimeout: heartbeatMs,
    retry: { ...retry, maximumAttempts },
    summary,
  });
}

/** Does nothing in whichever worker is free, and is tried until one did. */
export function remoteBreather(summary: string): Pick<TactusActivities, 'breathe'> {
  return proxyActivities<TactusActivities>({ startToCloseTimeout: '10s', summary });
}

/** What takes milliseconds, in whichever worker is free, for a run that waits for other things meanwhile. */
export function remoteHelpers(
  summary: string,
): Pick<TactusActivities, 'fileOutcome' | 'mockPredictOutcome' | 'storesLargePayloads'> {
  return proxyActivities<TactusActivities>({
    startToCloseTimeout: '30s',
    retry: { ...retry, maximumInterval: '5s', maximumAttempts: 5 },
    summary,
  });
}

/** A question to the server, about runs of others. */
export function remoteRunReader(summary: string): Pick<TactusActivities, 'lookAtRuns'> {
  return proxyActivities<TactusActivities>({ startToCloseTimeout: '1m', retry, summary });
}

type LocalActivities = Omit<TactusActivities, 'modelCall' | 'predict' | 'httpRequest' | 'lookAtRuns'>;

/** What takes milliseconds runs in the worker that has the workflow: no round trip to the server. */
export const localActivities = proxyLocalActivities<LocalActivities>({
  startToCloseTimeout: '30s',
  retry: { ...retry, maximumInterval: '5s', maximumAttempts: 5 },
});
