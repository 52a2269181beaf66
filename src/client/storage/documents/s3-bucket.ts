import type * as Sdk from '@aws-sdk/client-s3';
import { digestOf, shortenedKey, type HeadOutcome } from './document-store.js';
import { askStore, awsOptions, wasRepeated, type StoreAddress } from './store-requests.js';
import { loadPackage } from '../../../contract/load-package.js';

const mostKeys = 1_000;

/** Which part of a list: behind a key, with this beginning, and how many in a page. */
interface ListedPart {
  after?: string;
  prefix?: string;
  limit?: number;
}

type S3Object = Omit<Sdk.PutObjectCommandInput, 'Bucket'>;

/** The objects of a bucket, by their keys. @throws TactusError file_failed, by everything */
export class S3Bucket {
  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly Bucket: string,
  ) {}

  /** @throws TactusError missing_package */
  static async open(place: StoreAddress): Promise<S3Bucket> {
    const sdk = await load();
    const client = new sdk.S3Client({
      ...awsOptions(place),
      // Servers other than Amazon's have their buckets in the path, and may know no newer checksums.
      forcePathStyle: place.endpoint !== undefined,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    return new S3Bucket(sdk, client, place.name);
  }

  /** What an object has, what it is described by, and its version; null where there is none. */
  get(Key: string): Promise<{ bytes: Uint8Array; described: Record<string, string>; etag: string } | null> {
    const get = new this.sdk.GetObjectCommand({ Bucket: this.Bucket, Key });
    // With the body, whose connection may break.
    return this.#asking(async () => {
      const found = await ifThere(() => this.client.send(get));
      if (found === null) return null;
      const { Metadata: described = {}, ETag: etag = '' } = found;
      return { bytes: (await found.Body?.transformToByteArray()) ?? new Uint8Array(), described, etag };
    });
  }

  /** What an object is described by, its size in bytes, and when it was put, in ms since 1970; null where there is none. */
  async head(Key: string): Promise<{ described: Record<string, string>; size: number; at: number } | null> {
    const head = new this.sdk.HeadObjectCommand({ Bucket: this.Bucket, Key });
    const found = await this.#asking(() => ifThere(() => this.client.send(head)));
    if (found === null) return null;
    const { Metadata: described = {}, ContentLength: size = 0, LastModified } = found;
    return { described, size, at: LastModified?.getTime() ?? Date.now() };
  }

  /** What an object is described by; null where there is none. */
  async describe(Key: string): Promise<Record<string, string> | null> {
    return (await this.head(Key))?.described ?? null;
  }

  async put(object: S3Object): Promise<void> {
    const put = new this.sdk.PutObjectCommand({ ...object, Bucket: this.Bucket });
    await this.#asking(() => this.client.send(put));
  }

  /** Where its condition holds; otherwise what came of it. */
  putIf(object: S3Object): Promise<HeadOutcome> {
    const put = new this.sdk.PutObjectCommand({ ...object, Bucket: this.Bucket });
    return this.#asking(async () => {
      try {
        await this.client.send(put);
        return 'done';
      } catch (error) {
        if (!isRefused(error)) throw error;
        return wasRepeated(error) ? 'unknown' : 'overtaken';
      }
    });
  }

  async delete(Key: string): Promise<void> {
    const deletion = new this.sdk.DeleteObjectCommand({ Bucket: this.Bucket, Key });
    await this.#asking(() => this.client.send(deletion));
  }

  /** False where it is another one by now; what is gone is gone. */
  async deleteIf(Key: string, etag: string): Promise<boolean> {
    const deletion = new this.sdk.DeleteObjectCommand({ Bucket: this.Bucket, Key, IfMatch: etag });
    return this.#asking(async () => {
      try {
        await this.client.send(deletion);
        return true;
      } catch (error) {
        if (!isRefused(error)) throw error;
        return isMissing(error);
      }
    });
  }

  /** What comes behind a beginning that all keys of a list have, in its order, page by page. */
  async *keys(list: string, asked: ListedPart): AsyncGenerator<string[]> {
    for await (const page of this.objects(list, asked)) yield page.map(({ key }) => key);
  }

  /** The same, with the size of each object in bytes, and when it was put, in ms since 1970. */
  async *objects(
    list: string,
    { after = '', prefix = '', limit = mostKeys }: ListedPart,
  ): AsyncGenerator<{ key: string; size: number; at: number }[]> {
    let ContinuationToken: string | undefined;
    do {
      const ask = new this.sdk.ListObjectsV2Command({
        ...{ Bucket: this.Bucket, Prefix: list + prefix, MaxKeys: Math.min(mostKeys, limit) },
        ...(after === '' ? {} : { StartAfter: list + after }),
        ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
      });
      const page = await this.#asking(() => this.client.send(ask));
      yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
        ...{ key: Key.slice(list.length), size: Size, at: LastModified?.getTime() ?? Date.now() },
      }));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  close(): void {
    this.client.destroy();
  }

  #asking<T>(ask: () => Promise<T>): Promise<T> {
    return askStore(`S3, bucket ${JSON.stringify(this.Bucket)}`, ask);
  }
}

