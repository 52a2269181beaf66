import { hasCode, TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';
import { deleteExecutions } from '../runs/start-input.js';
import { fromTactusStatus, readSnapshot, toProcedureMetadata } from '../runs/snapshot.js';
import type { TactusClient } from '../tactus-client.js';
import { describeRun } from '../runs/view-run.js';
import type { ProcedureMetadata } from './procedure-metadata.js';
import {
  checkFilter,
  checkProcedureId,
  ReadOnlyStorage,
  type CheckpointFilter,
  type StorageBackend,
} from './storage-backend.js';

/**
 * Runs on Temporal as records, without any copy: a worker answers what a record has, and the server's list (or the index of the
 * client) what there is. Whoever only reads needs no mirror. Nothing can be written: what a run has done is its history.
 */
export class TemporalStorage extends ReadOnlyStorage implements StorageBackend {
  protected readonly whyNotWritten =
    'what a run on Temporal has done is its history. It is changed by deciding what it asks, by a fork, or by an upgrade';

  constructor(private readonly tactus: TactusClient) {
    super();
  }

  /** @throws TactusError no_worker where a run doesn't answer */
  override async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    checkProcedureId(procedureId);
    const read = await orNull(readSnapshot(this.tactus.client, procedureId));
    if (read !== null && read.unread !== null) throw new TactusError('no_worker', read.unread);
    return read === null ? null : toProcedureMetadata(read.snapshot);
  }

  /** @throws TactusError no_worker where a run doesn't answer */
  async getState(procedureId: string): Promise<JsonObject> {
    checkProcedureId(procedureId);
    const run = this.tactus.attach(procedureId);
    const isThere = (await orNull(describeRun(run))) !== null;
    return isThere ? run.state() : {};
  }

  /**
   * What the server lists may lag a moment behind; whom an open run waits for it knows where the namespace has our search attributes.
   * Without an index of runs in the client, each page costs reading the whole list.
   */
  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status: wanted, prefix, limit, after } = filter;
    const status = wanted === undefined ? undefined : fromTactusStatus(wanted);
    if (wanted !== undefined && status === undefined) return [];
    return this.tactus.ids({ status, prefix, limit, after });
  }

  /**
   * Deletes a run that has ended from Temporal, with its history.
   * @throws TactusError usage of one that goes on
   */
  async deleteCheckpoint(procedureId: string): Promise<void> {
    checkProcedureId(procedureId);
    const found = await orNull(describeRun(this.tactus.attach(procedureId)));
    if (found === null) return;
    if (found.closeTime === undefined)
      throw new TactusError(
        'usage',
        `${procedureId} is still running: cancel or terminate it before you delete it`,
      );
    await deleteExecutions(this.tactus.client, procedureId, found.runId);
  }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, 'run_not_found')) return null;
    throw error;
  }
}
