/** Durable loops in the words of WINK, over runs: begun, found and gone on with by applications, and their snapshots in its JSON. */
export {
  DurableMainLoop,
  type DurableMainLoopOptions,
  type IncompleteLoop,
  type LoopResponse,
} from './client/sessions/durable-main-loop.js';
export { CheckpointStore } from './client/sessions/checkpoint-store.js';
export type { DurableLoopOptions } from './client/sessions/durable-loop-options.js';
export {
  CheckpointTrigger,
  type CheckpointEvent,
  type CheckpointEventType,
} from './client/sessions/checkpoint-trigger.js';
export { Deadline, DeadlineExceededError } from './client/sessions/deadline.js';
export { SessionSnapshot } from './client/sessions/session-snapshot.js';
export type { SnapshotSlice } from './contract/sessions/snapshot.js';
export type { Plan as PlanView, PlanStep as PlanStepView, StepStatus } from './contract/sessions/plan.js';
export type { SessionView, SnapshotEntry } from './contract/sessions/session-view.js';
