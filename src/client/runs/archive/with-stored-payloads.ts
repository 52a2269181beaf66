import type { Payload, PayloadCodec } from '@temporalio/common';
import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { payloadFromJson, payloadToJson } from './proto-json.js';

/**
 * A history as JSON, with what a payload store keeps of it in place of the claims: whoever reads an archive may have no store.
 * @param store the codec that keeps large payloads elsewhere
 * @throws TactusError file_failed where the store has lost one
 */
export async function withStoredPayloads(history: JsonObject, store: PayloadCodec): Promise<JsonObject> {
  if (isPayload(history)) return fromStore(history, store);
  const stored = async (value: JsonValue): Promise<JsonValue> => {
    if (Array.isArray(value)) return Promise.all(value.map(stored));
    return isObject(value) ? withStoredPayloads(value, store) : value;
  };
  const fields = Object.entries(history).map(async ([name, value]) => [name, await stored(value)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

function isPayload({ metadata }: JsonObject): boolean {
  return isObject(metadata ?? null) && typeof (metadata as JsonObject)['encoding'] === 'string';
}

async function fromStore(found: JsonObject, store: PayloadCodec): Promise<JsonObject> {
  const payload = payloadFromJson(found);
  const [kept] = await store.decode([payload]).catch((error: unknown): Payload[] => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('file_failed', `A part of the history can't be had: ${reason}`);
  });
  // What is no claim comes back as it is.
  return kept === undefined || kept === payload ? found : payloadToJson(kept);
}
