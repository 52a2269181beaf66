export {
  TactusClient,
  TactusRun,
  type StartOptions,
  type TactusClientOptions,
} from './client/tactus-client.js';
export { collectSource } from './client/collect-source.js';
export type { FileValidation } from './client/validate-file.js';
export { validateWithTests as validateFile } from './testing/validate-with-tests.js';
export { FileStorage } from './client/storage/file-storage.js';
export { MemoryStorage } from './client/storage/memory-storage.js';
export type { StorageBackend } from './client/storage/storage-backend.js';
export { createTactusWorker, type TactusWorkerOptions } from './worker/create-tactus-worker.js';
export { FilePayloadStore } from './worker/payload-store/file-payload-store.js';
export type { PayloadStore } from './worker/payload-store/payload-store.js';
export { TactusPlugin } from './worker/tactus-plugin.js';
export { TactusError, type ErrorCode, type RunError } from './contract/errors.js';
export type { Decision, DecisionOutcome, Verdict } from './contract/decision.js';
export type { HumanRequest } from './contract/human-request.js';
export type { JsonObject, JsonValue } from './contract/json.js';
export type { LogPage, RunView } from './contract/run-view.js';
export type { ProcedureSource } from './contract/source.js';
export type { StartInput } from './contract/start-input.js';
export type { Diagnostic } from './validation/index.js';
