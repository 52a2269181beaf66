import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { changed, type KeptRecord, type RecordChange } from './record-change.js';

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
