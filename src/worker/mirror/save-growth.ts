import { grown } from '../../client/storage/growth.js';
import type { StorageBackend } from '../../client/storage/storage-backend.js';
import { toGrowth, toProcedureMetadata } from '../../client/storage/to-procedure-metadata.js';
import { lackedBy } from '../../log/tail.js';
import type { Unwritten } from './mirrored-run.js';

/** Writes what is new of a run, by the cheapest way that the storage has. False where the record lacks what was before. */
export async function saveGrowth(storage: StorageBackend, { snapshot, from }: Unwritten): Promise<boolean> {
  const { runId } = snapshot;
  if (from === null) {
    await storage.saveProcedureMetadata(runId, toProcedureMetadata(snapshot));
    return true;
  }
  const growth = toGrowth(snapshot, from);
  if (storage.append !== undefined) return storage.append(runId, growth);
  const record = await storage.loadProcedureMetadata(runId);
  if (lackedBy(record.execution_log.length, growth) === null) return false;
  await storage.saveProcedureMetadata(runId, grown(record, [growth]));
  return true;
}
