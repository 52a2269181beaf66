import { createHash, randomBytes } from 'node:crypto';
import { TactusError } from '../contract/errors.js';
import type { PayloadStore } from '../worker/payload-store/payload-store.js';
import type { ServedNamespace } from './served-namespace.js';

/** A file that somebody has handed in. */
export interface Upload {
  /** Nobody guesses it: whoever knows it and may read in the namespace gets the file. */
  id: string;
  name: string;
  /** In bytes. */
  size: number;
  /** Media type. */
  type: string;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
}

const idPattern = /^[0-9a-f]{32}$/;
const newline = 10;

/** Keeps a file beside what is too large for the server. @throws TactusError config_invalid where there is no such place */
export async function keepUpload(
  namespace: ServedNamespace,
  { name, type }: Pick<Upload, 'name' | 'type'>,
  bytes: Uint8Array,
): Promise<Upload> {
  const id = randomBytes(16).toString('hex');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const upload = { id, name, size: bytes.length, type, sha256 };
  const head = Buffer.from(`${JSON.stringify(upload)}\n`);
  await storeOf(namespace).put(keyOf(namespace, id), Buffer.concat([head, bytes]));
  return upload;
}

/** A file and its bytes; null where there is none of this id in the namespace. */
export async function findUpload(
  namespace: ServedNamespace,
  id: string,
): Promise<{ upload: Upload; bytes: Uint8Array<ArrayBuffer> } | null> {
  const kept = idPattern.test(id) ? await storeOf(namespace).get(keyOf(namespace, id)) : null;
  if (kept === null) return null;
  const end = kept.indexOf(newline);
  const upload = JSON.parse(Buffer.from(kept.subarray(0, end)).toString()) as Upload;
  return { upload, bytes: new Uint8Array(kept.subarray(end + 1)) };
}

function storeOf({ files }: ServedNamespace): PayloadStore {
  if (files !== null) return files;
  throw new TactusError(
    'config_invalid',
    'There is no place for files: TACTUS_TEMPORAL_PAYLOADS names a folder where the server is started',
  );
}

/** Not the name of any payload, and of no other namespace's file. */
function keyOf({ name }: ServedNamespace, id: string): string {
  return `upload-${createHash('sha256').update(name).digest('hex').slice(0, 16)}-${id}`;
}
