import { LambdaDurableStorage } from '../../../../../src/client/storage/lambda/lambda-durable-storage.js';
import type { StorageBackend } from '../../../../../src/client/storage/storage-backend.js';
import type { TestDurableFunctions } from '../../../../support/durable-functions.js';

/**
 * A durable function whose executions write what they are told to, each its own record, and which are read from outside. An
 * execution goes on until the storage is closed.
 */
export class WithinExecutions {
  readonly #records = new Map<string, Promise<StorageBackend>>();
  readonly #waiting = new Map<string, (storage: StorageBackend) => void>();
  #end: () => void = () => undefined;
  readonly #over = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(
    private readonly server: TestDurableFunctions,
    private readonly functionName: string,
  ) {
    server.serve<{ id: string }>(functionName, async ({ id }, context) => {
      this.#waiting.get(id)?.(await LambdaDurableStorage.within(context, id));
      await this.#over;
    });
  }

  /** What is written is written by the execution, what is read is read from Lambda. */
  async open(): Promise<StorageBackend> {
    const outside = await LambdaDurableStorage.open(this.server.address(this.functionName));
    const within = (id: string): Promise<StorageBackend> => this.#within(id);
    return {
      loadProcedureMetadata: (id) => outside.loadProcedureMetadata(id),
      loadCheckpoint: (id) => outside.loadCheckpoint(id),
      getState: (id) => outside.getState(id),
      listCheckpoints: (filter) => outside.listCheckpoints(filter),
      saveProcedureMetadata: async (id, record) => (await within(id)).saveProcedureMetadata(id, record),
      saveCheckpoint: async (id, data) => (await within(id)).saveCheckpoint(id, data),
      updateProcedureStatus: async (id, ...how) => (await within(id)).updateProcedureStatus(id, ...how),
      append: async (id, growth) => (await (await within(id)).append?.(id, growth)) === true,
      supersede: async (id, record) => (await (await within(id)).supersede?.(id, record)) === true,
      fold: async (id) => (await within(id)).fold?.(id),
      setState: async (id, state) => (await within(id)).setState(id, state),
      stateSet: async (id, key, value) => (await within(id)).stateSet(id, key, value),
      deleteCheckpoint: async (id) => (await within(id)).deleteCheckpoint(id),
      close: async () => {
        this.#end();
        await outside.close();
      },
    };
  }

  /** Whoever asks for a record first gets it first. */
  #within(id: string): Promise<StorageBackend> {
    const opening = async (): Promise<StorageBackend> => {
      const opened = new Promise<StorageBackend>((resolve) => this.#waiting.set(id, resolve));
      await this.server.start(this.functionName, id, { input: { id } });
      return opened;
    };
    const record = this.#records.get(id) ?? opening();
    this.#records.set(id, record);
    return record;
  }
}
