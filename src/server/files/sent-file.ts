import type { Context } from 'hono';
import { TactusError } from '../../contract/errors.js';
import type { OpenNamespace } from '../namespaces.js';
import type { SentFile } from './upload.schema.js';

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

/** Types of which a browser shows, plays or saves the content, and runs nothing. */
const families = /^(audio|video|image|font|model)\/(?!svg)[\w.+-]+$/;
const documents =
  /^application\/(pdf|json|zip|gzip|x-(tar|7z-compressed|ndjson|parquet)|rtf|msword|vnd\.[\w.-]+)$/;
const texts = /^text\/(plain|csv|tab-separated-values|markdown|calendar)$/;
const unknownType = 'application/octet-stream';

/**
 * The media type of a file that somebody hands in, as far as it is kept and told to browsers. What a browser would run as a
 * script, a style or a page has none: files are read from the origin of the page, which trusts its own scripts.
 */
export function passiveType(header: string | undefined): string {
  const type = (header?.split(';')[0] ?? '').trim().toLowerCase();
  const isPassive = type.length <= 100 && [families, documents, texts].some((known) => known.test(type));
  return isPassive && !type.endsWith('+xml') ? type : unknownType;
}
