import type { JsonObject } from '../../contract/json/json.js';
import { emptyMetadata, type ProcedureMetadata } from './procedure-metadata.js';

/** Metadata of a procedure and its checkpoint: two faces of its one record. */
export abstract class BothFaces {
  abstract loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null>;
  abstract saveCheckpoint(procedureId: string, data: JsonObject): Promise<void>;

  async loadProcedureMetadata(procedureId: string): Promise<ProcedureMetadata> {
    return (await this.loadCheckpoint(procedureId)) ?? emptyMetadata(procedureId);
  }

  async saveProcedureMetadata(procedureId: string, metadata: ProcedureMetadata): Promise<void> {
    await this.saveCheckpoint(procedureId, metadata);
  }
}
