import { randomUUID } from 'node:crypto';
import { TactusError } from '../../../contract/errors.js';
import { eachLimit } from '../../concurrency.js';
import { compareIds, type CheckpointFilter } from '../storage-backend.js';
import { digestOf, type DocumentStore, type Head, type HeadOutcome, type NewHead } from './document-store.js';
import {
  fromKey,
  keyAfter,
  keyPrefix,
  S3Bucket,
  separator,
  sharedBeginning,
  statusKey,
  toKey,
} from './s3-bucket.js';
import { readStoreAddress } from './store-requests.js';

/** An id that is too long for a key is in what a head is described by, which has 2 KB at most. */
const longestId = 1_024;
const longestFolder = 150;
const atOnce = 16;

interface S3Head extends Head {
  etag: string;
  /** Its status as part of a key, and what its entry in the list of that status ends with. */
  mark: string;
}

/**
 * Documents in a bucket of S3, or of what speaks its protocol, an object each:
 *
 * - `heads/ID`, which is only written where the one that was read still stands: these are the list of all.
 * - `parts/DIGEST/NAME`.
 * - `status/STATUS/ID!!MARK`, which is written before the head whose status it says, and removed after it has another one. The
 *   head names the one that holds: whoever dies in between leaves one that no list shows.
 */
export class S3Store implements DocumentStore<S3Head> {
  readonly name = 'S3';
  // Objects may be larger, and are paid for by the request.
  readonly limits = { largestPart: 8_000_000, largestTail: 32_768 };

  private constructor(
    private readonly bucket: S3Bucket,
    private readonly folder: string,
  ) {}

  /** @throws TactusError missing_package; usage where the address is none */
  static async open(address: string): Promise<S3Store> {
    const place = readStoreAddress(address, 's3://BUCKET/FOLDER?region=REGION&endpoint=URL');
    if (Buffer.byteLength(place.folder) > longestFolder)
      throw new TactusError('usage', `The folder of a storage in S3 has ${longestFolder} bytes at most`);
    return new S3Store(await S3Bucket.open(place), place.folder === '' ? '' : `${place.folder}/`);
  }