async function ifThere<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';
}

/** 409: somebody else changes it at this very moment. */
function isRefused(error: unknown): boolean {
  return isMissing(error) || [409, 412].includes(statusOf(error));
}

function statusOf(error: unknown): number {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
}

/** @throws TactusError missing_package */
function load(): Promise<typeof Sdk> {
  return loadPackage(
    () => import('@aws-sdk/client-s3'),
    'S3 needs a package: npm install @aws-sdk/client-s3',
  );
}

/** So many characters of an id are in a key; of longer ones their digest is, too. A key has 1,024 bytes at most. */
const longest = 600;
const longestStatus = 120;
const digestLength = 64;

/**
 * An id as part of a key, of ASCII that every server takes, without slashes and dots by themselves. Order and beginnings stay what
 * they were, but for that of ids that are too long.
 */
export function toKey(id: string): string {
  const key = escaped(id);
  return isTooLong(key) ? `${key.slice(0, longest)}~~${digestOf(id)}` : key;
}

/** The id in a key; null of one that was too long for it. */
export function fromKey(key: string): string | null {
  if (isCut(key)) return null;
  return key.replace(
    /!(?<low>..)|\.(?<dot>[ef])|~(?<high>.{6})/g,
    (_, low: string | undefined, dot: string | undefined, high: string | undefined) =>
      String.fromCodePoint(Number.parseInt(low ?? high ?? `2${dot}`, 16)),
  );
}

/** How all keys of ids begin that begin with this; some may begin otherwise where it is long. */
export function keyPrefix(prefix: string): string {
  return escaped(prefix).slice(0, longest);
}

/** What all keys of ids up to this one come before, or are: of ids that are as long, some behind it may. */
export function keyAfter(id: string): string {
  const key = escaped(id);
  return isTooLong(key) ? key.slice(0, longest) : `${key}${separator}~`;
}

/** What comes between the key of an id and what isn't part of it: before all that an id may go on with. */
export const separator = '!!';

/** The beginning that a key of a long id shares with others, in whatever order; null of any other. */
export function sharedBeginning(key: string): string | null {
  return isCut(key) ? key.slice(0, longest) : null;
}

export function statusKey(status: string): string {
  return shortenedKey(escaped(status), longestStatus);
}

function isTooLong(key: string): boolean {
  return key.length > longest;
}

function isCut(key: string): boolean {
  return key.length === longest + 2 + digestLength && key.slice(longest).startsWith('~~');
}

/** In the order of characters: `!` and two digits up to `!`, `.e` and `.f` for `.` and `/`, `~` and six digits from `~` on. */
function escaped(text: string): string {
  return text.replace(/[^"-\-0-}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '.' || character === '/') return `.${code.toString(16).slice(1)}`;
    return code < 0x22 ? `!${code.toString(16).padStart(2, '0')}` : `~${code.toString(16).padStart(6, '0')}`;
  });
}
