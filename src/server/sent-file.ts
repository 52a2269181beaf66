import type { Context } from 'hono';
import { TactusError } from '../contract/errors.js';
import type { ServedNamespace } from './served-namespace.js';
import { keepUpload } from './uploads.js';

/** A file that is kept, and what a decision says of it. */
export interface SentFile {
  id: string;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
  value: { name: string; url: string; size: number; type: string };
}

/** Keeps the body of a request as a file. @throws TactusError usage where it is empty; config_invalid where there is no place */
export async function keepSentFile(
  c: Context,
  namespace: ServedNamespace,
  name: string,
  publicUrl: string,
): Promise<SentFile> {
  const type = mediaType(c.req.header('content-type'));
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length === 0) throw new TactusError('usage', 'The file is empty');
  const { id, sha256, size } = await keepUpload(namespace, { name, type }, bytes);
  const url = `${publicUrl}/api/v1/namespaces/${encodeURIComponent(namespace.name)}/files/${id}`;
  return { id, sha256, value: { name, url, size, type } };
}

function mediaType(header: string | undefined): string {
  const [type = ''] = header?.split(';') ?? [];
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type.trim())
    ? type.trim().toLowerCase()
    : 'application/octet-stream';
}
