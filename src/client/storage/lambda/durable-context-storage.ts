import { AsyncLocalStorage } from 'node:async_hooks';
import { TactusError } from '../../../contract/errors.js';
import type { JsonValue } from '../../../contract/json/json.js';
import { KeyedQueue } from '../keyed-queue.js';
import { checkProcedureId } from '../procedure-id.js';
import { grown, type Growth, type ProcedureMetadata } from '../procedure-metadata.js';
import { RecordStorage, type Stored } from '../record-storage.js';
import { changeOf, opening, RecordSteps, toSteps } from './record-steps.js';

/** What is used here of a `DurableContext`, as AWS's SDK for durable functions gives it to a handler. */
export interface DurableContext {
  readonly executionContext: { readonly durableExecutionArn: string };
  step<T>(name: string, work: () => Promise<T>): PromiseLike<T>;
  runInChildContext<T>(name: string, work: (child: DurableContext) => Promise<T>): PromiseLike<T>;
}

/** The child of a function's context in which its record is kept, and each step there. */
export const recordContext = 'tactus';
const recordStep = 'record';

type Step = (value: JsonValue) => Promise<JsonValue>;

/**
 * The record of the execution that an invocation belongs to, kept in steps of it. They have a child context of their own, whose
 * steps are counted apart: it doesn't matter when something is written, nor between which steps of the function.
 */
export class DurableContextStorage extends RecordStorage {
  #writes = 0;

  private constructor(
    readonly procedureId: string,
    private readonly kept: RecordSteps,
    private readonly step: Step,
  ) {
    super(new KeyedQueue());
  }

  /** With all that earlier invocations have written. @throws TactusError usage where a newer version of this package has */
  static open(context: DurableContext, procedureId: string): Promise<DurableContextStorage> {
    return new Promise((resolve, reject) => {
      const keep = async (child: DurableContext): Promise<never> => {
        // The SDK looks where a step comes from: those of the record come from here, whoever writes.
        const here = AsyncLocalStorage.snapshot();
        const step: Step = (value) => here(async () => child.step(recordStep, async () => value));
        await replayed(child).then(
          (kept) => resolve(new DurableContextStorage(procedureId, kept, step)),
          reject,
        );
        // It stays open, as a context that has ended is not entered again. It keeps no invocation from being suspended.
        return new Promise<never>(() => undefined);
      };
      Promise.resolve(context.runInChildContext(recordContext, keep)).catch(reject);
    });
  }

  protected override async readStored(procedureId: string): Promise<Stored | null> {
    this.#check(procedureId);
    const { record } = this.kept;
    return record === null ? null : { text: JSON.stringify(record), lines: [], isTorn: false };
  }

  protected override async writeText(procedureId: string, text: string): Promise<void> {
    this.#check(procedureId);
    await this.#write(JSON.parse(text) as ProcedureMetadata);
  }

  protected override async appendLine(procedureId: string, line: string): Promise<void> {
    const record = { ...this.kept.record, procedure_id: procedureId } as ProcedureMetadata;
    await this.#write(grown(record, [JSON.parse(line) as Growth]));
  }

  protected override async markOf(procedureId: string): Promise<string> {
    this.#check(procedureId);
    return String(this.#writes);
  }

  protected override async removeText(procedureId: string): Promise<void> {
    this.#check(procedureId);
    throw notDeleted(procedureId);
  }

  protected override async listIds(): Promise<string[]> {
    return this.kept.record === null ? [] : [this.procedureId];
  }

  protected override placeOf(procedureId: string): string {
    return `the record of "${procedureId}"`;
  }

  async #write(record: ProcedureMetadata): Promise<void> {
    this.#writes++;
    const change = changeOf(this.kept.record, record);
    for (const value of change === null ? [] : toSteps(change)) this.kept.take(await this.step(value));
  }

  /** @throws TactusError usage */
  #check(procedureId: string): void {
    checkProcedureId(procedureId);
    if (procedureId === this.procedureId) return;
    const [own, other] = [this.procedureId, procedureId].map((id) => JSON.stringify(id));
    throw new TactusError(
      'usage',
      `An invocation has the record of its own execution, ${own}, and not of ${other}: others are read by openStorage('lambda:FUNCTION')`,
    );
  }
}

export function notDeleted(procedureId: string): TactusError {
  return new TactusError(
    'usage',
    `${procedureId} can't be deleted: Lambda keeps what an execution has recorded until its retention is over`,
    { run_id: procedureId },
  );
}

/** What is recorded. The first step that isn't yet says so by being made. */
async function replayed(child: DurableContext): Promise<RecordSteps> {
  const kept = new RecordSteps();
  const open = async (): Promise<JsonValue> => {
    isNew = true;
    return opening;
  };
  let isNew = false;
  while (!isNew) kept.take(await child.step(recordStep, open));
  return kept;
}
