/** Storages of procedure records; the packages of databases are loaded where one is opened. */
export { encodedBy } from './encoded-storage.js';
export { toFileName, isMissing, writeAtomically, writeOnce } from './file-storage.js';
export { keepLedger } from './ledger.js';
export { KeyedQueue } from '../concurrency.js';
export { S3Bucket } from './documents/s3-bucket.js';
export { readStoreAddress } from './documents/store-requests.js';
export { openMirror } from './open-storage.js';
export { grown, readMark, type MirrorMark } from './procedure-metadata.js';
export {
  reconcileStorage,
  loadOrDamaged,
  repairRecord,
  type StorageReconciled,
  type RecordFinding,
} from './reconcile-storage.js';
export type { StorageBackend } from './storage-backend.js';
export { openTactusStatuses, toGrowth, toProcedureMetadata, type RunSnapshot } from '../runs/snapshot.js';
