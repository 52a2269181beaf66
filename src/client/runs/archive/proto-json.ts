import type { Payload } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';
import type { JsonObject } from '../../../contract/json/json.js';

/**
 * Messages of Temporal as JSON, by their own classes: what the SDK has for that fails (`type must be a Type`) where npm has installed several
 * copies of protobufjs, as it does for most who install this package.
 */
const { History: HistoryMessage } = proto.temporal.api.history.v1;
const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const asTexts = { longs: String, enums: String, bytes: String } as const;

export function historyToJson(history: History): JsonObject {
  return HistoryMessage.toObject(HistoryMessage.fromObject(history), asTexts);
}

/** @throws Error where it is no history */
export function historyFromJson(json: JsonObject): History {
  return HistoryMessage.fromObject(json);
}

export function payloadToJson(payload: Payload): JsonObject {
  return PayloadMessage.toObject(PayloadMessage.fromObject(payload), asTexts);
}

/** @throws Error where it is no payload */
export function payloadFromJson(json: JsonObject): Payload {
  return PayloadMessage.fromObject(json);
}
