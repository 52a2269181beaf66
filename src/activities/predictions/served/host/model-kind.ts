import type { JsonObject, JsonValue } from '../../../../contract/json/json.js';

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
