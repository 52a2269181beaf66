/** For applications: starts, answers and reads runs. Nothing here runs a procedure, so no worker is loaded. */
export { TactusClient, type StartOptions, type TactusClientOptions } from './client/tactus-client.js';
export { TactusRun } from './client/tactus-run.js';
export type { ForkOptions } from './client/read-fork.js';
export { collectSource } from './sources/collect-source.js';
export type { FileValidation } from './client/validate-file.js';
export { validateFile } from './testing/validate-file.js';
export { FileStorage } from './client/storage/file-storage.js';
export { MemoryStorage } from './client/storage/memory-storage.js';
export type { StorageBackend } from './client/storage/storage-backend.js';
export { TactusError, type ErrorCode, type RunError } from './contract/errors.js';
export type { Decision, DecisionOutcome, Verdict } from './contract/decision.js';
export type { HumanRequest } from './contract/human-request.js';
export type { JsonObject, JsonValue } from './contract/json.js';
export type { Limits } from './contract/limits.js';
export type { LogPage, RunView } from './contract/run-view.js';
export type { ProcedureSource } from './contract/source.js';
export type { StartInput } from './contract/start-input.js';
export type { Diagnostic } from './validation/index.js';
