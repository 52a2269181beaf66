/** What procedures are compared with: the same work written by hand. The plugin bundles the workflow of procedures with it. */
import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { TactusActivities } from '../dist/contract/activities.js';
import type { JsonValue } from '../dist/contract/json/json.js';
import type { Prediction } from '../dist/contract/predictions/served-model.js';

const retry = { maximumAttempts: 5 } as const;
const remote = proxyActivities<TactusActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '15s',
  retry,
});
const local = proxyLocalActivities<TactusActivities>({ startToCloseTimeout: '30s', retry });

function prediction(endpoint: string | null, input: number): Prediction {
  const backend =
    endpoint === null
      ? ({ type: 'mock', value: { score: 0.5 } } as const)
      : ({ type: 'http', endpoint, timeoutMs: 30_000, headers: {} } as const);
  return { model: 'm', backend, input: { i: input } };
}

/** `n` predictions, one after another: over HTTP where an endpoint is given, else in the worker. */
export async function nativeSteps({ n, endpoint }: { n: number; endpoint: string | null }): Promise<number> {
  let sum = 0;
  for (let i = 1; i <= n; i++) {
    const call = { prediction: prediction(endpoint, i), idempotencyKey: String(i) };
    const { output } = await (endpoint === null ? local.predict(call) : remote.predict(call));
    sum += (output as { score: number }).score;
  }
  return sum;
}

export interface NativeModel {
  n: number;
  inputs: JsonValue[];
  /** Whom the activity asks. */
  model: string;
  /** Where the activity is. */
  taskQueue: string;
}

/** What a worker by hand has: it asks a model's library. */
export interface LibraryActivities {
  askLibrary(model: string, inputs: JsonValue[]): Promise<JsonValue[]>;
}

/** A model's library is asked `n` times, in the worker itself. */
export async function nativeModel({ n, inputs, model, taskQueue }: NativeModel): Promise<void> {
  const options = { startToCloseTimeout: '5m', heartbeatTimeout: '15s', taskQueue, retry } as const;
  const { askLibrary } = proxyActivities<LibraryActivities>(options);
  for (let i = 0; i < n; i++) await askLibrary(model, inputs);
}

/** The looks at files of `graph-steps`: two at once, then one after them. */
export async function nativeLooks({ steps }: { steps: number }): Promise<void> {
  for (let step = 1; step <= steps; step++) {
    const nodes = step % 2 === 1 ? ['left', 'right'] : ['join'];
    await Promise.all(nodes.map((node) => look(`${step}/${node}`)));
  }
}

function look(idempotencyKey: string): Promise<unknown> {
  return local.fileOutcome({ operation: 'exists', path: 'missing', idempotencyKey });
}

/** What a person answers to `nativeSuspended`. */
export const goOn = defineSignal('goOn');

/** One step, and then a wait for a person. */
export async function nativeSuspended(): Promise<void> {
  let isOn = false;
  setHandler(goOn, () => void (isOn = true));
  await local.predict({ prediction: prediction(null, 1), idempotencyKey: '1' });
  await condition(() => isOn);
}

export interface NativeOrder {
  steps: number;
  /** Before each step, in seconds. */
  pause: number;
  asks: boolean;
  endpoint: string;
}

/** Steps over HTTP with pauses between them, each with a key of its own; then perhaps a wait for a person, and one step after it. */
export async function nativeOrder({ steps, pause, asks, endpoint }: NativeOrder): Promise<void> {
  let isOn = false;
  setHandler(goOn, () => void (isOn = true));
  const step = (i: number): Promise<unknown> =>
    remote.predict({
      prediction: prediction(endpoint, i),
      idempotencyKey: `${workflowInfo().workflowId}/${i}`,
    });
  for (let i = 1; i <= steps; i++) {
    if (pause > 0) await sleep(pause * 1_000);
    await step(i);
  }
  if (!asks) return;
  await condition(() => isOn);
  await step(steps + 1);
}
