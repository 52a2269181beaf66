import { statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json/json.js';

const mediaTypes: Record<string, string> = {
  '.csv': 'text/csv',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/**
 * What an upload is answered with: where the file lies. It isn't copied: the worker has to reach it there.
 * @throws TactusError usage where there is no such file
 */
export function fileReference(given: string): JsonObject {
  const isUrl = /^https?:\/\//i.test(given);
  const name = basename(isUrl ? new URL(given).pathname : given);
  const ending = extname(name).toLowerCase();
  const type = Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
  const parts = { name, ...(type === undefined ? {} : { type }) };
  if (isUrl) return { ...parts, url: given };
  const path = resolve(given);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw new TactusError('usage', `There is no file ${path}`);
  return { ...parts, path, size: stats.size };
}
