/** Storages of procedure records; the packages of databases are loaded where one is opened. */
export { isMissing, writeAtomically } from './atomic-files.js';
export { encodedBy } from './encoded-storage.js';
export { toFileName } from './file-name.js';
export { KeyedQueue } from './keyed-queue.js';
export { readMark, type MirrorMark } from './mirror-mark.js';
export { openMirror } from './open-storage.js';
export { grown } from './procedure-metadata.js';
export { reconcileStorage, type StorageReconciled } from './reconcile-storage.js';
export { loadOrDamaged, repairRecord, type RecordFinding } from './repair-record.js';
export type { StorageBackend } from './storage-backend.js';
export {
  openTactusStatuses,
  toGrowth,
  toProcedureMetadata,
  type RunSnapshot,
} from './to-procedure-metadata.js';
