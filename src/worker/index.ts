/** The door of the room for other rooms: runs workers, so it loads the worker of the SDK. Commands without a worker use the other doors. */
export { exportedMeter, quietRuntime } from './health/quiet-runtime.js';
export { meterReadiness } from './health/readiness-meter.js';
export { replayArchive } from './runs/replay-archive.js';
export { startTestEnvironment, type TestEnvironment } from './specifications/test-environment.js';
export { workerOn, type RunningWorker, type WorkerOnOptions } from './worker-on.js';
