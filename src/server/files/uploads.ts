import { createHash, randomBytes } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TactusError } from '../../contract/errors.js';
import { canonicalJson, type JsonValue } from '../../contract/json/json.js';
import type { ListedPayloadStore } from '../../worker/payloads/index.js';
import { RequestProblem } from '../http/problem.js';

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
const idsInUrls = /\/files\/([0-9a-f]{32})(?![0-9a-f])/g;
/** A decision names a few files. */
const mostNamed = 100;
const newline = 10;
const daySeconds = 86_400;
const cleanEveryMs = 3_600_000;
/** Stands behind the key of a file that a decision has named. */
const usedMark = '.used';

/** Files that people of a namespace hand in: they lie beside what is too large for the Temporal server. */
export class Uploads {
  private readonly days: RateLimiterMemory;
  /** In bytes, as far as is known; null: nobody has looked. */
  private total: number | null = null;
  private cleaned = -Infinity;

  /** @param store null: there is no place for files */
  constructor(
    private readonly namespace: string,
    private readonly store: ListedPayloadStore | null,
    private readonly limits: UploadLimits,
  ) {
    this.days = new RateLimiterMemory({ points: limits.dayBytes, duration: daySeconds });
  }

  /**
   * Keeps a file.
   * @throws TactusError config_invalid where there is no place, file_failed where it is full; RequestProblem rate_limited
   */
  async keep(
    sender: string,
    { name, type }: Pick<Upload, 'name' | 'type'>,
    bytes: Uint8Array,
    now = Date.now(),
  ): Promise<Upload> {
    const store = this.place();
    await this.clean(now);
    const id = randomBytes(16).toString('hex');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const upload = { id, name, size: bytes.length, type, sha256 };
    const head = Buffer.from(`${JSON.stringify(upload)}\n`);
    const size = head.length + bytes.length;
    const total = (this.total ?? 0) + size;
    if (total > this.limits.mostBytes)
      throw new TactusError(
        'file_failed',
        `The namespace ${this.namespace} has no room for more files: server.upload_total_bytes is ${this.limits.mostBytes}`,
      );
    await this.days.consume(sender, size).catch(() => {
      throw new RequestProblem(429, 'rate_limited', 'You have handed in too much today', undefined, {
        'retry-after': String(daySeconds / 24),
      });
    });
    this.total = total;
    try {
      await store.put(this.keyOf(id), Buffer.concat([head, bytes]));
    } catch (error) {
      this.total -= size;
      throw error;
    }
    return upload;
  }

  /** A file and its bytes; null where there is none of this id in the namespace. */
  async find(id: string): Promise<{ upload: Upload; bytes: Uint8Array<ArrayBuffer> } | null> {
    if (!idPattern.test(id)) return null;
    const store = this.place();
    const kept = (await store.get(this.keyOf(id))) ?? (await store.get(this.oldKeyOf(id)));
    if (kept === null) return null;
    const end = kept.indexOf(newline);
    const upload = JSON.parse(Buffer.from(kept.subarray(0, end)).toString()) as Upload;
    return { upload, bytes: new Uint8Array(kept.subarray(end + 1)) };
  }

  /** Notes that a decision has named files: they stay. */
  async use(value: JsonValue): Promise<void> {
    if (this.store === null) return;
    const ids = Array.from(canonicalJson(value).matchAll(idsInUrls), ([, id = '']) => id);
    for (const id of new Set(ids.slice(0, mostNamed)))
      if (await this.store.has(this.keyOf(id))) await this.store.put(this.keyOf(id) + usedMark, Buffer.of());
  }

  /** Removes what has had its time, once in an hour at most. */
  private async clean(now: number): Promise<void> {
    if (now - this.cleaned < cleanEveryMs) return;
    this.cleaned = now;
    const store = this.place();
    const found = await store.list(this.keyOf(''));
    const used = new Set(found.filter(({ key }) => key.endsWith(usedMark)).map(({ key }) => key));
    let total = (await store.list(this.oldKeyOf(''))).reduce((sum, { size }) => sum + size, 0);
    for (const { key, size, at } of found) {
      if (used.has(key)) continue;
      const mark = key + usedMark;
      const lastsMs = used.has(mark) ? this.limits.keptMs : this.limits.unusedMs;
      if (lastsMs === null || now - at <= lastsMs) total += size;
      else {
        await store.remove(key);
        await store.remove(mark);
      }
    }
    this.total = total;
  }

  private place(): ListedPayloadStore {
    if (this.store !== null) return this.store;
    throw new TactusError(
      'config_invalid',
      'This server has no place for files: set TACTUS_TEMPORAL_PAYLOADS, and start the server again',
    );
  }

  /** Not the name of any payload, and of no other namespace's file. */
  private keyOf(id: string): string {
    return `file-${this.tag()}-${id}`;
  }

  /** Of a file that was handed in before files were removed: those stay. */
  private oldKeyOf(id: string): string {
    return `upload-${this.tag()}-${id}`;
  }

  private tag(): string {
    return createHash('sha256').update(this.namespace).digest('hex').slice(0, 16);
  }
}

/** How much is kept of what people hand in, and for how long. */
export interface UploadLimits {
  /** Of a namespace, in bytes. */
  mostBytes: number;
  /** Of one person in a day, in bytes. */
  dayBytes: number;
  /** A file that no decision has named is removed after this time; null: never. */
  unusedMs: number | null;
  /** One that a decision has named is removed after this time; null: never. */
  keptMs: number | null;
}

export const usualUploadLimits: UploadLimits = {
  mostBytes: 10_000_000_000,
  dayBytes: 1_000_000_000,
  unusedMs: 7 * 86_400_000,
  keptMs: null,
};
