import type { JsonObject } from '../../../contract/json/json.js';

/**
 * What a request is called in its batch (`custom_id`): the same call has the same id in every activity that reads the batch's
 * answers, whichever calls the others were about.
 */
export type RequestId = string;

/** A request as it would have been sent by itself. */
export interface SeatedRequest {
  url: string;
  headers: Headers;
  body: JsonObject;
}

/** A provider's batch, once it has ended. */
export interface EndedBatch {
  /** As if each request had been sent by itself; those that aren't there have no answer. */
  answers: ReadonlyMap<RequestId, Response>;
  /** How it ended: why some have none. */
  state: string;
}

/** The calls about batches of one provider; they throw a `Fault`. */
export interface BatchApi {
  /** Gives the provider's id of the batch. */
  begin(requests: ReadonlyMap<RequestId, SeatedRequest>, key: string): Promise<string>;
  /** One that was begun with the same key; null: there is none, or that can't be found out. */
  find(key: string): Promise<string | null>;
  /** null: the provider is at it. */
  look(id: string): Promise<EndedBatch | null>;
  /** Tells the provider that it isn't wanted; whether that was heard makes no difference here. */
  cancel(id: string): Promise<void>;
}
