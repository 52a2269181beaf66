import type { Payload } from '@temporalio/common';
import { isObject, type JsonValue } from '../../../contract/json/json.js';

/** A payload as codec servers get and give it: protobuf's JSON, with bytes as base64. */
export interface PayloadJson {
  metadata: Record<string, string>;
  data?: string;
}

export function payloadToJson({ metadata, data }: Payload): PayloadJson {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    ...(data == null ? {} : { data: base64(data) }),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Where a text is none, Node leaves out what it can't read. */
function isBase64(value: JsonValue): value is string {
  return typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value);
}

/** null where it is no payload. */
export function payloadFromJson(json: JsonValue): Payload | null {
  if (!isObject(json)) return null;
  const { metadata = {}, data = '' } = json;
  if (!isObject(metadata) || !isBase64(data)) return null;
  const values: [string, Buffer][] = [];
  for (const [name, value] of Object.entries(metadata)) {
    if (!isBase64(value)) return null;
    values.push([name, Buffer.from(value, 'base64')]);
  }
  return { metadata: Object.fromEntries(values), data: Buffer.from(data, 'base64') };
}
