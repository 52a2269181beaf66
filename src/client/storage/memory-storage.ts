import { KeyedQueue } from '../concurrency.js';
import { RecordStorage, type Stored } from './record-storage.js';
import { checkProcedureId } from './storage-backend.js';

/** Keeps records for as long as the process lives: for tests and trials. Holds texts, so nobody shares an object. */
export class MemoryStorage extends RecordStorage {
  readonly #stored = new Map<string, { text: string; lines: string[]; mark: string }>();
  #writes = 0;

  constructor() {
    super(new KeyedQueue());
  }

  protected override async readStored(procedureId: string): Promise<Stored | null> {
    checkProcedureId(procedureId);
    const stored = this.#stored.get(procedureId);
    return stored === undefined ? null : { text: stored.text, lines: [...stored.lines], isTorn: false };
  }

  protected override async writeText(procedureId: string, text: string): Promise<void> {
    checkProcedureId(procedureId);
    this.#stored.set(procedureId, { text, lines: [], mark: String(this.#writes++) });
  }

  protected override async appendLine(procedureId: string, line: string): Promise<void> {
    this.#stored.get(procedureId)?.lines.push(line);
  }

  protected override async markOf(procedureId: string): Promise<string> {
    checkProcedureId(procedureId);
    return this.#stored.get(procedureId)?.mark ?? '';
  }

  protected override async removeText(procedureId: string): Promise<void> {
    checkProcedureId(procedureId);
    this.#stored.delete(procedureId);
  }

  protected override async listIds(): Promise<string[]> {
    return [...this.#stored.keys()];
  }

  protected override placeOf(procedureId: string): string {
    return `the record of "${procedureId}"`;
  }
}
