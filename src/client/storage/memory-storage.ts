import { RecordStorage } from './record-storage.js';
import { TaskQueues } from './task-queues.js';

/** Keeps records for as long as the process lives: for tests and trials. Holds texts, so nobody shares an object. */
export class MemoryStorage extends RecordStorage {
  readonly #texts = new Map<string, string>();

  constructor() {
    super(new TaskQueues());
  }

  protected override async readText(procedureId: string): Promise<string | null> {
    return this.#texts.get(procedureId) ?? null;
  }

  protected override async writeText(procedureId: string, text: string): Promise<void> {
    this.#texts.set(procedureId, text);
  }

  protected override async removeText(procedureId: string): Promise<void> {
    this.#texts.delete(procedureId);
  }

  protected override async listIds(): Promise<string[]> {
    return [...this.#texts.keys()];
  }

  protected override placeOf(procedureId: string): string {
    return `the record of "${procedureId}"`;
  }
}
