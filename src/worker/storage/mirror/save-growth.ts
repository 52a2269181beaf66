import { grown } from '../../../client/storage/procedure-metadata.js';
import type { StorageBackend } from '../../../client/storage/storage-backend.js';
import { toGrowth, toProcedureMetadata } from '../../../client/storage/to-procedure-metadata.js';
import { lackedBy } from '../../../log/pages.js';
import type { Unwritten } from './mirrored-run.js';

/**
 * Writes what is new of a run, by the cheapest way that the storage has; nothing where its record was told later. False where the record
 * lacks what was before.
 */
export async function saveGrowth(storage: StorageBackend, { snapshot, from }: Unwritten): Promise<boolean> {
  const { runId } = snapshot;
  if (from === null) {
    const record = toProcedureMetadata(snapshot);
    if (storage.supersede === undefined) await storage.saveProcedureMetadata(runId, record);
    else await storage.supersede(runId, record);
    return true;
  }
  const growth = toGrowth(snapshot, from);
  if (storage.append !== undefined) return storage.append(runId, growth);
  const record = await storage.loadProcedureMetadata(runId);
  if (lackedBy(record.execution_log.length, growth) === null) return false;
  await storage.saveProcedureMetadata(runId, grown(record, [growth]));
  return true;
}
