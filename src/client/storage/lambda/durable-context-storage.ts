import { AsyncLocalStorage } from 'node:async_hooks';
import { TactusError } from '../../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { KeyedQueue } from '../../concurrency.js';
import { grown, type CheckpointEntry, type Growth, type ProcedureMetadata } from '../procedure-metadata.js';
import { RecordStorage, type Stored } from '../record-storage.js';
import { checkProcedureId } from '../storage-backend.js';

/** Counted up with every change of what steps hold. */
const version = 1;
/** So many UTF-16 units of JSON are at most 192 KB in a step, of which Lambda takes 256 KB. */
const longestPart = 65_536;

/** What the step of an invocation holds that opens the record. */
export const opening: JsonObject = { version };

/** The steps that a change takes: one with the change itself, or several with parts of its text. */
export function toSteps(change: RecordChange): JsonValue[] {
  const text = JSON.stringify(change);
  if (text.length <= longestPart) return [change];
  const of = Math.ceil(text.length / longestPart);
  return Array.from({ length: of }, (_, part) => ({
    ...{ part, of },
    text: text.slice(part * longestPart, (part + 1) * longestPart),
  }));
}

/** The record that the steps of an execution make, taken one after the other. */
export class RecordSteps {
  /** Null before the first change. */
  record: KeptRecord | null = null;
  #parts: string[] = [];

  /**
   * Parts of which the last is missing count for nothing: their invocation died.
   * @throws TactusError usage where a newer version of this package has written; Error of what is no step of a record
   */
  take(step: JsonValue): void {
    if (!isObject(step)) throw new Error('a step of it holds no object');
    if (typeof step.version === 'number') {
      this.#parts = [];
      if (step.version <= version) return;
      throw new TactusError(
        'usage',
        `The record was made by a newer version of tactus-temporal (${step.version})`,
      );
    }
    if (typeof step.text !== 'string') return this.#apply(step);
    if (step.part === 0) this.#parts = [];
    if (step.part !== this.#parts.length) throw new Error('a part of it is gone');
    this.#parts.push(step.text);
    if (step.of === this.#parts.length) this.#apply(JSON.parse(this.#parts.join('')) as JsonValue);
  }

  #apply(change: JsonValue): void {
    this.#parts = [];
    if (!isChange(change)) throw new Error('a step of it holds no change');
    this.record = changed(this.record, change);
  }
}

function isChange(value: JsonValue): value is RecordChange {
  return (
    isObject(value) &&
    isObject(value.set) &&
    Array.isArray(value.unset) &&
    typeof value.kept === 'number' &&
    Array.isArray(value.entries)
  );
}

/** What a change made of a record, so that a step costs what is new and not what is there. */
type RecordChange = {
  /** Keys that have another value now, but for the log. */
  set: JsonObject;
  /** Keys that went. */
  unset: string[];
  /** How many entries stay from the beginning of the log. */
  kept: number;
  /** Those behind them. */
  entries: CheckpointEntry[];
};

/** A record without the id: that is the name of the execution. */
type KeptRecord = JsonObject & { execution_log: CheckpointEntry[] };

/** Null where nothing has changed. */
export function changeOf(before: KeptRecord | null, after: ProcedureMetadata): RecordChange | null {
  const change: RecordChange = { set: {}, unset: [], kept: 0, entries: [] };
  const [was, is]: JsonObject[] = [before ?? {}, after];
  for (const key of columns(is)) {
    const value = getOwn(is ?? {}, key) ?? null;
    if (!isSame(getOwn(was ?? {}, key), value)) setOwn(change.set, key, value);
  }
  change.unset = columns(was).filter((key) => !Object.hasOwn(is ?? {}, key));
  const log = before?.execution_log ?? [];
  while (change.kept < log.length && isSame(log[change.kept], after.execution_log[change.kept]))
    change.kept++;
  change.entries = after.execution_log.slice(change.kept);
  const isNothing =
    before !== null &&
    Object.keys(change.set).length + change.unset.length + change.entries.length === 0 &&
    change.kept === log.length;
  return isNothing ? null : change;
}

function changed(before: KeptRecord | null, change: RecordChange): KeptRecord {
  const record: KeptRecord = { execution_log: [] };
  for (const [key, value] of Object.entries(before ?? {})) setOwn(record as JsonObject, key, value);
  for (const key of change.unset) Reflect.deleteProperty(record, key);
  for (const [key, value] of Object.entries(change.set)) setOwn(record as JsonObject, key, value);
  record.execution_log = [...(before?.execution_log ?? []).slice(0, change.kept), ...change.entries];
  return record;
}

function columns(record: JsonObject = {}): string[] {
  return Object.keys(record).filter((key) => key !== 'execution_log' && key !== 'procedure_id');
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

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
      `An invocation can read the record of its own execution, ${own}, only, and not that of ${other}. Read others with openStorage('lambda:FUNCTION')`,
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
