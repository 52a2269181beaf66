import { inspect } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import type { ActivityDeps } from '../../../src/activities/activity-deps.js';
import { workerActivities } from '../../../src/worker/worker-activities.js';
import type { TactusActivities } from '../../../src/contract/activities.js';
import type { ModelCall } from '../../../src/contract/models/model-call.js';

/** A key that must not turn up anywhere. */
export const canary = 'sk-canary-4f1d2c3b5a69788796a5b4c3d2e1f0cafe';
export const idempotencyKey = 'review-triage-1/3.0';

export function makeCall(change: Partial<ModelCall> = {}): ModelCall {
  return {
    agent: 'writer',
    model: 'openai/gpt-5-mini',
    system: null,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    outputSchema: null,
    settings: {},
    ...change,
  };
}

/** Everything that activities wrote into the worker's log. */
export const logged: string[] = [];

/** A client of a server whose workflows are described so. */
export function describing(describe: () => Promise<unknown>): Client {
  const withAbortSignal = (_signal: AbortSignal, work: () => unknown): unknown => work();
  return { withAbortSignal, workflow: { getHandle: () => ({ describe }) } } as unknown as Client;
}

/** It has none. */
const emptyServer = describing(() => Promise.reject(new WorkflowNotFoundError('not found', '', '')));

export interface RunOptions {
  /** What the worker asks the server by; left out: one that has nothing. */
  client?: Client;
  deps?: Partial<ActivityDeps>;
  info?: ConstructorParameters<typeof MockActivityEnvironment>[0];
  /** Gets the environment before the activity starts, to listen to heartbeats or to cancel. */
  onStart?: (environment: MockActivityEnvironment) => void;
}

/** Runs one activity as a worker would. */
export async function runActivity<K extends keyof TactusActivities>(
  name: K,
  input: Parameters<TactusActivities[K]>[0],
  { client = emptyServer, deps = {}, info = {}, onStart = () => undefined }: RunOptions = {},
): Promise<Awaited<ReturnType<TactusActivities[K]>>> {
  const activities = workerActivities({ env: {}, filesRoot: '/nowhere', procedureFolders: [], ...deps });
  const environment = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'review-triage-1', runId: 'first' }, ...info },
    { client, logger: new DefaultLogger('TRACE', (entry) => logged.push(inspect(entry, { depth: 8 }))) },
  );
  onStart(environment);
  type Result = Awaited<ReturnType<TactusActivities[K]>>;
  const activity = activities[name] as (given: typeof input) => Promise<Result>;
  return environment.run<[typeof input], Result, typeof activity>(activity, input);
}

/** The failure that the work ends with; anything else fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof ApplicationFailure) return outcome.error;
  throw new Error(
    `no ApplicationFailure: ${JSON.stringify(outcome)} ${'error' in outcome ? String(outcome.error) : ''}`,
  );
}

/** Everything of a failure that reaches Temporal. */
export function textOf(failure: ApplicationFailure): string {
  const parts: string[] = [];
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    parts.push(error.name, error.message, error.stack ?? '', JSON.stringify(error));
  }
  return [...parts, JSON.stringify(failure.details)].join('\n');
}
