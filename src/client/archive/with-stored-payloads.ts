import type { Payload, PayloadCodec } from '@temporalio/common';
import { JSONToPayload, payloadToJSON } from '@temporalio/common/lib/proto-utils.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';

/**
 * A history as JSON, with what a payload store keeps of it in place of the claims: whoever reads an archive may have no store.
 * @param store the codec that keeps large payloads elsewhere
 * @throws TactusError file_failed where the store has lost one
 */
export async function withStoredPayloads(history: JsonValue, store: PayloadCodec): Promise<JsonValue> {
  if (Array.isArray(history)) return Promise.all(history.map((each) => withStoredPayloads(each, store)));
  if (!isObject(history)) return history;
  if (isPayload(history)) return fromStore(history, store);
  const fields = Object.entries(history).map(
    async ([name, value]) => [name, await withStoredPayloads(value, store)] as const,
  );
  return Object.fromEntries(await Promise.all(fields));
}

function isPayload({ metadata }: JsonObject): boolean {
  return isObject(metadata ?? null) && typeof (metadata as JsonObject)['encoding'] === 'string';
}

async function fromStore(found: JsonObject, store: PayloadCodec): Promise<JsonObject> {
  const payload = JSONToPayload(found);
  const [kept] = await store.decode([payload]).catch((error: unknown): Payload[] => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('file_failed', `A part of the history can't be had: ${reason}`);
  });
  // What is no claim comes back as it is.
  return kept === undefined || kept === payload ? found : (payloadToJSON(kept) as JsonObject);
}
