import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const encoding = 'binary/encrypted';

/** A codec as in Temporal's own example of encryption: whole payloads by AES-GCM. */
export function aesCodec(key: Buffer): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encrypted(payload, key)),
    decode: async (payloads) =>
      payloads.map((payload) => {
        const { metadata, data } = payload;
        const name = Buffer.from(metadata?.['encoding'] ?? []).toString();
        return name === encoding ? decrypted(Buffer.from(data ?? []), key) : payload;
      }),
  };
}

function encrypted(payload: Payload, key: Buffer): Payload {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const text = Buffer.concat([cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()]);
  const data = Buffer.concat([iv, cipher.getAuthTag(), text]);
  return { metadata: { encoding: Buffer.from(encoding) }, data };
}

function decrypted(data: Buffer, key: Buffer): Payload {
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12));
  decipher.setAuthTag(data.subarray(12, 28));
  return PayloadMessage.decode(Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]));
}
