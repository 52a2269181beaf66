/** A codec module of an application: AES-GCM over whole payloads, by a key that is named by its environment. */
export const codecModule = `
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
const key = Buffer.alloc(32, process.env.CODEC_KEY ?? 'k');
const text = (bytes) => Buffer.from(bytes ?? []).toString('base64');
export class Codec {
  async encode(payloads) {
    return payloads.map(({ metadata, data }) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const names = Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)]);
      const plain = JSON.stringify({ metadata: Object.fromEntries(names), data: text(data) });
      const out = Buffer.concat([cipher.update(plain), cipher.final()]);
      return { metadata: { encoding: Buffer.from('binary/mine') }, data: Buffer.concat([iv, cipher.getAuthTag(), out]) };
    });
  }
  async decode(payloads) {
    return payloads.map((payload) => {
      if (Buffer.from(payload.metadata?.encoding ?? []).toString() !== 'binary/mine') return payload;
      const data = Buffer.from(payload.data);
      const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12));
      decipher.setAuthTag(data.subarray(12, 28));
      const plain = JSON.parse(Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]).toString());
      const metadata = Object.entries(plain.metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
      return { metadata: Object.fromEntries(metadata), data: Buffer.from(plain.data, 'base64') };
    });
  }
}
`;
