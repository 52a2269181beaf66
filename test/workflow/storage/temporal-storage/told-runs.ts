import { WorkflowNotFoundError } from '@temporalio/common';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkProcedureId,
  type CheckpointFilter,
  type StorageBackend,
} from '../../../../src/client/storage/storage-backend.js';
import { TemporalStorage } from '../../../../src/client/storage/temporal-storage.js';
import type { JsonObject } from '../../../../src/contract/json/json.js';
import { workflowType } from '../../../../src/contract/names.js';
import { procedureSource } from '../../../support/procedure-source.js';
import type { TestServer } from '../../../support/test-server.js';
import { waitUntil } from '../../../support/wait-until.js';

const source = procedureSource(readFileSync(new URL('told.lua', import.meta.url), 'utf8'));
const ended = ['COMPLETED', 'FAILED'];

/**
 * What is written is done by runs, each by the procedure of `told.lua`, and what is read is read by `TemporalStorage`. The runs of a place are
 * those whose ids begin with its name.
 */
export class ToldRuns implements StorageBackend {
  readonly #reader: TemporalStorage;
  /** One change of a run after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(
    private readonly server: TestServer,
    private readonly place: string,
  ) {
    this.#reader = new TemporalStorage(server.tactus);
  }

  async loadProcedureMetadata(id: string): ReturnType<TemporalStorage['loadProcedureMetadata']> {
    const record = await this.#reader.loadProcedureMetadata(this.#runOf(id));
    return { ...record, procedure_id: this.#idOf(record.procedure_id) };
  }

  async loadCheckpoint(id: string): ReturnType<TemporalStorage['loadCheckpoint']> {
    const record = await this.#reader.loadCheckpoint(this.#runOf(id));
    return record === null ? null : { ...record, procedure_id: this.#idOf(record.procedure_id) };
  }

  async getState(id: string): Promise<JsonObject> {
    return this.#reader.getState(this.#runOf(id));
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    const { prefix = '', after } = filter;
    const within = {
      prefix: this.#beginning + prefix,
      ...(after === undefined ? {} : { after: this.#beginning + after }),
    };
    return (await this.#reader.listCheckpoints({ ...filter, ...within })).map((run) => this.#idOf(run));
  }

  async saveCheckpoint(id: string, { status = 'RUNNING', state = {} }: JsonObject): Promise<void> {
    await this.#change(id, { status, state });
  }

  saveProcedureMetadata(id: string, { status, state }: { status: string; state: JsonObject }): Promise<void> {
    return this.#change(id, { status, state });
  }

  updateProcedureStatus(id: string, status: string): Promise<void> {
    return this.#change(id, { status });
  }

  setState(id: string, state: JsonObject): Promise<void> {
    return this.#change(id, { state });
  }

  stateSet(id: string, key: string, value: JsonObject[string]): Promise<void> {
    return this.#change(id, { set: { [key]: value } });
  }

  async deleteCheckpoint(id: string): Promise<void> {
    await this.#inTurn(id, async (runId) => {
      if (await this.#isOpen(runId)) {
        await this.server.tactus.attach(runId).terminate();
        // A server that hasn't done with its end yet looks again three seconds later.
        await delay(600);
      }
      await this.#reader.deleteCheckpoint(runId);
      await waitUntil(async () => (await this.#reader.loadCheckpoint(runId)) === null);
      await this.#listed(id, {}, false);
    });
  }

  /** A run that has ended, or that isn't there, is started. */
  async #change(id: string, told: JsonObject): Promise<void> {
    await this.#inTurn(id, async (runId) => {
      const { tactus, client } = this.server;
      if (await this.#isOpen(runId)) await tactus.attach(runId).send('told', told);
      else {
        const input = { status: told.status ?? 'RUNNING', state: told.state ?? told.set ?? {} };
        const start = { args: [{ source, input }], taskQueue: 'tactus', workflowId: runId };
        await client.workflow.start(workflowType, start);
      }
      const status = told.status as string | undefined;
      if (status !== undefined && ended.includes(status))
        await waitUntil(async () => !(await this.#isOpen(runId)));
      await this.#listed(id, status === undefined ? {} : { status }, true);
    });
  }

  /** The server's list lags a moment behind. */
  async #listed(id: string, filter: CheckpointFilter, isThere: boolean): Promise<void> {
    await waitUntil(
      async () => (await this.listCheckpoints({ ...filter, prefix: id })).includes(id) === isThere,
    );
  }

  async #inTurn(id: string, change: (runId: string) => Promise<void>): Promise<void> {
    checkProcedureId(id);
    const before = this.#changes.get(id) ?? Promise.resolve();
    const done = before.then(() => change(this.#runOf(id)));
    this.#changes.set(
      id,
      done.catch(() => undefined),
    );
    await done;
  }

  async #isOpen(runId: string): Promise<boolean> {
    try {
      return (await this.server.client.workflow.getHandle(runId).describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** What is no id stays none. */
  #runOf(id: string): string {
    return id === '' ? id : this.#beginning + id;
  }

  #idOf(runId: string): string {
    return runId.slice(this.#beginning.length);
  }

  get #beginning(): string {
    return `${this.place}/`;
  }
}
