import { TactusError } from '../../../../contract/errors.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';

/** What a procedure says of a model, and where it lies. */
export interface ModelPlace {
  /** File or folder, really. */
  place: string;
  /** As the procedure names it. */
  path: string;
  settings: JsonObject;
}

/** A model in memory. */
export interface LoadedModel {
  /**
   * Asks about all inputs, or about as many as an answer has room for.
   * @param settings of whoever asks: the same model may be asked in several ways
   * @throws TactusError predict_failed for inputs that it can't take
   */
  run(inputs: readonly JsonValue[], settings: JsonObject): Promise<JsonValue[]>;
  dispose(): Promise<void>;
}

/** How models of one type are loaded. */
export interface ModelKind {
  /**
   * The files that a model consists of.
   * @throws TactusError predict_failed where one is missing
   */
  files(model: ModelPlace): Promise<string[]>;
  /** Settings that make another model of the same files. */
  variant(model: ModelPlace): JsonValue;
  load(model: ModelPlace): Promise<LoadedModel>;
}

/** Names of classes, in the order of the model's outputs. */
export type Labels = readonly string[];

/**
 * A list of names, or a table of them by their number from 0.
 * @throws TactusError predict_failed
 */
export function readLabels(given: JsonValue): Labels | null {
  if (given === null) return null;
  const list = isObject(given) ? Object.keys(given).map((_, i) => given[String(i)] ?? null) : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((each) => typeof each === 'string'))
    throw predictFailed('labels must be a list of names, or a table of them by their number from 0');
  const labels = list;
  const double = labels.find((label, i) => labels.indexOf(label) !== i);
  if (double !== undefined) throw predictFailed(`labels has ${JSON.stringify(double)} twice`);
  return labels;
}

export function predictFailed(problem: string): TactusError {
  return new TactusError('predict_failed', problem);
}

/** Bytes of JSON that outputs of one answer may have: below what the server records. */
const room = 1_500_000;
/** Before it is known how large they are. */
const firstAsked = 32;

/** Outputs of one answer, as many as there is room for: the first one always. */
export class OutputRoom {
  readonly outputs: JsonValue[] = [];
  private bytes = 0;
  private isFull = false;

  get hasMore(): boolean {
    return !this.isFull;
  }

  /** How many are worth asking for next: some to begin with, then as many as there is room for by what came so far. */
  next(most: number): number {
    const count = this.outputs.length;
    if (count === 0) return Math.min(most, firstAsked);
    return Math.max(1, Math.min(most, Math.ceil(((room - this.bytes) * count) / this.bytes)));
  }

  add(output: JsonValue): void {
    const bytes = jsonSize(output) + 1;
    this.isFull ||= this.outputs.length > 0 && this.bytes + bytes > room;
    if (this.isFull) return;
    this.outputs.push(output);
    this.bytes += bytes;
  }
}
