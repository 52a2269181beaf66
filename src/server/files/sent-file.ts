import type { Context } from 'hono';
import { TactusError } from '../../contract/errors.js';
import type { OpenNamespace } from '../namespaces.js';
import { passiveType } from './passive-type.js';

/** A file that is kept, and what a decision says of it. */
export interface SentFile {
  id: string;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
  value: { name: string; url: string; size: number; type: string };
}

/**
 * Keeps the body of a request as a file.
 * @param sender whose it is
 * @throws TactusError usage where it is empty; config_invalid where there is no place, file_failed where it is full;
 *   RequestProblem rate_limited
 */
export async function keepSentFile(
  c: Context,
  { name: namespace, uploads }: OpenNamespace,
  { name, sender }: { name: string; sender: string },
  publicUrl: string,
): Promise<SentFile> {
  const type = passiveType(c.req.header('content-type'));
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length === 0) throw new TactusError('usage', 'The file is empty');
  const { id, sha256, size } = await uploads.keep(sender, { name, type }, bytes);
  const url = `${publicUrl}/api/v1/namespaces/${encodeURIComponent(namespace)}/files/${id}`;
  return { id, sha256, value: { name, url, size, type } };
}