  async readHead(procedureId: string): Promise<S3Head | null> {
    const found = await this.bucket.get(this.#headKey(procedureId));
    if (found === null) return null;
    const { bytes, described, etag } = found;
    const { version = '', mark = '' } = described;
    return { version, mark, text: Buffer.from(bytes).toString(), etag };
  }

  async writeHead(procedureId: string, head: NewHead, before: S3Head | null): Promise<HeadOutcome> {
    const standing = statusKey(head.status);
    const stays = before?.mark.startsWith(`${standing}/`) === true;
    const mark = stays ? before.mark : `${standing}/${randomUUID().slice(0, 8)}`;
    if (!stays) await this.bucket.put({ Key: this.#markKey(procedureId, mark), Body: procedureId });
    const key = toKey(procedureId);
    const put = {
      Key: this.#headKey(procedureId),
      Body: head.text,
      ContentType: 'application/json',
      Metadata: {
        ...{ version: head.version, mark },
        ...(sharedBeginning(key) === null ? {} : { id: Buffer.from(procedureId).toString('base64url') }),
      },
      ...(before === null ? { IfNoneMatch: '*' } : { IfMatch: before.etag }),
    };
    const outcome = await this.bucket.putIf(put);
    const isThere = outcome !== 'done' && (await this.readHead(procedureId))?.version === head.version;
    const told = isThere ? 'done' : outcome;
    const over = told === 'done' ? before?.mark : mark;
    // One that may be named by a head that was there in between is left.
    if (!stays && over !== undefined && told !== 'unknown')
      await this.bucket.delete(this.#markKey(procedureId, over));
    return told;
  }

  async removeHead(procedureId: string, { etag, mark }: S3Head): Promise<boolean> {
    const isDone = await this.bucket.deleteIf(this.#headKey(procedureId), etag);
    if (isDone) await this.bucket.delete(this.#markKey(procedureId, mark));
    return isDone;
  }

  async readPart(procedureId: string, name: string): Promise<Uint8Array | null> {
    return (await this.bucket.get(this.#partKey(procedureId, name)))?.bytes ?? null;
  }

  async readParts(procedureId: string): Promise<Map<string, Uint8Array>> {
    const parts = new Map<string, Uint8Array>();
    await eachLimit(await this.partNames(procedureId, ''), atOnce, async (name) => {
      const content = await this.readPart(procedureId, name);
      if (content !== null) parts.set(name, content);
    });
    return parts;
  }

  async writePart(procedureId: string, name: string, content: Uint8Array): Promise<void> {
    await this.bucket.put({ Key: this.#partKey(procedureId, name), Body: content });
  }

  async partNames(procedureId: string, after: string): Promise<string[]> {
    const names: string[] = [];
    for await (const page of this.bucket.keys(this.#partKey(procedureId, ''), { after })) names.push(...page);
    return names;
  }

  removeParts(procedureId: string, names: readonly string[]): Promise<void> {
    return eachLimit(names, atOnce, (name) => this.bucket.delete(this.#partKey(procedureId, name)));
  }

  async list({ status, prefix = '', limit = Infinity, after = '' }: CheckpointFilter): Promise<string[]> {
    const isBehind = compareIds(after, prefix) > 0;
    if (isBehind && !after.startsWith(prefix)) return [];
    const list = status === undefined ? `${this.folder}heads/` : `${this.folder}status/${statusKey(status)}/`;
    const found: string[] = [];
    let left: string[] = [];
    const take = async (keys: readonly string[]): Promise<void> => {
      const ids = await this.#idsOf(keys, status);
      const wanted = ids.filter((id) => id.startsWith(prefix) && compareIds(id, after) > 0);
      found.push(...wanted.sort(compareIds));
    };
    const asked = { after: isBehind ? keyAfter(after) : '', prefix: keyPrefix(prefix), limit };
    for await (const page of this.bucket.keys(list, asked)) {
      const keys = [...left, ...page];
      // Long ids that begin alike have to be there together to be put in order.
      const beginning = sharedBeginning(keyOf(keys.at(-1) ?? ''));
      const isOpen = (key: string): boolean =>
        beginning !== null && sharedBeginning(keyOf(key)) === beginning;
      left = keys.filter(isOpen);
      await take(keys.filter((key) => !isOpen(key)));
      if (found.length >= limit) return found.slice(0, limit);
    }
    await take(left);
    return found.slice(0, limit);
  }

  async close(): Promise<void> {
    this.bucket.close();
  }

  /** The ids in entries of a list; of one by status, those whose head names the entry. */
  async #idsOf(entries: readonly string[], status: string | undefined): Promise<string[]> {
    const ids: string[] = [];
    await eachLimit(entries, atOnce, async (entry) => {
      const [key = '', mark = ''] = entry.split(separator);
      const short = fromKey(key);
      if (status === undefined && short !== null) return void ids.push(short);
      const told = await this.bucket.describe(`${this.folder}heads/${key}`);
      if (told === null) return;
      if (status !== undefined && told['mark'] !== `${statusKey(status)}/${mark}`) return;
      ids.push(short ?? Buffer.from(told['id'] ?? '', 'base64url').toString());
    });
    return ids;
  }

  /** @throws TactusError usage of an id that is too long */
  #headKey(procedureId: string): string {
    if (Buffer.byteLength(procedureId) > longestId)
      throw new TactusError('usage', `a procedure id has ${longestId} bytes at most in S3`);
    return `${this.folder}heads/${toKey(procedureId)}`;
  }

  #markKey(procedureId: string, mark: string): string {
    const [status = '', name = ''] = mark.split('/');
    return `${this.folder}status/${status}/${toKey(procedureId)}${separator}${name}`;
  }

  #partKey(procedureId: string, name: string): string {
    return `${this.folder}parts/${digestOf(procedureId)}/${name}`;
  }
}

/** The key of an id in an entry of a list. */
function keyOf(entry: string): string {
  return entry.split(separator)[0] ?? '';
}
