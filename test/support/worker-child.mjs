/**
 * A worker in a process of its own, to be killed: by itself at its k-th boundary, or by whoever started it.
 * A boundary is a point at which something is done and nobody has heard of it yet: a workflow task is computed, or its
 * outcome is told; an activity is about to be performed, or performed, or its result is told.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createTactusWorker, openRunIndex, openStorage } from '../../dist/worker.js';
import { faultyStorage } from './faulty-storage.mjs';

const {
  address,
  taskQueue,
  filesRoot,
  modelsFolder,
  killAt,
  victim,
  tools: given,
  index: place,
  storage: mirror,
  metrics,
} = JSON.parse(process.argv[2] ?? '');
/** What stood at each boundary so far. */
const boundaries = [];

function boundary(what) {
  boundaries.push(what);
  const isReached =
    typeof killAt === 'object'
      ? what === killAt.station && boundaries.filter((each) => each === what).length === killAt.nth
      : boundaries.length === killAt;
  if (!isReached) return;
  if (victim === 'models') killModels();
  else process.kill(process.pid, 'SIGKILL');
}

/** It is stopped, so that it takes its next question and gives no answer, and dies at it. */
function killModels() {
  const begun = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  for (const pid of begun.map(Number)) {
    process.kill(pid, 'SIGSTOP');
    boundaries.push('models stopped');
    setTimeout(() => process.kill(pid, 'SIGKILL'), 300);
  }
}

if (metrics !== undefined)
  Runtime.install({ telemetryOptions: { metrics: { prometheus: { bindAddress: metrics } } } });
const { module = null, ...tools } = given ?? {};
const exported = module === null ? {} : await import(module);

const connection = await NativeConnection.connect({ address });
const index = place === undefined ? {} : { index: await openRunIndex(place) };
const storage =
  mirror === undefined
    ? {}
    : {
        storage: faultyStorage(await openStorage(mirror.place), { seed: mirror.seed, killAt: mirror.killAt }),
      };
const worker = await createTactusWorker({
  ...index,
  ...storage,
  connection,
  taskQueue,
  activities: {
    ...{ env: process.env, filesRoot, procedureFolders: [] },
    ...(modelsFolder === undefined ? {} : { modelsFolder }),
    ...tools,
    ...exported,
  },
  worker: {
    stickyQueueScheduleToStartTimeout: '500ms',
    maxHeartbeatThrottleInterval: '500ms',
    workflowThreadPoolSize: 1,
    interceptors: { activity: [({ info }) => ({ inbound: { execute: around(info.activityType) } })] },
  },
});

function around(activity) {
  return async (input, next) => {
    boundary(activity);
    const result = await next(input);
    boundary(activity);
    return result;
  };
}

// The SDK shows no other place between a workflow task and the word of it to the server.
const native = worker.nativeWorker;
const tell = native.completeWorkflowActivation;
native.completeWorkflowActivation = async (completion) => {
  boundary('workflow task');
  const told = await tell(completion);
  boundary('workflow task');
  return told;
};

process.on('message', (message) => {
  if (message === 'boundaries') process.send?.({ boundaries });
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.send?.('ready');
await worker.run();
